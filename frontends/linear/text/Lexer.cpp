//===- Lexer.cpp - the words of a line of assembly ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Lexer.h"

#include "frontends/linear/text/Literal.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm::linear {

std::string quote(const Token &token) {
  if (token.kind == TokenKind::End)
    return "the end of the line";
  return fmt::format("\"{}\"", printable(token.text));
}

static bool isSign(char c) { return c == '+' || c == '-'; }

static TokenKind kindOf(std::string_view text) {
  if (text.empty() || text[0] == '#')
    return TokenKind::End;
  char first = text[0];
  bool digitNext = text.size() > 1 && isDigit(text[1]);
  if (isDigit(first) || isSign(first) || (first == '.' && digitNext))
    return TokenKind::Number;
  if (first == '.')
    return TokenKind::Directive;
  if (isNameCharacter(first))
    return TokenKind::Name;
  return std::string_view(":,=()").find(first) != std::string_view::npos
             ? TokenKind::Symbol
             : TokenKind::Stray;
}

/// Of a number, well formed or not, with a sign before it and after `e`.
static size_t numberLength(std::string_view text) {
  size_t length = 1;
  while (length < text.size()) {
    char c = text[length], before = text[length - 1];
    bool isExponentSign = isSign(c) && (before == 'e' || before == 'E');
    if (!isNameCharacter(c) && c != '.' && !isExponentSign)
      break;
    ++length;
  }
  return length;
}

template <typename Predicate>
static size_t countWhile(std::string_view text, size_t from, Predicate is) {
  auto end = std::find_if_not(text.begin() + from, text.end(), is);
  return static_cast<size_t>(end - text.begin());
}

size_t LineLexer::lengthOf(TokenKind kind) const {
  auto isAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  switch (kind) {
  case TokenKind::Name:
  case TokenKind::Directive:
    return countWhile(rest_, 1, isNameCharacter);
  case TokenKind::Number:
    return numberLength(rest_);
  case TokenKind::Stray:
    if (isAscii(rest_[0]))
      return 1;
    return countWhile(rest_, 1, [&](char c) { return !isAscii(c); });
  case TokenKind::Symbol:
    return 1;
  case TokenKind::End:
    break;
  }
  return 0;
}

LineLexer::LineLexer(std::string_view line, uint32_t number)
    : rest_(line), number_(number) {
  if (rest_.ends_with('\r'))
    rest_.remove_suffix(1);
  advance();
}

void LineLexer::advance() {
  auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
  size_t blanks = countWhile(rest_, 0, isBlank);
  rest_.remove_prefix(blanks);
  column_ += static_cast<uint32_t>(blanks);
  TokenKind kind = kindOf(rest_);
  size_t length = lengthOf(kind);
  token_ = {kind, rest_.substr(0, length), {number_, column_}};
  rest_.remove_prefix(length);
  column_ += static_cast<uint32_t>(length);
}

Token LineLexer::take() {
  Token token = token_;
  if (token.kind != TokenKind::End)
    advance();
  return token;
}

bool LineLexer::takeIf(char symbol) {
  if (!token_.is(symbol))
    return false;
  advance();
  return true;
}

} // namespace vm::linear
