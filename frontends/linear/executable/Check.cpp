//===- Check.cpp - validation of programs ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Check.h"

#include "frontends/linear/text/Literal.h"
#include "frontends/linear/text/Words.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace vm::linear {

Status checkProgram(const Program &program) {
  VM_RETURN_IF_ERROR(checkSettings(program));
  VM_RETURN_IF_ERROR(checkBuffers(program));
  VM_RETURN_IF_ERROR(checkCode(program));
  VM_RETURN_IF_ERROR(checkPlan(program));
  return checkLines(program);
}

bool isValueBits(uint32_t bits) {
  float value = std::bit_cast<float>(bits);
  return std::isnan(value) ? bits == kNanBits
                           : std::fpclassify(value) != FP_SUBNORMAL;
}

std::string_view flowNameOf(const Phase &phase) {
  size_t point = phase.name.find('.');
  return point == phase.name.npos
             ? std::string_view()
             : std::string_view(phase.name).substr(0, point);
}

static Status checkName(std::string_view name, const std::string &what) {
  if (!isName(name))
    LINEAR_REFUSE("\"{}\" is no name of {}.", printable(name), what);
  if (isReserved(name))
    LINEAR_REFUSE("\"{}\" is the name of {}, but reserved.", name, what);
  return {};
}

//===--- Settings ---------------------------------------------------------===//

static Status checkThreshold(const Program &program) {
  if (!program.threshold)
    return {};
  double threshold = *program.threshold;
  bool isLiteral =
      std::isfinite(threshold) && toBits(fmt::format("{}", threshold));
  if (!isLiteral || std::signbit(threshold))
    LINEAR_REFUSE("The threshold is {}, which is no f32 of at least 0.",
                  threshold);
  return {};
}

/// A value that no directive of the text gives is the default.
static Status checkGiven(const Program &program) {
  const bool isGiven[kSettings] = {
      !program.name.empty(),          program.f16State,
      program.stack != kDefaultStack, program.budget != kDefaultBudget,
      program.toleranceBits != 0,     program.threshold.has_value()};
  for (unsigned i = 0; i < kSettings; ++i)
    if (isGiven[i] && program.settingLines[i] == 0)
      LINEAR_REFUSE("The program has a {}, but no line with it.",
                    directiveOf(static_cast<Setting>(i)));
  auto lineOf = [&](Setting setting) {
    return program.settingLines[static_cast<size_t>(setting)];
  };
  if (program.name.empty() && lineOf(Setting::Program) != 0)
    LINEAR_REFUSE("Line {} names the program, which has no name.",
                  lineOf(Setting::Program));
  if (!program.threshold && lineOf(Setting::Threshold) != 0)
    LINEAR_REFUSE("Line {} has a threshold, which the program has not.",
                  lineOf(Setting::Threshold));
  return {};
}

Status checkSettings(const Program &program) {
  if (!program.name.empty())
    VM_RETURN_IF_ERROR(checkName(program.name, "a program"));
  if (program.stack < 1 || program.stack > kMaxStack)
    LINEAR_REFUSE("The stack has {} frames (1 to {}).", program.stack,
                  kMaxStack);
  if (program.budget < 1 || program.budget > kMaxBudget)
    LINEAR_REFUSE("The budget is {} (1 to {}).", program.budget, kMaxBudget);
  auto tolerance = std::bit_cast<float>(program.toleranceBits);
  bool isLiteral = isValueBits(program.toleranceBits);
  if (!isLiteral || !std::isfinite(tolerance) || std::signbit(tolerance))
    LINEAR_REFUSE("The tolerance is {}, which is no f32 of at least 0.",
                  tolerance);
  VM_RETURN_IF_ERROR(checkThreshold(program));
  return checkGiven(program);
}

//===--- Buffers ----------------------------------------------------------===//

Status checkBuffers(const Program &program) {
  uint64_t inputs = 0, words = 0;
  std::unordered_set<std::string_view> names;
  for (const Buffer &buffer : program.buffers) {
    VM_RETURN_IF_ERROR(checkName(buffer.name, "a buffer"));
    if (isOutputName(buffer.name) || !names.insert(buffer.name).second)
      LINEAR_REFUSE("The name of buffer \"{}\" is taken.", buffer.name);
    if (buffer.size < 1 || buffer.size > kMaxSharedWords)
      LINEAR_REFUSE("Buffer \"{}\" has {} words (1 to {}).", buffer.name,
                    buffer.size, kMaxSharedWords);
    if (buffer.kind > BufferKind::Temp)
      LINEAR_REFUSE("Buffer \"{}\" has kind {} (0 to 3).", buffer.name,
                    static_cast<unsigned>(buffer.kind));
    words += buffer.size;
    inputs += buffer.kind == BufferKind::In ? buffer.size : 0;
  }
  if (words > kMaxSharedWords)
    LINEAR_REFUSE("The buffers have {} words (the limit is {}).", words,
                  kMaxSharedWords);
  uint64_t next[2] = {inputs, 0};
  for (const Buffer &buffer : program.buffers) {
    uint64_t &base = next[buffer.kind == BufferKind::In];
    if (buffer.base != base)
      LINEAR_REFUSE("Buffer \"{}\" begins at address {}, not {}.", buffer.name,
                    buffer.base, base);
    base += buffer.size;
  }
  return {};
}

//===--- Code -------------------------------------------------------------===//

static Status checkOperand(const Program &program, const Routine &routine,
                           OperandKind kind, uint32_t operand) {
  auto within = [&](uint64_t first, uint64_t after,
                    const char *what) -> Status {
    if (operand >= first && operand < after)
      return {};
    LINEAR_REFUSE("{} {} is out of range ({} to {}).", what, operand, first,
                  after - 1);
  };
  switch (kind) {
  case OperandKind::Destination:
  case OperandKind::Source:
    return within(0, kRegisters, "register");
  case OperandKind::Registers:
    return within(0, 1u << kRegisters, "mask of registers");
  case OperandKind::Memory:
    return within(0, kMemories, "memory");
  case OperandKind::Target:
    return within(routine.first, uint64_t(routine.first) + routine.count,
                  "target");
  case OperandKind::Callee:
    return within(0, program.instructions.size(), "target");
  case OperandKind::Value:
    break;
  }
  if (!isValueBits(operand))
    LINEAR_REFUSE("value 0x{:08x} is subnormal or another NaN than 0x{:08x}.",
                  operand, kNanBits);
  return {};
}

static Status checkInstruction(const Program &program, const Routine &routine,
                               uint32_t number) {
  const Instruction &instruction = program.instructions[number];
  auto code = static_cast<uint32_t>(instruction.opcode);
  const OpcodeInfo *info = lookUpOpcode(code);
  if (!info)
    LINEAR_REFUSE("Instruction {} has the opcode {}, which is reserved.",
                  number, code);
  std::string_view kinds = info->operands;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    uint32_t operand = instruction.operands[i];
    if (i >= kinds.size() && operand != 0)
      LINEAR_REFUSE("Instruction {} ({}) has {} as operand {}, of {}.", number,
                    info->text, operand, i, kinds.size());
    if (i >= kinds.size())
      continue;
    Status status = checkOperand(program, routine,
                                 static_cast<OperandKind>(kinds[i]), operand);
    if (!status.ok())
      LINEAR_REFUSE("Instruction {} ({}), operand {}: {}", number, info->text,
                    i, status.message());
  }
  return {};
}

static Status checkRoutine(const Program &program, const Routine &routine) {
  for (uint32_t i = 0; i < routine.count; ++i)
    VM_RETURN_IF_ERROR(checkInstruction(program, routine, routine.first + i));
  uint32_t last = routine.first + routine.count - 1;
  if (!endsRoutine(program.instructions[last].opcode))
    LINEAR_REFUSE("Routine \"{}\" can be run out of: its last instruction is "
                  "none of JUMP, RETURN, HALT, KILL.",
                  routine.name);
  return {};
}

static Status checkLabels(const Program &program,
                          const std::unordered_set<std::string_view> &taken) {
  std::unordered_set<std::string_view> names;
  size_t routine = 0, last = SIZE_MAX;
  uint32_t atLeast = 0;
  for (const Label &label : program.labels) {
    VM_RETURN_IF_ERROR(checkName(label.name, "a label"));
    if (label.instruction < atLeast ||
        label.instruction >= program.instructions.size())
      LINEAR_REFUSE("Label \"{}\" is at instruction {} ({} to {}).", label.name,
                    label.instruction, atLeast,
                    program.instructions.size() - 1);
    atLeast = label.instruction;
    while (routine + 1 < program.routines.size() &&
           program.routines[routine + 1].first <= label.instruction)
      ++routine;
    if (routine != last)
      names.clear();
    last = routine;
    if (taken.contains(label.name) || !names.insert(label.name).second)
      LINEAR_REFUSE("The name of label \"{}\" is taken.", label.name);
  }
  return {};
}

Status checkCode(const Program &program) {
  uint64_t count = program.instructions.size();
  if (count > kMaxInstructions || program.lines.size() != count)
    LINEAR_REFUSE("The program has {} instructions (the limit is {}) and {} "
                  "lines of them.",
                  count, kMaxInstructions, program.lines.size());
  uint64_t next = 0;
  std::unordered_set<std::string_view> names;
  for (const Routine &routine : program.routines) {
    VM_RETURN_IF_ERROR(checkName(routine.name, "a routine"));
    if (!names.insert(routine.name).second)
      LINEAR_REFUSE("The name of routine \"{}\" is taken.", routine.name);
    if (routine.first != next || routine.count < 1 ||
        routine.count > count - next)
      LINEAR_REFUSE("Routine \"{}\" has {} instructions from number {} on; of "
                    "{}, those from {} on are left.",
                    routine.name, routine.count, routine.first, count, next);
    next += routine.count;
  }
  if (next != count)
    LINEAR_REFUSE("Instructions {} to {} belong to no routine.", next,
                  count - 1);
  for (const Routine &routine : program.routines)
    VM_RETURN_IF_ERROR(checkRoutine(program, routine));
  return checkLabels(program, names);
}

} // namespace vm::linear
