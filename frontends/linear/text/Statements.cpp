//===- Statements.cpp - reads the lines that an outline has found ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, integers and names of buffers, and the directives made of these.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Statements.h"

#include "frontends/linear/text/Literal.h"
#include "runtime/base/Printable.h"

#include <bit>

namespace vm::linear {

//===--- Tokens -----------------------------------------------------------===//

uint64_t StatementReader::countOperands() const {
  LineLexer after = lexer_;
  if (after.peek().kind == TokenKind::End)
    return 0;
  uint64_t count = 1;
  while (after.peek().kind != TokenKind::End)
    count += after.take().is(',');
  return count;
}

Token StatementReader::findStray() const {
  LineLexer after = lexer_;
  while (after.peek().kind != TokenKind::End &&
         after.peek().kind != TokenKind::Stray)
    after.take();
  return after.peek();
}

std::nullopt_t StatementReader::failExpected(const Token &token,
                                             std::string_view what) {
  return fail(token.where, "{} stands where {} is expected.", quote(token),
              what);
}

bool StatementReader::expect(char symbol) {
  if (takeIf(symbol))
    return true;
  failExpected(peek(), std::string("\"") + symbol + "\"");
  return false;
}

bool StatementReader::expectEnd() {
  if (peek().kind == TokenKind::End)
    return true;
  failExpected(peek(), "the end of the line");
  return false;
}

//===--- Names ------------------------------------------------------------===//

const Symbol *StatementReader::find(std::string_view name,
                                    SymbolKind kind) const {
  auto found = context_.outline.symbols.find(name);
  bool isKind =
      found != context_.outline.symbols.end() && found->second.kind == kind;
  return isKind ? &found->second : nullptr;
}

/// Its number; empty where its definition is wrong.
std::optional<std::string_view>
StatementReader::findConstant(const Token &name) {
  if (const Symbol *symbol = find(name.text, SymbolKind::Constant))
    return context_.outline.constants[symbol->index].number;
  if (isDoubtful(name.text, SymbolKind::Constant))
    return std::string_view();
  return fail(name.where, "There is no constant {}.", quote(name));
}

std::optional<uint32_t> StatementReader::readBuffer() {
  Token name = take();
  if (name.kind != TokenKind::Name)
    return failExpected(name, "the name of a buffer");
  if (const Symbol *symbol = find(name.text, SymbolKind::Buffer))
    return symbol->index;
  if (isDoubtful(name.text, SymbolKind::Buffer))
    return static_cast<uint32_t>(context_.program.buffers.size());
  return fail(name.where, "There is no buffer {}.", quote(name));
}

/// `(buffer)` after base or size.
std::optional<uint32_t> StatementReader::readProperty(bool isBase) {
  if (!expect('('))
    return std::nullopt;
  std::optional<uint32_t> index = readBuffer();
  if (!index || !expect(')'))
    return std::nullopt;
  if (*index >= context_.program.buffers.size())
    return 1;
  const Buffer &buffer = context_.program.buffers[*index];
  return isBase ? buffer.base : buffer.size;
}

//===--- Values -----------------------------------------------------------===//

static bool isWordNumber(std::string_view text) {
  return text == "inf" || text == "nan";
}

std::optional<uint32_t> StatementReader::readValue() {
  Token token = take();
  if (token.text == "base" || token.text == "size") {
    std::optional<uint32_t> value = readProperty(token.text == "base");
    if (!value)
      return std::nullopt;
    return std::bit_cast<uint32_t>(static_cast<float>(*value));
  }
  std::string_view number = token.text;
  bool isConstant = token.kind == TokenKind::Name && !isReserved(token.text);
  if (isConstant) {
    std::optional<std::string_view> found = findConstant(token);
    if (!found)
      return std::nullopt;
    number = found->empty() ? "0" : *found;
  } else if ((token.kind != TokenKind::Number && !isWordNumber(token.text)) ||
             !isNumber(token.text)) {
    return failExpected(token, "a number or a constant");
  }
  std::optional<uint32_t> bits = toBits(number);
  if (!bits)
    return fail(token.where,
                "{} is out of the range of f32, whose least normal number is "
                "1.1754944e-38 and whose largest is 3.4028235e+38.",
                quote(token));
  return bits;
}

std::optional<std::string_view>
StatementReader::readAmount(std::string_view what) {
  Token token = take();
  bool isWord = isWordNumber(token.text);
  if ((token.kind != TokenKind::Number && !isWord) || !isNumber(token.text))
    return failExpected(token, "a number");
  std::optional<uint32_t> bits = toBits(token.text);
  bool isFinite = bits && (*bits & 0x7f800000) != 0x7f800000;
  bool isNegative = bits && (*bits >> 31) && (*bits << 1);
  if (!isFinite || isNegative)
    return fail(token.where,
                "{} is out of the range of {}, a finite f32 of at least 0.",
                quote(token), what);
  return token.text;
}

std::optional<uint32_t>
StatementReader::readInteger(const IntegerRange &range) {
  Token token = take();
  auto misfit = [&] {
    return failExpected(token, fmt::format("an integer in the range {} to {}",
                                           range.min, range.max));
  };
  std::optional<int64_t> value;
  if (token.kind == TokenKind::Number) {
    if (!isDigits(token.text))
      return misfit();
    value = toInteger(token.text);
  } else if (token.text == "size" && range.takesSize) {
    value = readProperty(/*isBase=*/false);
  } else if (token.kind != TokenKind::Name || isReserved(token.text)) {
    return misfit();
  } else if (auto number = findConstant(token)) {
    value = number->empty() ? range.min : toInteger(*number);
    if (!value)
      return fail(token.where,
                  "The constant {} ({}) is no integer, which is expected here.",
                  quote(token), printable(*number));
  }
  if (!value)
    return std::nullopt;
  if (*value < range.min || *value > range.max)
    return fail(token.where, "{} is out of the range of {} ({} to {}).",
                quote(token), range.what, range.min, range.max);
  return static_cast<uint32_t>(*value);
}

//===--- Settings ---------------------------------------------------------===//

static bool readProgramName(StatementReader &reader, Program &program) {
  Token name = reader.take();
  if (name.kind != TokenKind::Name)
    reader.failExpected(name, "the name of the program");
  else if (isReserved(name.text))
    reader.fail(name.where, "The name {} is reserved.", quote(name));
  else
    program.name = name.text;
  return !program.name.empty();
}

static bool readState(StatementReader &reader, Program &program) {
  Token type = reader.take();
  program.f16State = type.text == "f16";
  if (program.f16State || type.text == "f32")
    return true;
  reader.failExpected(type, "the type of the state, f32 or f16,");
  return false;
}

static bool readInto(StatementReader &reader, uint32_t &value,
                     const IntegerRange &range) {
  std::optional<uint32_t> read = reader.readInteger(range);
  value = read.value_or(value);
  return read.has_value();
}

static bool readSetting(StatementReader &reader, Setting setting,
                        Program &program) {
  switch (setting) {
  case Setting::Program:
    return readProgramName(reader, program);
  case Setting::State:
    return readState(reader, program);
  case Setting::Stack:
    return readInto(reader, program.stack, {"a stack", 1, kMaxStack});
  case Setting::Budget:
    return readInto(reader, program.budget, {"a budget", 1, kMaxBudget});
  case Setting::Tolerance: {
    auto number = reader.readAmount("a tolerance");
    if (number) // Without the sign of -0.
      program.toleranceBits = *toBits(*number) & 0x7fffffff;
    return number.has_value();
  }
  case Setting::Threshold:
    break;
  }
  auto number = reader.readAmount("a threshold");
  if (number)
    program.threshold = toDouble(*number);
  return number.has_value();
}

void readSettings(AssemblyContext &context) {
  for (const auto &[setting, line] : context.outline.settings) {
    StatementReader reader(context, line);
    reader.take();
    if (readSetting(reader, setting, context.program))
      reader.expectEnd();
  }
}

//===--- Buffers ----------------------------------------------------------===//

static bool readKind(StatementReader &reader, BufferKind &kind) {
  Token word = reader.take();
  for (BufferKind each :
       {BufferKind::In, BufferKind::Out, BufferKind::InOut, BufferKind::Temp})
    if (word.text == toString(each)) {
      kind = each;
      return true;
    }
  reader.failExpected(word, "a kind of buffer (in, out, inout or temp)");
  return false;
}

void placeBuffers(std::vector<Buffer> &buffers) {
  uint32_t base = 0;
  for (bool isInput : {true, false})
    for (Buffer &buffer : buffers)
      if ((buffer.kind == BufferKind::In) == isInput) {
        buffer.base = base;
        base += buffer.size;
      }
}

void readBuffers(AssemblyContext &context) {
  uint64_t words = 0;
  for (size_t i = 0; i < context.outline.buffers.size(); ++i) {
    const SourceLine &line = context.outline.buffers[i];
    Buffer buffer;
    buffer.name = context.outline.bufferNames[i];
    buffer.line = line.number;
    buffer.size = 1;
    StatementReader reader(context, line);
    reader.take();
    reader.take();
    Token sizeToken = reader.peek();
    bool isRead =
        readInto(reader, buffer.size, {"a size", 1, kMaxSharedWords, false});
    uint64_t before = words;
    words += buffer.size;
    if (words > kMaxSharedWords && before <= kMaxSharedWords)
      reader.fail(sizeToken.where,
                  "The buffers together are out of range: with {} they have {} "
                  "words (the limit is {}).",
                  printable(buffer.name), words, kMaxSharedWords);
    else if (isRead && readKind(reader, buffer.kind))
      reader.expectEnd();
    context.program.buffers.push_back(std::move(buffer));
  }
  if (words <= kMaxSharedWords)
    placeBuffers(context.program.buffers);
}

} // namespace vm::linear
