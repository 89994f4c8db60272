//===- Outline.h - the symbols of an assembly text ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first of the assembler's two passes. Names may be used before they are
// defined, so it finds them all, and which lines are instructions, launches and
// directives; the second one (Statements.h) reads the lines themselves.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/SourceText.h"
#include "frontends/linear/Program.h"
#include "frontends/linear/text/Lexer.h"

#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace vm::linear {

/// The kinds of names that do not meet.
enum class SymbolKind : uint8_t { Constant, Buffer, Routine, Phase };

struct Symbol {
  SymbolKind kind = SymbolKind::Constant;
  uint32_t index = 0; ///< Among those of its kind, in the order of the text.
  uint32_t line = 0;
};

/// A label is known inside of its routine.
struct LabelKey {
  uint32_t routine = 0;
  std::string_view name;
  bool operator==(const LabelKey &) const = default;
};

struct LabelHash {
  size_t operator()(const LabelKey &key) const {
    return std::hash<std::string_view>()(key.name) ^ (key.routine * 0x9e3779b9);
  }
};

struct OutlinedInstruction {
  SourceLine line;
  const OpcodeInfo *info = nullptr; ///< Null where the line is wrong.
};

/// A `.phase` or a `.flow`.
struct OutlinedPhase {
  SourceLine line;
  std::string_view name;
  bool isFlow = false;
  bool isWrong = false; ///< The line has been complained of.
  std::vector<SourceLine> runs;
};

/// A constant's number; empty where the line is wrong.
struct Constant {
  std::string_view number;
};

/// Views are into the text, which must stay.
struct Outline {
  std::unordered_map<std::string_view, Symbol> symbols;
  /// Names whose definition is wrong: nothing is said of their uses.
  std::unordered_set<std::string_view> doubtful;
  /// By kind: whether a definition has no name, so that any may be meant.
  std::array<bool, 4> isNameMissing = {};
  std::unordered_map<LabelKey, uint32_t, LabelHash> labels;

  std::vector<Constant> constants;
  std::vector<SourceLine> buffers;
  std::vector<std::string_view> bufferNames;
  std::vector<std::pair<Setting, SourceLine>> settings;
  std::vector<OutlinedInstruction> instructions;
  std::vector<OutlinedPhase> phases;
  /// Lines that are wrong may be instructions, or none.
  bool isCountUnsure = false;
};

/// Outlines `text` (at most kMaxSourceBytes); puts routines, labels and the
/// lines of instructions and settings into `program`.
Outline outline(std::string_view text, Program &program, SourceErrors &errors);

/// Skips the label of a line, if it has one.
LineLexer lexStatement(std::string_view text, const SourceLine &line);

} // namespace vm::linear
