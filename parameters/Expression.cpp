//===- Expression.cpp - numbers computed in texts -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parameters/Expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

using namespace vm;

/// Parentheses and signs in one another.
static constexpr unsigned kMaxNesting = 64;

static constexpr std::array<std::string_view, 5> kWords = {
    "mod", "floordiv", "ceildiv", "min", "max"};

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool isNameBegin(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool isNamePart(char c) {
  return isNameBegin(c) || isDigit(c) || c == '.';
}

static bool isWord(std::string_view text) {
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

bool vm::isParameterName(std::string_view name) {
  return !name.empty() && isNameBegin(name.front()) &&
         std::all_of(name.begin(), name.end(), isNamePart) && !isWord(name);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::string vm::toText(const Number &number) {
  if (auto *integer = std::get_if<int64_t>(&number))
    return fmt::format("{}", *integer);
  std::string text = fmt::format("{}", std::get<double>(number));
  size_t exponent = std::min(text.find('e'), text.size());
  if (text.find('.') == text.npos)
    text.insert(exponent, ".0"); // MLIR needs a point.
  return text;
}

template <typename T> static std::optional<Number> parseAs(std::string_view s) {
  T value = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size())
    return std::nullopt;
  return value;
}

std::optional<Number> vm::parseNumber(std::string_view text) {
  size_t digits = text.starts_with('-');
  if (digits >= text.size() || !isDigit(text[digits]))
    return std::nullopt; // from_chars takes "inf" and ".5".
  if (text.find_first_of(".e") == text.npos)
    return parseAs<int64_t>(text);
  return parseAs<double>(text);
}

static double toDouble(const Number &number) {
  return std::visit([](auto value) { return static_cast<double>(value); },
                    number);
}

bool vm::isLess(const Number &a, const Number &b) {
  auto *x = std::get_if<int64_t>(&a), *y = std::get_if<int64_t>(&b);
  return x && y ? *x < *y : toDouble(a) < toDouble(b);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
enum class Kind { Number, Name, Sign, End, Wrong };

struct Token {
  Kind kind;
  std::string_view text;
};
} // namespace

/// How long the number at the beginning of `text` is: 4096, 0.5, 1.0e-05.
static size_t numberLength(std::string_view text) {
  auto digits = [&](size_t at) {
    while (at < text.size() && isDigit(text[at]))
      ++at;
    return at;
  };
  size_t end = digits(0);
  if (end >= text.size() || text[end] != '.')
    return end;
  end = digits(end + 1);
  size_t exponent = end + 1;
  if (exponent < text.size() &&
      (text[exponent] == '-' || text[exponent] == '+'))
    ++exponent;
  bool isExponent = end < text.size() && (text[end] == 'e' || text[end] == 'E');
  return isExponent && digits(exponent) > exponent ? digits(exponent) : end;
}

static Token nextToken(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.empty())
    return {Kind::End, text};
  if (isDigit(text.front()))
    return {Kind::Number, text.substr(0, numberLength(text))};
  if (isNameBegin(text.front())) {
    auto end = std::find_if_not(text.begin(), text.end(), isNamePart);
    return {Kind::Name, text.substr(0, end - text.begin())};
  }
  bool isSign =
      std::string_view("+-*/(),").find(text.front()) != std::string_view::npos;
  return {isSign ? Kind::Sign : Kind::Wrong, text.substr(0, 1)};
}

bool vm::visitNames(std::string_view expression,
                    const std::function<void(std::string_view)> &take) {
  while (true) {
    Token token = nextToken(expression);
    if (token.kind == Kind::End || token.kind == Kind::Wrong)
      return token.kind == Kind::End;
    if (token.kind == Kind::Name && !isWord(token.text))
      take(token.text);
    expression.remove_prefix(token.text.end() - expression.begin());
  }
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename... Args>
static Status wrong(fmt::format_string<Args...> format, Args &&...args) {
  return {Code::BadInput, fmt::format(format, std::forward<Args>(args)...)};
}

static Status wrongOf(const Number &a, std::string_view op, const Number &b,
                      std::string_view what) {
  return wrong("{} {} {} {}", toText(a), op, toText(b), what);
}

static constexpr std::string_view kOverflow =
    "is out of range (-2^63 to 2^63 - 1)";

/// A quotient rounded towards minus infinity, and what it leaves.
static Result<Number> divide(int64_t x, std::string_view op, int64_t y) {
  if (y == 0)
    return wrongOf(x, op, y, "divides by 0");
  if (op == "mod" && y < 0)
    return wrongOf(x, op, y, "has a negative modulus");
  if (y == -1 && x == INT64_MIN)
    return wrongOf(x, op, y, kOverflow);
  int64_t quotient = x / y, rest = x % y;
  if (op == "/" && rest != 0)
    return wrongOf(x, op, y,
                   "is no whole number (floordiv and ceildiv round it)");
  bool isBelow = rest != 0 && (rest < 0) != (y < 0); // Than the quotient.
  if (op == "mod")
    return Number(isBelow ? rest + y : rest);
  if (op == "ceildiv")
    return Number(quotient + (rest != 0 && !isBelow));
  return Number(quotient - isBelow);
}

static Result<Number> apply(int64_t x, std::string_view op, int64_t y) {
  int64_t result = 0;
  bool isOver = false;
  if (op == "+")
    isOver = __builtin_add_overflow(x, y, &result);
  else if (op == "-")
    isOver = __builtin_sub_overflow(x, y, &result);
  else if (op == "*")
    isOver = __builtin_mul_overflow(x, y, &result);
  else
    return divide(x, op, y);
  if (isOver)
    return wrongOf(x, op, y, kOverflow);
  return Number(result);
}

static Result<Number> apply(double x, std::string_view op, double y) {
  double result = 0;
  if (op == "+")
    result = x + y;
  else if (op == "-")
    result = x - y;
  else if (op == "*")
    result = x * y;
  else if (op == "/")
    result = x / y;
  else
    return wrongOf(x, op, y, "is for whole numbers");
  if (!std::isfinite(result))
    return wrongOf(x, op, y, "is no finite number");
  return Number(result);
}

static Result<Number> apply(const Number &a, std::string_view op,
                            const Number &b) {
  auto *x = std::get_if<int64_t>(&a), *y = std::get_if<int64_t>(&b);
  if (x && y)
    return apply(*x, op, *y);
  return apply(toDouble(a), op, toDouble(b));
}

//===----------------------------------------------------------------------===//
// Grammar
//===----------------------------------------------------------------------===//

namespace {
class Evaluator {
public:
  /// Without `valueOf`, only the grammar is looked at.
  Evaluator(std::string_view text, const ValueOfName *valueOf)
      : rest(text), valueOf(valueOf) {
    advance();
  }

  Result<Number> evaluate();

private:
  using Operand = Result<Number> (Evaluator::*)();

  void advance();
  bool take(std::string_view text);
  Result<Number> chain(Operand operand,
                       std::initializer_list<std::string_view> operators);
  Result<Number> sum();
  Result<Number> product();
  Result<Number> factor();
  Result<Number> number();
  Result<Number> name();
  Result<Number> extreme(bool isMin);
  Result<Number> close(Result<Number> value);
  Result<Number> combine(const Number &a, std::string_view op,
                         const Number &b) const;
  Status unexpected() const;

  std::string_view rest; ///< After `token`.
  const ValueOfName *valueOf;
  Token token = {Kind::End, {}};
  unsigned depth = 0;
};
} // namespace

void Evaluator::advance() {
  token = nextToken(rest);
  rest.remove_prefix(token.text.end() - rest.begin());
}

bool Evaluator::take(std::string_view text) {
  if (token.text != text)
    return false;
  advance();
  return true;
}

Status Evaluator::unexpected() const {
  if (token.kind == Kind::End)
    return wrong("a number or a name is missing at the end");
  return wrong("\"{}\" does not belong there", token.text);
}

Result<Number> Evaluator::combine(const Number &a, std::string_view op,
                                  const Number &b) const {
  return valueOf ? apply(a, op, b) : Number(int64_t(0));
}

/// Operands with operators between them, from left to right.
Result<Number>
Evaluator::chain(Operand operand,
                 std::initializer_list<std::string_view> operators) {
  Result<Number> value = (this->*operand)();
  while (value.ok()) {
    std::string_view op = token.text;
    if (std::find(operators.begin(), operators.end(), op) == operators.end())
      return value;
    advance();
    Result<Number> next = (this->*operand)();
    if (!next.ok())
      return next;
    value = combine(*value, op, *next);
  }
  return value;
}

Result<Number> Evaluator::sum() {
  if (depth > kMaxNesting)
    return wrong("more than {} parentheses or signs are in one another",
                 kMaxNesting);
  return chain(&Evaluator::product, {"+", "-"});
}

Result<Number> Evaluator::product() {
  return chain(&Evaluator::factor, {"*", "/", "mod", "floordiv", "ceildiv"});
}

Result<Number> Evaluator::close(Result<Number> value) {
  if (value.ok() && !take(")"))
    return token.kind == Kind::End ? wrong("a \")\" is missing at the end")
                                   : unexpected();
  return value;
}

Result<Number> Evaluator::extreme(bool isMin) {
  if (!take("("))
    return unexpected();
  Result<Number> best = sum();
  while (best.ok() && take(",")) {
    Result<Number> next = sum();
    if (!next.ok())
      return next;
    if (isMin ? isLess(*next, *best) : isLess(*best, *next))
      best = next;
  }
  return close(best);
}

Result<Number> Evaluator::number() {
  std::optional<Number> value = parseNumber(token.text);
  if (!value)
    return wrong("{} {}", token.text, kOverflow);
  advance();
  return *value;
}

Result<Number> Evaluator::name() {
  Number none = int64_t(0);
  const Number *value = valueOf ? (*valueOf)(token.text) : &none;
  if (!value)
    return wrong("there is no parameter \"{}\"", token.text);
  advance();
  return *value;
}

Result<Number> Evaluator::factor() {
  struct Deeper {
    explicit Deeper(unsigned &depth) : depth(depth) { ++depth; }
    ~Deeper() { --depth; }
    unsigned &depth;
  } deeper(depth);
  if (depth > kMaxNesting)
    return sum(); // Which says so.
  if (take("-")) {
    Result<Number> value = factor();
    return value.ok() ? combine(Number(int64_t(0)), "-", *value) : value;
  }
  if (take("("))
    return close(sum());
  if (token.kind == Kind::Number)
    return number();
  if (bool isMin = token.text == "min"; isMin || token.text == "max") {
    advance();
    return extreme(isMin);
  }
  if (token.kind == Kind::Name && !isWord(token.text))
    return name();
  return unexpected();
}

Result<Number> Evaluator::evaluate() {
  Result<Number> value = sum();
  if (value.ok() && token.kind != Kind::End)
    return unexpected();
  return value;
}

Result<Number> vm::evaluate(std::string_view expression,
                            const ValueOfName &valueOf) {
  return Evaluator(expression, &valueOf).evaluate();
}

bool vm::isWellFormed(std::string_view expression) {
  return Evaluator(expression, nullptr).evaluate().ok();
}
