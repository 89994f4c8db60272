//===- Disassembler.cpp - the text of a program ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Disassembler.h"

#include "frontends/linear/executable/Check.h"
#include "frontends/linear/text/Literal.h"
#include "frontends/linear/text/Words.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace vm::linear {
namespace {

class Disassembler {
public:
  explicit Disassembler(const Program &program) : program_(program) {}

  std::string text();
  void appendInstruction(uint32_t number);
  std::string takeText() { return std::move(text_); }

private:
  enum class Kind : uint8_t {
    Label,
    Setting,
    Buffer,
    Routine,
    Instruction,
    Phase,
    Run
  };
  struct Statement {
    uint32_t line;
    Kind kind;
    uint32_t index;
    uint32_t inner = 0; ///< The launch of phase `index`.
  };

  std::vector<Statement> listStatements() const;
  void append(const Statement &statement);
  void appendSetting(Setting setting);
  void appendPhase(const Phase &phase);
  void appendLaunch(const Launch &launch);
  void appendClause(const char *name,
                    const std::optional<std::vector<uint32_t>> &buffers);
  void appendOperand(OperandKind kind, uint32_t operand,
                     const Routine &routine);
  void appendTarget(uint32_t target, bool isCallee, const Routine &routine);
  void appendMask(uint32_t mask);
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text_), format,
                   std::forward<Args>(args)...);
  }

  const Program &program_;
  std::string text_;
};

//===--- Instructions -----------------------------------------------------===//

/// The last of `items`, which ascend by `member`, that is at most `value`.
template <typename Item>
const Item *lastUpTo(const std::vector<Item> &items, uint32_t Item::*member,
                     uint32_t value) {
  auto after = std::ranges::upper_bound(items, value, {}, member);
  return after == items.begin() ? nullptr : &*std::prev(after);
}

void Disassembler::appendTarget(uint32_t target, bool isCallee,
                                const Routine &routine) {
  bool isInside =
      target >= routine.first && target - routine.first < routine.count;
  const Label *label = lastUpTo(program_.labels, &Label::instruction, target);
  if (isInside && label && label->instruction == target) {
    text_ += label->name;
    return;
  }
  const Routine *callee = lastUpTo(program_.routines, &Routine::first, target);
  if (isCallee && callee->first == target)
    text_ += callee->name;
  else
    add("{}", target);
}

void Disassembler::appendMask(uint32_t mask) {
  const char *separator = "";
  for (unsigned i = 0; i < kRegisters; ++i)
    if (mask >> i & 1) {
      add("{}r{}", separator, i);
      separator = ", ";
    }
}

void Disassembler::appendOperand(OperandKind kind, uint32_t operand,
                                 const Routine &routine) {
  switch (kind) {
  case OperandKind::Destination:
  case OperandKind::Source:
    return add("r{}", operand);
  case OperandKind::Registers:
    return appendMask(operand);
  case OperandKind::Memory:
    return add("m{}", operand);
  case OperandKind::Value:
    return add("{}", valueText(operand));
  case OperandKind::Target:
  case OperandKind::Callee:
    break;
  }
  appendTarget(operand, kind == OperandKind::Callee, routine);
}

void Disassembler::appendInstruction(uint32_t number) {
  const Instruction &instruction = program_.instructions[number];
  const Routine &routine =
      *lastUpTo(program_.routines, &Routine::first, number);
  const OpcodeInfo &info =
      *lookUpOpcode(static_cast<uint32_t>(instruction.opcode));
  std::string_view kinds = info.operands;
  text_ += info.text;
  bool isBare = kinds == "s" && instruction.operands[0] == 0;
  for (size_t i = 0; i < kinds.size() && !isBare; ++i) {
    text_ += i == 0 ? " " : ", ";
    appendOperand(static_cast<OperandKind>(kinds[i]), instruction.operands[i],
                  routine);
  }
}

//===--- Directives -------------------------------------------------------===//

void Disassembler::appendSetting(Setting setting) {
  add("{} ", directiveOf(setting));
  switch (setting) {
  case Setting::Program:
    return add("{}", program_.name);
  case Setting::State:
    return add("{}", program_.f16State ? "f16" : "f32");
  case Setting::Stack:
    return add("{}", program_.stack);
  case Setting::Budget:
    return add("{}", program_.budget);
  case Setting::Tolerance:
    return add("{}", valueText(program_.toleranceBits));
  case Setting::Threshold:
    return add("{}", *program_.threshold);
  }
}

void Disassembler::appendPhase(const Phase &phase) {
  std::string_view flow = flowNameOf(phase);
  add("{} {}", flow.empty() ? ".phase" : ".flow",
      flow.empty() ? std::string_view(phase.name) : flow);
  if (phase.spawn != 0)
    add(" spawn={}", phase.spawn);
  if (phase.budget)
    add(" budget={}", *phase.budget);
  if (phase.independent)
    add(" independent");
}

void Disassembler::appendClause(
    const char *name, const std::optional<std::vector<uint32_t>> &buffers) {
  if (!buffers)
    return;
  const char *separator = "=";
  add(" {}", name);
  for (uint32_t buffer : *buffers) {
    add("{}{}", separator, program_.buffers[buffer].name);
    separator = ",";
  }
}

void Disassembler::appendLaunch(const Launch &launch) {
  add("run {} {}", program_.routines[launch.routine].name, launch.count);
  for (const Launch::Initial &initial : launch.initial) {
    bool isRegister = initial.element < kFirstMemory;
    add(" {}{}={}", isRegister ? 'r' : 'm',
        initial.element - (isRegister ? kFirstRegister : kFirstMemory),
        valueText(initial.bits));
  }
  appendClause("reads", launch.reads);
  appendClause("writes", launch.writes);
}

//===--- Lines ------------------------------------------------------------===//

std::vector<Disassembler::Statement> Disassembler::listStatements() const {
  std::vector<Statement> list;
  auto listAll = [&](Kind kind, const auto &items) {
    for (uint32_t i = 0; i < items.size(); ++i)
      list.push_back({items[i].line, kind, i});
  };
  listAll(Kind::Label, program_.labels);
  listAll(Kind::Buffer, program_.buffers);
  listAll(Kind::Routine, program_.routines);
  for (uint32_t i = 0; i < kSettings; ++i)
    if (program_.settingLines[i] != 0)
      list.push_back({program_.settingLines[i], Kind::Setting, i});
  for (uint32_t i = 0; i < program_.lines.size(); ++i)
    list.push_back({program_.lines[i], Kind::Instruction, i});
  for (uint32_t i = 0; i < program_.phases.size(); ++i) {
    const Phase &phase = program_.phases[i];
    if (i == 0 || phase.line != program_.phases[i - 1].line)
      list.push_back({phase.line, Kind::Phase, i});
    for (uint32_t j = 0; j < phase.launches.size(); ++j)
      list.push_back({phase.launches[j].line, Kind::Run, i, j});
  }
  std::ranges::stable_sort(list, {}, &Statement::line);
  return list;
}

void Disassembler::append(const Statement &statement) {
  uint32_t i = statement.index;
  switch (statement.kind) {
  case Kind::Label:
    return add("{}: ", program_.labels[i].name);
  case Kind::Setting:
    return appendSetting(static_cast<Setting>(i));
  case Kind::Buffer:
    return add(".buffer {} {} {}", program_.buffers[i].name,
               program_.buffers[i].size, toString(program_.buffers[i].kind));
  case Kind::Routine:
    return add(".routine {}", program_.routines[i].name);
  case Kind::Instruction:
    return appendInstruction(i);
  case Kind::Phase:
    return appendPhase(program_.phases[i]);
  case Kind::Run:
    return appendLaunch(program_.phases[i].launches[statement.inner]);
  }
}

std::string Disassembler::text() {
  uint32_t line = 1;
  bool isIndented = false; // Something stands in this line.
  for (const Statement &statement : listStatements()) {
    isIndented &= statement.line == line;
    text_.append(statement.line - line, '\n');
    line = statement.line;
    bool isInner =
        statement.kind == Kind::Instruction || statement.kind == Kind::Run;
    if (isInner && !isIndented)
      text_ += "  ";
    append(statement);
    isIndented = true;
  }
  return takeText() + "\n";
}

} // namespace

std::string valueText(uint32_t bits) {
  if (bits == kNanBits)
    return "nan";
  return fmt::format("{}", std::bit_cast<float>(bits));
}

std::string instructionText(const Program &program, uint32_t number) {
  Disassembler disassembler(program);
  disassembler.appendInstruction(number);
  return disassembler.takeText();
}

std::string disassemble(const Program &program) {
  return Disassembler(program).text();
}

} // namespace vm::linear
