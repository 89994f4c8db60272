//===- PatternTable.h - the pattern rows of a workflow --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/PatternFinder.h"
#include "frontends/token/ground/Machine.h"
#include "frontends/token/machine/Tokenizer.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vm::token {

/// The patterns of [config] in tokens. Classes are the zone patterns, control,
/// open and close, in this order; each has a row for its pattern, then one for
/// each alternative of it.
class PatternTable {
public:
  /// Null after an error: T01 or T02. Warns of W20. `config` and `tokenizer`
  /// must outlive the table.
  static std::unique_ptr<PatternTable> create(const PromptConfig &config,
                                              const Tokenizer &tokenizer,
                                              Diagnostics &diagnostics);

  const std::vector<PatternRow> &rows() const { return rows_; }
  int32_t classes() const { return zonePatterns_ + 3; }
  int32_t control() const { return zonePatterns_; }
  int32_t escapeOpen() const { return zonePatterns_ + 1; }
  int32_t escapeClose() const { return zonePatterns_ + 2; }
  /// Of a zone pattern; nothing for another text.
  std::optional<int32_t> classOfZonePattern(const std::string &text) const;
  /// The row that is fed for a class.
  int32_t firstRow(int32_t patternClass) const {
    return firstRows_[size_t(patternClass)];
  }
  /// The text of each class.
  std::vector<std::string> texts() const;

  /// A text cut at every pattern and alternative, the leftmost and longest
  /// first; these and what lies between are encoded each by itself, so that a
  /// pattern always has the tokens of its row.
  std::vector<int32_t> encode(const std::string &text) const;

  /// Reports T04 where a row of the control pattern ends a row of the class, in
  /// whose zone it would jump before it can advance.
  bool checkJump(int32_t patternClass, Diagnostics &diagnostics) const;

private:
  /// Where a row is from.
  struct Spelling {
    std::string text;
    std::string key;    ///< Of [config].
    bool isOwn = false; ///< The pattern itself.
    int32_t patternClass = 0;
  };
  /// Rows by their tokens.
  using RowIndex = std::map<std::vector<int32_t>, int32_t>;

  PatternTable(const PromptConfig &config, const Tokenizer &tokenizer);
  static std::vector<Spelling> spellingsOf(const PromptConfig &config);
  static std::vector<std::string> textsOf(const std::vector<Spelling> &all);

  bool encodeRows(Diagnostics &diagnostics);
  bool indexRows(Diagnostics &diagnostics);
  void warnOfEnds(Diagnostics &diagnostics) const;
  Place placeOf(const Spelling &spelling) const;
  /// The rows, but itself, that a row ends with, longest first.
  std::vector<int32_t> endsOf(int32_t row) const;

  const PromptConfig &config_;
  const Tokenizer &tokenizer_;
  int32_t zonePatterns_;
  std::vector<Spelling> spellings_; ///< One a row.
  std::vector<PatternRow> rows_;
  std::vector<int32_t> firstRows_; ///< One a class.
  RowIndex byTokens_;
  std::map<std::string, int32_t, std::less<>> zoneClasses_;
  std::unique_ptr<PatternFinder> finder_;
};

} // namespace vm::token
