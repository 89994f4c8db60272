//===- Statements.h - reads the lines that an outline has found -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second of the assembler's two passes. A line is read from left to right
// and left at its first error.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/SourceText.h"
#include "frontends/linear/Program.h"
#include "frontends/linear/text/Lexer.h"
#include "frontends/linear/text/Outline.h"

#include <fmt/format.h>

#include <optional>

namespace vm::linear {

/// What all lines are read with. Buffers are read before what uses them.
struct AssemblyContext {
  std::string_view text;
  const Outline &outline;
  Program &program;
  SourceErrors &errors;
};

/// What an integer may be.
struct IntegerRange {
  const char *what;
  uint32_t min, max;
  bool takesSize = true; ///< Also `size(buffer)`.
};

/// Reads one line. Each function without a value has complained; a name whose
/// definition is wrong has some value of its kind.
class StatementReader {
public:
  StatementReader(AssemblyContext &context, const SourceLine &line)
      : context_(context), lexer_(lexStatement(context.text, line)) {}

  const Token &peek() const { return lexer_.peek(); }
  Token take() { return lexer_.take(); }
  bool takeIf(char symbol) { return lexer_.takeIf(symbol); }
  /// One more than there are commas from here on; 0 if there is nothing.
  uint64_t countOperands() const;
  /// The first stray character from here on, or the end of the line.
  Token findStray() const;

  bool expect(char symbol);
  bool expectEnd();
  std::optional<uint32_t> readInteger(const IntegerRange &range);
  /// The bits of a number, a constant, base(buffer) or size(buffer).
  std::optional<uint32_t> readValue();
  /// A number that is written, finite and not negative.
  std::optional<std::string_view> readAmount(std::string_view what);
  /// The index of a buffer; context.program.buffers.size() of a doubtful one.
  std::optional<uint32_t> readBuffer();

  template <typename... Args>
  std::nullopt_t fail(SourceLocation where, fmt::format_string<Args...> format,
                      Args &&...args) {
    if (context_.errors.keeps(where))
      context_.errors.add(where,
                          fmt::format(format, std::forward<Args>(args)...));
    return std::nullopt;
  }
  std::nullopt_t failExpected(const Token &token, std::string_view what);

  /// Whether nothing is said of a name that this kind does not have.
  bool isDoubtful(std::string_view name, SymbolKind kind) const {
    return context_.outline.isNameMissing[static_cast<size_t>(kind)] ||
           context_.outline.doubtful.contains(name);
  }
  /// Of this kind, or null.
  const Symbol *find(std::string_view name, SymbolKind kind) const;

private:
  std::optional<std::string_view> findConstant(const Token &name);
  std::optional<uint32_t> readProperty(bool isBase);

  AssemblyContext &context_;
  LineLexer lexer_;
};

/// Reads `.buffer` lines and gives buffers their addresses.
void readBuffers(AssemblyContext &context);
/// Reads the directives that a text has at most once.
void readSettings(AssemblyContext &context);
/// Reads the operands of all instructions.
void readInstructions(AssemblyContext &context);
/// Reads `.phase`, `.flow` and `run` lines.
void readPhases(AssemblyContext &context);

/// Gives buffers their addresses: those of kind In first, the others then, each
/// in the order of the text.
void placeBuffers(std::vector<Buffer> &buffers);

} // namespace vm::linear
