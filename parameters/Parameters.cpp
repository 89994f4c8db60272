//===- Parameters.cpp - programs with named sizes -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parameters/Parameters.h"

#include "parameters/Expression.h"
#include "parameters/Places.h"
#include "runtime/base/NearName.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

using namespace vm;

static constexpr std::string_view kOperation = "gpuvm.parameter";
static constexpr size_t kMaxParameters = 4096;

bool vm::mayHaveParameters(std::string_view text) {
  return text.find(kOperation) != text.npos;
}

//===----------------------------------------------------------------------===//
// Columns and values
//===----------------------------------------------------------------------===//

size_t FilledText::columnInFile(size_t line, size_t column) const {
  auto found = lines.find(line);
  if (found == lines.end())
    return column;
  size_t result = column;
  for (const Change &change : found->second.changes) {
    if (column < change.inText)
      break;
    size_t end = change.inText + change.textBytes;
    result = column < end ? change.inFile
                          : change.inFile + change.fileBytes + (column - end);
  }
  return result;
}

size_t FilledText::columnInText(size_t line, size_t column) const {
  auto found = lines.find(line);
  if (found == lines.end())
    return column;
  size_t result = column;
  for (const Change &change : found->second.changes) {
    if (column < change.inFile)
      break;
    size_t end = change.inFile + change.fileBytes;
    result = column < end ? change.inText
                          : change.inText + change.textBytes + (column - end);
  }
  return result;
}

std::string FilledText::valuesAt(size_t line) const {
  auto found = lines.find(line);
  std::vector<std::string> shown;
  for (const auto &[name, value] : values) {
    auto has = [&](const std::vector<std::string> &names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (has(set) || (found != lines.end() && has(found->second.names)))
      shown.push_back(fmt::format("{} = {}", name, value));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

namespace {

/// A number of a declaration as it is written, or a place.
struct Operand {
  size_t begin = 0;
  std::string_view text;

  bool isPlace() const { return text.starts_with('@'); }
};

/// Reads a line from left to right.
class LineReader {
public:
  explicit LineReader(std::string_view line) : line(line) {}

  size_t at() const { return position; }
  void skipBlanks() {
    position = std::min(line.find_first_not_of(" \t", position), line.size());
  }
  std::string_view rest() const { return line.substr(position); }
  bool take(std::string_view text) {
    skipBlanks();
    if (!rest().starts_with(text))
      return false;
    position += text.size();
    return true;
  }
  /// Up to a blank or "=".
  bool take(std::string &name) {
    name = rest().substr(0, rest().find_first_of(" \t="));
    position += name.size();
    return true;
  }
  /// Up to a blank, or with the @ that ends what one begins.
  bool take(Operand &operand) {
    skipBlanks();
    size_t size = rest().starts_with('@') ? rest().find('@', 1) + 1
                                          : rest().find_first_of(" \t\r\"{");
    operand = {position, rest().substr(0, size == 0 ? rest().npos : size)};
    position += operand.text.size();
    return !operand.text.empty();
  }

private:
  std::string_view line;
  size_t position = 0;
};

struct Declaration {
  std::string name;
  size_t line = 0, column = 0;
  Operand initial;
  std::optional<Operand> least, greatest;
  Number value = int64_t(0);
  bool isUsed = false;
};

} // namespace

namespace vm {

class TextFiller {
public:
  TextFiller(std::string_view text, const Settings &settings,
             FilledText &filled, ParameterError &error)
      : text(text), settings(settings), filled(filled), error(error) {}

  bool run();

private:
  bool declareAll();
  bool declare(std::string_view line, size_t number);
  bool checkSettings();
  bool computeAll();
  bool checkBound(const Declaration &declaration, const Operand &bound,
                  bool isLeast);
  std::optional<Number> valueOf(const Declaration &at, const Operand &operand);
  std::optional<Number> numberOf(std::string_view text, size_t line,
                                 size_t column);
  std::optional<Number> set(const Declaration &declaration, const Number &old,
                            const std::string &text);
  bool findChanges(std::string_view line, size_t number,
                   std::vector<Replacement> &changes,
                   std::vector<std::string> &names);
  bool writeLine(std::string_view line, size_t number);
  bool isPlace(std::string_view content) const;
  bool fail(std::string message, size_t line = 0, size_t column = 0);
  bool failUnknown(std::string_view name, size_t line, size_t column);
  template <typename Body> bool forEachLine(Body body) const;

  std::string_view text;
  const Settings &settings;
  FilledText &filled;
  ParameterError &error;
  std::vector<Declaration> declarations;
  std::map<std::string, size_t, std::less<>> byName;
  size_t numComputed = 0;
};

} // namespace vm

bool TextFiller::fail(std::string message, size_t line, size_t column) {
  error = {std::move(message), line, column};
  return false;
}

/// Calls `body` with each line and its number, from 1, while it is true.
template <typename Body> bool TextFiller::forEachLine(Body body) const {
  size_t begin = 0;
  for (size_t number = 1; begin <= text.size(); ++number) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (!body(text.substr(begin, end - begin), number))
      return false;
    begin = end + 1;
  }
  return true;
}

/// Whether the line is a declaration, after which `reader` is.
static bool isDeclaration(LineReader &reader) {
  if (!reader.take(kOperation))
    return false;
  size_t end = reader.at();
  reader.skipBlanks();
  return reader.at() > end &&
         !reader.rest().starts_with("@\""); // Of a part with any name.
}

/// Reads what follows the name of the operation. False if it is not so written.
static bool readDeclaration(LineReader &reader, Declaration &made) {
  if (!reader.take("@") || !reader.take(made.name) || !reader.take("=") ||
      !reader.take(made.initial))
    return false;
  if (!reader.take("in "))
    return true;
  return reader.take(made.least.emplace()) && reader.take("to ") &&
         reader.take(made.greatest.emplace());
}

bool TextFiller::declare(std::string_view line, size_t number) {
  LineReader reader(line);
  if (!isDeclaration(reader))
    return true;
  Declaration made;
  made.line = number;
  made.column = reader.at() + 1;
  if (!readDeclaration(reader, made)) {
    reader.skipBlanks();
    return fail("a parameter is declared in one line: gpuvm.parameter @NAME = "
                "NUMBER, perhaps with in LEAST to GREATEST after it",
                number, reader.at() + 1);
  }
  if (!isParameterName(made.name))
    return fail(
        fmt::format("\"{}\" is no name of a parameter (letters, digits, "
                    "\"_\" and \".\", no word such as min)",
                    printable(made.name)),
        number, made.column);
  if (declarations.size() == kMaxParameters)
    return fail(
        fmt::format("there are more than {} parameters", kMaxParameters),
        number, made.column);
  if (!byName.emplace(made.name, declarations.size()).second)
    return fail(fmt::format("there is another parameter \"{}\", in line {}",
                            made.name, declarations[byName.at(made.name)].line),
                number, made.column);
  declarations.push_back(std::move(made));
  return true;
}

bool TextFiller::declareAll() {
  return forEachLine([&](std::string_view line, size_t number) {
    return declare(line, number);
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool TextFiller::failUnknown(std::string_view name, size_t line,
                             size_t column) {
  std::vector<std::string> names;
  for (const Declaration &declaration : declarations)
    names.push_back(declaration.name);
  std::string near = didYouMean(name, names);
  std::string known =
      names.empty() ? "the text declares none"
                    : fmt::format("parameters: {}", fmt::join(names, ", "));
  return fail(fmt::format("there is no parameter \"{}\" ({}{}{})",
                          printable(name), near, near.empty() ? "" : " ",
                          known),
              line, column);
}

bool TextFiller::checkSettings() {
  std::set<std::string_view> names;
  for (const auto &[name, value] : settings) {
    if (!byName.contains(name))
      return failUnknown(name, 0, 0);
    if (!names.insert(name).second)
      return fail(
          fmt::format("the parameter \"{}\" is set more than once", name));
  }
  return true;
}

/// The value of an expression, or of a number.
std::optional<Number> TextFiller::numberOf(std::string_view expression,
                                           size_t line, size_t column) {
  auto valueOf = [&](std::string_view name) -> const Number * {
    auto found = byName.find(name);
    if (found == byName.end() || found->second >= numComputed)
      return nullptr;
    declarations[found->second].isUsed = true;
    return &declarations[found->second].value;
  };
  std::string_view later;
  std::string_view unknown;
  visitNames(expression, [&](std::string_view name) {
    auto found = byName.find(name);
    if (found == byName.end())
      unknown = name;
    else if (found->second >= numComputed)
      later = name;
  });
  if (!unknown.empty()) {
    failUnknown(unknown, line, column);
    return std::nullopt;
  }
  if (!later.empty()) {
    fail(fmt::format(
             "\"{}\" is declared in line {}, and a parameter is computed "
             "from those before it",
             later, declarations[byName.find(later)->second].line),
         line, column);
    return std::nullopt;
  }
  Result<Number> value = evaluate(expression, valueOf);
  if (value.ok())
    return *value;
  fail(fmt::format("in \"{}\": {}", printable(expression),
                   value.status().message()),
       line, column);
  return std::nullopt;
}

std::optional<Number> TextFiller::valueOf(const Declaration &at,
                                          const Operand &operand) {
  std::string_view written = operand.text;
  if (operand.isPlace()) {
    if (written.size() > 1 && written.ends_with('@'))
      return numberOf(written.substr(1, written.size() - 2), at.line,
                      operand.begin + 1);
    fail("a place ends with @", at.line, operand.begin + 1);
    return std::nullopt;
  }
  std::optional<Number> number = parseNumber(written);
  if (!number)
    fail(fmt::format(
             "\"{}\" is no number (from -2^63 to 2^63 - 1; a float has a "
             "point)",
             printable(written)),
         at.line, operand.begin + 1);
  return number;
}

std::optional<Number> TextFiller::set(const Declaration &declaration,
                                      const Number &old,
                                      const std::string &written) {
  size_t line = declaration.line, column = declaration.column;
  if (declaration.initial.isPlace()) {
    fail(fmt::format("\"{}\" is computed from others and cannot be set",
                     declaration.name),
         line, column);
    return std::nullopt;
  }
  std::optional<Number> value = parseNumber(written);
  bool isWhole = std::holds_alternative<int64_t>(old);
  if (value && !isWhole)
    if (auto *integer = std::get_if<int64_t>(&*value))
      value = static_cast<double>(*integer);
  if (value && value->index() == old.index())
    return value;
  fail(fmt::format("\"{}\" is set to \"{}\", which is no {}", declaration.name,
                   printable(written),
                   isWhole ? "whole number of -2^63 to 2^63 - 1" : "number"),
       line, column);
  return std::nullopt;
}

bool TextFiller::checkBound(const Declaration &declaration,
                            const Operand &bound, bool isLeast) {
  std::optional<Number> limit = valueOf(declaration, bound);
  if (!limit)
    return false;
  bool isBeyond = isLeast ? isLess(declaration.value, *limit)
                          : isLess(*limit, declaration.value);
  if (!isBeyond)
    return true;
  return fail(fmt::format("\"{}\" is {}, {} than its {} value ({})",
                          declaration.name, toText(declaration.value),
                          isLeast ? "less" : "more",
                          isLeast ? "least" : "greatest", toText(*limit)),
              declaration.line, declaration.column);
}

bool TextFiller::computeAll() {
  for (Declaration &declaration : declarations) {
    std::optional<Number> value = valueOf(declaration, declaration.initial);
    if (!value)
      return false;
    for (const auto &[name, written] : settings) {
      if (name != declaration.name)
        continue;
      value = set(declaration, *value, written);
      if (!value)
        return false;
      filled.set.push_back(name);
    }
    declaration.value = *value;
    if (declaration.least &&
        (!checkBound(declaration, *declaration.least, true) ||
         !checkBound(declaration, *declaration.greatest, false)))
      return false;
    filled.values.emplace_back(declaration.name, toText(*value));
    ++numComputed;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// What is between two @ is an expression, or wants to be one: all its names
/// are those of parameters.
bool TextFiller::isPlace(std::string_view content) const {
  if (content.empty() || content.front() == ' ' || content.back() == ' ')
    return false;
  size_t names = 0, known = 0;
  bool isExpression = visitNames(content, [&](std::string_view name) {
    ++names;
    known += byName.contains(name);
  });
  return isExpression &&
         (isWellFormed(content) || (names > 0 && names == known));
}

/// The line with blanks in the place of strings and of what follows //.
static std::string codeOf(std::string_view line) {
  std::string code(line);
  bool isString = false;
  for (size_t i = 0; i < code.size(); ++i) {
    if (!isString && line.substr(i).starts_with("//")) {
      code.resize(i);
      break;
    }
    bool isQuote = line[i] == '"';
    bool isInside = isString;
    if (isString && line[i] == '\\' && i + 1 < code.size())
      code[i++] = ' '; // With what it escapes.
    else if (isQuote)
      isString = !isString;
    if (isInside || isQuote)
      code[i] = '"';
  }
  return code;
}

/// What the line is read with. False after an error.
bool TextFiller::findChanges(std::string_view line, size_t number,
                             std::vector<Replacement> &changes,
                             std::vector<std::string> &names) {
  size_t begin = 0; // Of what may have places.
  if (LineReader reader(line); isDeclaration(reader)) {
    auto declared = std::find_if(
        declarations.begin(), declarations.end(),
        [&](const Declaration &each) { return each.line == number; });
    const Operand &initial = declared->initial;
    changes.push_back(
        {initial.begin, initial.text.size(), toText(declared->value)});
    begin = initial.begin + initial.text.size();
  }
  std::string code = codeOf(line);
  auto isPlaceHere = [&](std::string_view content) { return isPlace(content); };
  for (const Place &place :
       findPlaces(std::string_view(code).substr(begin), isPlaceHere)) {
    size_t at = begin + place.begin;
    std::optional<Number> value = numberOf(place.content, number, at + 1);
    if (!value)
      return false;
    visitNames(place.content,
               [&](std::string_view name) { names.emplace_back(name); });
    changes.push_back({at, place.size, toText(*value)});
  }
  return true;
}

bool TextFiller::writeLine(std::string_view line, size_t number) {
  std::vector<Replacement> changes;
  std::vector<std::string> names;
  if (line.find('@') != line.npos && !findChanges(line, number, changes, names))
    return false;
  if (number > 1)
    filled.text += '\n';
  replace(line, changes, filled.text);
  if (changes.empty())
    return true;
  FilledText::Line &changed = filled.lines[number];
  changed.names = std::move(names);
  size_t inFile = 1, inText = 1; // After the last change.
  for (const Replacement &change : changes) {
    inText += change.begin + 1 - inFile;
    inFile = change.begin + 1;
    changed.changes.push_back(
        {inFile, inText, change.size, change.text.size()});
    inFile += change.size;
    inText += change.text.size();
  }
  return true;
}

bool TextFiller::run() {
  if (!declareAll() || !checkSettings() || !computeAll())
    return false;
  bool isWritten = forEachLine([&](std::string_view line, size_t number) {
    return writeLine(line, number);
  });
  if (!isWritten)
    return false;
  for (const auto &[name, value] : settings) {
    const Declaration &declaration = declarations[byName.find(name)->second];
    if (!declaration.isUsed)
      return fail(
          fmt::format("\"{}\" is set, and no place of the text uses it", name),
          declaration.line, declaration.column);
  }
  return true;
}

bool vm::fillParameters(std::string_view text, const Settings &settings,
                        FilledText &filled, ParameterError &error) {
  return TextFiller(text, settings, filled, error).run();
}
