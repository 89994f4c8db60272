//===- ScanText.h - the text of a block, cut at the zone patterns ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/PatternFinder.h"
#include "frontends/token/ground/Prompts.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vm::token {

/// Scans texts by the patterns of a checked config. A text takes time linear
/// in its length.
class TextScanner {
public:
  /// `config` must outlive the scanner.
  explicit TextScanner(const PromptConfig &config);

  /// The texts of the zones, one for each zone pattern: of zone 0 the first
  /// pattern; of zone i the text after pattern i - 1 up to and with pattern i,
  /// or the rest of the text if pattern i is the first that is missing, or "".
  /// Nothing after an error (U30, U31, U33..U36); warns (W04..W06). `block`
  /// names it in sentences, e.g. `Block 0 of sequence "a"`.
  std::optional<std::vector<std::string>> scan(std::string_view text,
                                               const std::string &block,
                                               const Place &place,
                                               Diagnostics &diagnostics) const;

private:
  struct Scan;
  void onEscape(Scan &scan, const PatternMatch &match) const;
  void onZonePattern(Scan &scan, const PatternMatch &match) const;
  void checkEnd(Scan &scan) const;
  bool hasControl(const Scan &scan, size_t begin, size_t end) const;
  void warn(const Scan &scan) const;
  std::vector<std::string> cut(const Scan &scan) const;

  const PromptConfig &config_;
  std::set<std::string, std::less<>> required_;
  PatternFinder finder_; ///< Zone patterns, then the escapes.
  PatternFinder control_;
};

} // namespace vm::token
