//===- Steps.h - the steps of a program, as its builder records them ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps refer to lists of steps, references and programs by index, so that
// neither what is built nor its end recurses by its nesting.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Bindings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vm::token {

/// The deepest nesting of subroutines.
constexpr int kMaxSubroutineDepth = 1000;

/// A use of a sequence, whose zones are created anew for each.
struct SequenceReference {
  std::shared_ptr<ProgramContext> context;
  const PromptSequence *sequence = nullptr;
  std::shared_ptr<const TextMap> with; ///< Null where nothing is given.
  bool input = false;                  ///< Of the last zone.
  bool output = false;
  std::string tool;
};

struct ProgramStep {
  enum class Word { Sequence, Loop, When, Subroutine, Extract };
  Word word = Word::Sequence;
  /// Into references (Sequence, Loop, When), programs or extractions.
  uint32_t index = 0;
  uint32_t list = 0;      ///< The body of a loop; what `when` does by default.
  uint32_t otherwise = 0; ///< What `when` does on a jump.
  Place place;            ///< Of the word's value.
};

struct NamedExtraction {
  std::string name;
  Extraction extraction;
};

struct ProgramSteps {
  std::string name;
  std::shared_ptr<ProgramContext> context;
  /// Lists of steps; the first is the program's own.
  std::vector<std::vector<ProgramStep>> lists{1};
  std::vector<SequenceReference> references;
  std::vector<std::shared_ptr<const ProgramSteps>> programs;
  std::vector<NamedExtraction> extractions;
  int depth = 1;            ///< 1 more than the deepest of `programs`.
  bool hasSequence = false; ///< Itself, or one of `programs`.
  bool hasFailed = false;   ///< An error was reported.
};

/// Whether two extracts of one name are the same.
bool isSame(const Extraction &a, const Extraction &b);

} // namespace vm::token
