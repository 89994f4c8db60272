//===- Outline.cpp - the symbols of an assembly text ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error must not lead to others that only follow from it. After a line that
// may have been meant to begin a routine or a phase, nothing is said of lines
// that stand outside of one; a name that could not be defined is `doubtful`.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Outline.h"

#include "frontends/linear/text/Literal.h"
#include "frontends/linear/text/Words.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm::linear {

LineLexer lexStatement(std::string_view text, const SourceLine &line) {
  LineLexer lexer(textOf(text, line), line.number);
  LineLexer after = lexer;
  if (after.take().kind == TokenKind::Name && after.takeIf(':'))
    return after;
  return lexer;
}

static const char *toString(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Constant:
    return "constant";
  case SymbolKind::Buffer:
    return "buffer";
  case SymbolKind::Routine:
    return "routine";
  case SymbolKind::Phase:
    break;
  }
  return "phase";
}

//===--- The pass ---------------------------------------------------------===//

namespace {

class Outliner {
public:
  Outliner(std::string_view text, Program &program, SourceErrors &errors)
      : text_(text), program_(program), errors_(errors) {}

  Outline run();

private:
  void readLine();
  void readLabel(const Token &name);
  void readDirective(const Token &word, LineLexer &lexer);
  void readRun(const Token &word);
  void readInstruction(const Token &word, LineLexer &lexer);
  void addInstruction(const Token &word, const OpcodeInfo *info);
  void refuseMnemonic(const Token &word, LineLexer &lexer);
  void readSetting(Setting setting, const Token &word);
  void readConstant(LineLexer &lexer);
  void readBuffer(LineLexer &lexer);
  void readRoutine(const Token &word, LineLexer &lexer);
  void readPhase(const Token &word, LineLexer &lexer);

  bool define(LineLexer &lexer, SymbolKind kind, size_t index);
  bool isFree(const Token &name, SymbolKind kind);
  bool readNumber(LineLexer &lexer, std::string_view &number);
  void endRoutine();
  void endPhase();
  void loseTrack();
  bool inRoutine() const { return !program_.routines.empty(); }

  template <typename... Args>
  bool fail(SourceLocation where, fmt::format_string<Args...> format,
            Args &&...args) {
    if (errors_.keeps(where))
      errors_.add(where, fmt::format(format, std::forward<Args>(args)...));
    return false;
  }

  std::string_view text_;
  Program &program_;
  SourceErrors &errors_;
  Outline outline_;
  SourceLine line_;
  /// All labels and where each name first is one.
  std::unordered_map<std::string_view, uint32_t> labelLines_;
  SourceLocation routineAt_, phaseAt_; ///< Of the directives.
  SourceLocation lastInstructionAt_;
  SourceLocation danglingAt_; ///< Of the last label of the routine.
  /// A line that is wrong may have been meant to begin one.
  bool maybeRoutine_ = false, maybePhase_ = false;
};

} // namespace

Outline Outliner::run() {
  SourceLines lines(text_);
  while (lines.next(line_))
    readLine();
  endRoutine();
  endPhase();
  if (outline_.phases.empty() && !maybePhase_)
    fail({lines.lastNumber(), 1}, "The program is empty: it has no phase.");
  return std::move(outline_);
}

void Outliner::readLine() {
  LineLexer lexer(textOf(text_, line_), line_.number);
  Token word = lexer.take();
  if (word.kind == TokenKind::Name && lexer.takeIf(':')) {
    readLabel(word);
    word = lexer.take();
  }
  switch (word.kind) {
  case TokenKind::End:
    return;
  case TokenKind::Directive:
    return readDirective(word, lexer);
  case TokenKind::Name:
    return word.text == "run" ? readRun(word) : readInstruction(word, lexer);
  default:
    fail(word.where,
         "{} stands where a label, a directive or a mnemonic is expected.",
         quote(word));
    loseTrack();
    if (inRoutine())
      addInstruction(word, nullptr);
  }
}

/// After a line that may have been anything.
void Outliner::loseTrack() {
  maybePhase_ = true;
  maybeRoutine_ = true;
  outline_.isCountUnsure = true;
}

void Outliner::readLabel(const Token &name) {
  if (!inRoutine()) {
    if (!maybeRoutine_)
      fail(name.where, "The label {} stands outside of a routine.",
           quote(name));
    maybeRoutine_ = true;
    return;
  }
  auto routine = static_cast<uint32_t>(program_.routines.size() - 1);
  danglingAt_ = name.where;
  auto symbol = outline_.symbols.find(name.text);
  bool isRoutine = symbol != outline_.symbols.end() &&
                   symbol->second.kind == SymbolKind::Routine;
  if (isReserved(name.text))
    fail(name.where, "The name {} is reserved.", quote(name));
  else if (isRoutine)
    fail(name.where,
         "{} is defined as a label, but line {} has a routine of that name.",
         quote(name), symbol->second.line);
  auto number = static_cast<uint32_t>(program_.instructions.size());
  bool isNew = outline_.labels.try_emplace({routine, name.text}, number).second;
  if (!isNew && !maybeRoutine_)
    fail(name.where, "The label {} is defined twice in routine \"{}\".",
         quote(name), printable(program_.routines.back().name));
  labelLines_.try_emplace(name.text, line_.number);
  program_.labels.push_back({std::string(name.text), number, line_.number});
}

//===--- Instructions and launches ----------------------------------------===//

void Outliner::readRun(const Token &word) {
  if (!outline_.phases.empty()) {
    outline_.phases.back().runs.push_back(line_);
    return;
  }
  if (!maybePhase_)
    fail(word.where, "\"run\" stands outside of a phase.");
  maybePhase_ = true;
}

void Outliner::readInstruction(const Token &word, LineLexer &lexer) {
  const OpcodeInfo *info = lookUpMnemonic(word.text);
  if (inRoutine() || maybeRoutine_) {
    if (!info)
      refuseMnemonic(word, lexer);
    if (inRoutine())
      addInstruction(word, info);
    return;
  }
  fail(word.where, "{} stands outside of a routine.", quote(word));
  maybeRoutine_ = true;
  maybePhase_ |= !info;
  outline_.isCountUnsure = true;
}

/// Also where a directive lacks its point.
void Outliner::refuseMnemonic(const Token &word, LineLexer &lexer) {
  bool lacksPoint = isDirective(fmt::format(".{}", word.text.substr(0, 16)));
  if (errors_.keeps(word.where))
    fail(word.where, "{} is no mnemonic{}.", quote(word),
         mnemonicAdvice(word.text));
  maybePhase_ = true;
  if (!lacksPoint)
    return;
  maybeRoutine_ = true;
  if (lexer.peek().kind == TokenKind::Name)
    outline_.doubtful.insert(lexer.peek().text);
}

void Outliner::addInstruction(const Token &word, const OpcodeInfo *info) {
  size_t number = program_.instructions.size();
  if (number == kMaxInstructions) {
    if (!outline_.isCountUnsure)
      fail(word.where, "Instruction {} is out of range (0 to {}).", number,
           kMaxInstructions - 1);
    outline_.isCountUnsure = true;
    return;
  }
  lastInstructionAt_ = word.where;
  outline_.instructions.push_back({line_, info});
  program_.instructions.push_back({info ? info->opcode : Opcode::Halt});
  program_.lines.push_back(line_.number);
  ++program_.routines.back().count;
}

//===--- Directives -------------------------------------------------------===//

void Outliner::readDirective(const Token &word, LineLexer &lexer) {
  for (unsigned i = 0; i < kSettings; ++i)
    if (word.text == directiveOf(static_cast<Setting>(i)))
      return readSetting(static_cast<Setting>(i), word);
  if (word.text == ".const")
    return readConstant(lexer);
  if (word.text == ".buffer")
    return readBuffer(lexer);
  if (word.text == ".routine")
    return readRoutine(word, lexer);
  if (word.text == ".phase" || word.text == ".flow")
    return readPhase(word, lexer);
  if (errors_.keeps(word.where))
    fail(word.where, "{} is no directive{}.", quote(word),
         directiveAdvice(word.text));
  loseTrack();
  if (lexer.peek().kind == TokenKind::Name)
    outline_.doubtful.insert(lexer.peek().text);
}

void Outliner::readSetting(Setting setting, const Token &word) {
  uint32_t &line = program_.settingLines[static_cast<size_t>(setting)];
  if (line != 0) {
    fail(word.where, "{} is defined twice (first in line {}).", quote(word),
         line);
    return;
  }
  line = line_.number;
  outline_.settings.emplace_back(setting, line_);
}

bool Outliner::isFree(const Token &name, SymbolKind kind) {
  if (isReserved(name.text))
    return fail(name.where, "The name {} is reserved.", quote(name));
  if (kind == SymbolKind::Buffer && isOutputName(name.text))
    return fail(name.where,
                "The name {} is reserved: each program has an output of that "
                "name.",
                quote(name));
  auto symbol = outline_.symbols.find(name.text);
  if (symbol != outline_.symbols.end())
    return fail(name.where, "{} is defined twice (first as a {} in line {}).",
                quote(name), toString(symbol->second.kind),
                symbol->second.line);
  auto label = labelLines_.find(name.text);
  if (kind == SymbolKind::Routine && label != labelLines_.end())
    return fail(name.where,
                "{} is defined as a routine, but line {} has a label of that "
                "name.",
                quote(name), label->second);
  return true;
}

/// The name of a constant, buffer, routine or phase.
bool Outliner::define(LineLexer &lexer, SymbolKind kind, size_t index) {
  Token name = lexer.take();
  if (name.kind != TokenKind::Name) {
    outline_.isNameMissing[static_cast<size_t>(kind)] = true;
    return fail(name.where, "{} stands where the name of a {} is expected.",
                quote(name), toString(kind));
  }
  if (!isFree(name, kind)) {
    outline_.doubtful.insert(name.text);
    return false;
  }
  outline_.symbols.emplace(
      name.text, Symbol{kind, static_cast<uint32_t>(index), line_.number});
  return true;
}

bool Outliner::readNumber(LineLexer &lexer, std::string_view &number) {
  Token token = lexer.take();
  bool isWord = token.text == "inf" || token.text == "nan";
  if ((token.kind != TokenKind::Number && !isWord) || !isNumber(token.text))
    return fail(token.where, "{} stands where a number is expected.",
                quote(token));
  if (!toBits(token.text))
    return fail(token.where,
                "{} is out of the range of f32, whose least normal number is "
                "1.1754944e-38 and whose largest is 3.4028235e+38.",
                quote(token));
  if (lexer.peek().kind != TokenKind::End)
    return fail(lexer.peek().where,
                "{} stands where the end of the line is expected.",
                quote(lexer.peek()));
  number = token.text;
  return true;
}

void Outliner::readConstant(LineLexer &lexer) {
  if (!define(lexer, SymbolKind::Constant, outline_.constants.size()))
    return;
  Constant &constant = outline_.constants.emplace_back();
  readNumber(lexer, constant.number);
}

void Outliner::readBuffer(LineLexer &lexer) {
  std::string_view name = lexer.peek().text;
  if (!define(lexer, SymbolKind::Buffer, outline_.buffers.size()))
    return;
  outline_.buffers.push_back(line_);
  outline_.bufferNames.push_back(name);
}

void Outliner::readRoutine(const Token &word, LineLexer &lexer) {
  endRoutine();
  maybeRoutine_ = false;
  routineAt_ = word.where;
  std::string name(lexer.peek().text);
  bool isDefined = define(lexer, SymbolKind::Routine, program_.routines.size());
  if (isDefined && lexer.peek().kind != TokenKind::End)
    fail(lexer.peek().where, "{} stands where the end of the line is expected.",
         quote(lexer.peek()));
  auto first = static_cast<uint32_t>(program_.instructions.size());
  program_.routines.push_back({std::move(name), first, 0, line_.number});
}

void Outliner::readPhase(const Token &word, LineLexer &lexer) {
  endPhase();
  maybePhase_ = false;
  phaseAt_ = word.where;
  OutlinedPhase phase{
      line_, lexer.peek().text, word.text == ".flow", false, {}};
  phase.isWrong = !define(lexer, SymbolKind::Phase, outline_.phases.size());
  outline_.phases.push_back(std::move(phase));
}

//===--- Ends -------------------------------------------------------------===//

void Outliner::endRoutine() {
  if (!inRoutine() || maybeRoutine_)
    return;
  const Routine &routine = program_.routines.back();
  std::string name = printable(routine.name);
  if (routine.count == 0) {
    fail(routineAt_, "Routine \"{}\" is empty: it has no instruction.", name);
    return;
  }
  const OpcodeInfo *last = outline_.instructions.back().info;
  if (last && !endsRoutine(last->opcode)) {
    fail(lastInstructionAt_,
         "\"{}\" can not be the end of routine \"{}\", only JUMP, RETURN, HALT "
         "and KILL can.",
         last->text, name);
    return;
  }
  bool dangles =
      !program_.labels.empty() &&
      program_.labels.back().instruction == program_.instructions.size();
  if (last && dangles)
    fail(danglingAt_,
         "The label \"{}\" stands after the end of routine \"{}\".",
         printable(program_.labels.back().name), name);
}

void Outliner::endPhase() {
  if (outline_.phases.empty() || maybePhase_)
    return;
  const OutlinedPhase &phase = outline_.phases.back();
  if (phase.runs.empty())
    fail(phaseAt_, "Phase \"{}\" is empty: it has no run.",
         printable(phase.name));
}

Outline outline(std::string_view text, Program &program, SourceErrors &errors) {
  return Outliner(text, program, errors).run();
}

} // namespace vm::linear
