//===- Lexer.h - the words of a line of assembly --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts one line into tokens as they are asked for, so that a line of any length
// needs no memory. Whether a number is well formed is Literal.h's to say.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/SourceText.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace vm::linear {

enum class TokenKind : uint8_t {
  Name,      ///< Letters, digits and `_`, not a digit first.
  Number,    ///< What begins with a digit, a sign, or a point and a digit.
  Directive, ///< A point and a name.
  Symbol,    ///< One of : , = ( )
  Stray,     ///< Anything else; bytes that are not ASCII together.
  End        ///< Of the line, or of what stands before its comment.
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  SourceLocation where;

  bool is(char symbol) const {
    return kind == TokenKind::Symbol && text.front() == symbol;
  }
};

/// `"r7"`, cut and made printable; `the end of the line`.
std::string quote(const Token &token);

class LineLexer {
public:
  /// `line` may end with a carriage return.
  LineLexer(std::string_view line, uint32_t number);

  /// The next token, which stays where it is. After the last one, End.
  const Token &peek() const { return token_; }
  /// The same, and goes on to the one after it.
  Token take();
  /// Takes the next token if it is `symbol`.
  bool takeIf(char symbol);

private:
  void advance();
  size_t lengthOf(TokenKind kind) const;

  std::string_view rest_; ///< After `token_`.
  uint32_t column_ = 1;   ///< Of rest_.
  uint32_t number_;
  Token token_;
};

} // namespace vm::linear
