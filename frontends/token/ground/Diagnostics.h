//===- Diagnostics.h - diagnostics of workflows ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workflow is read from several files, and some of what is found wrong is
// only a warning, so a diagnostic names its file. Its code is that of the table
// in docs/token-vm.md.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/SourceText.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vm::token {

/// A place in a file; line 0 is the file as a whole.
struct Place {
  std::string file;
  SourceLocation where{0, 0};
};

/// The part of a machine that a diagnostic is about, for callers that have
/// places of its parts.
struct Subject {
  enum class Kind { Machine, Workflow, Class, Row, Zone, TestModel };
  Kind kind = Kind::Machine;
  int32_t number = 0; ///< Of all of that kind in the machine.
};

struct Diagnostic {
  enum class Severity { Error, Warning };
  Severity severity = Severity::Error;
  std::string code; ///< `U05`, `W01`, ...
  Place place;
  std::string sentence; ///< A full sentence, by the rules of docs/style.
  Subject subject;
};

/// The diagnostics of one compilation, in the order found. At most kMax errors
/// and as many warnings are kept.
class Diagnostics {
public:
  static constexpr size_t kMax = 20;

  void error(std::string code, Place place, std::string sentence,
             Subject subject = {});
  void warning(std::string code, Place place, std::string sentence);

  bool hasErrors() const { return errors_ != 0; }
  /// Whether no further error would be kept, so that a reader may stop.
  bool isFull() const { return errors_ >= kMax; }
  const std::vector<Diagnostic> &all() const { return all_; }

  /// `FILE:LINE:COL: error: sentence [CODE]`, or `FILE: error: ...` for a
  /// file as a whole; one a line, warnings included. Ok without an error,
  /// BadInput (exit 3) otherwise.
  Status status() const;
  /// The warnings in the same form, one a line; "" where there are none.
  std::string warnings() const;

private:
  std::vector<Diagnostic> all_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

/// `FILE:LINE:COL: error: sentence [CODE]`.
std::string toText(const Diagnostic &diagnostic);

} // namespace vm::token
