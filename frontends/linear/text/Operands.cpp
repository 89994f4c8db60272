//===- Operands.cpp - the operands of instructions ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Literal.h"
#include "frontends/linear/text/Statements.h"
#include "runtime/base/Printable.h"

namespace vm::linear {
namespace {

class OperandReader {
public:
  OperandReader(AssemblyContext &context, const SourceLine &line,
                uint32_t routine)
      : context_(context), reader_(context, line), routine_(routine) {}

  void read(const OpcodeInfo &info, Instruction &instruction);

private:
  std::optional<uint32_t> readOperand(OperandKind kind);
  std::optional<uint32_t> readRegister();
  std::optional<uint32_t> readMemory();
  std::optional<uint32_t> readTarget(bool isCallee);
  std::optional<uint32_t> checkNumber(const Token &token, bool isCallee);
  std::optional<uint32_t> findTarget(const Token &name, bool isCallee);
  void refuseCount(const Token &mnemonic, const OpcodeInfo &info,
                   uint64_t count);
  void readMask(uint64_t count, Instruction &instruction);
  const Routine &routine() const { return context_.program.routines[routine_]; }

  AssemblyContext &context_;
  StatementReader reader_;
  uint32_t routine_;
};

std::optional<uint32_t> OperandReader::readRegister() {
  Token token = reader_.take();
  std::optional<uint32_t> number = parseRegister(token.text);
  return number ? number : reader_.failExpected(token, "a register (r0 to r3)");
}

std::optional<uint32_t> OperandReader::readMemory() {
  Token token = reader_.take();
  std::optional<uint32_t> number = parseMemory(token.text);
  return number ? number : reader_.failExpected(token, "a memory (m0 to m15)");
}

//===--- Targets ----------------------------------------------------------===//

std::optional<uint32_t> OperandReader::checkNumber(const Token &token,
                                                   bool isCallee) {
  int64_t number = *toInteger(token.text);
  int64_t count = context_.program.instructions.size();
  if (context_.outline.isCountUnsure)
    return 0;
  if (number >= count)
    return reader_.fail(token.where,
                        "The target {} is no instruction: their numbers are 0 "
                        "to {}.",
                        quote(token), count - 1);
  uint32_t first = routine().first, after = first + routine().count;
  if (!isCallee && (number < first || number >= after))
    return reader_.fail(token.where,
                        "The target {} is out of routine \"{}\", which has "
                        "instructions {} to {}.",
                        quote(token), printable(routine().name), first,
                        after - 1);
  return static_cast<uint32_t>(number);
}

std::optional<uint32_t> OperandReader::findTarget(const Token &name,
                                                  bool isCallee) {
  auto label = context_.outline.labels.find({routine_, name.text});
  if (label != context_.outline.labels.end())
    return label->second;
  const Symbol *symbol = reader_.find(name.text, SymbolKind::Routine);
  if (symbol && isCallee)
    return context_.program.routines[symbol->index].first;
  if (reader_.isDoubtful(name.text, SymbolKind::Routine))
    return 0;
  if (symbol)
    return reader_.fail(name.where,
                        "The target {} is a routine, which only CALL and SPAWN "
                        "reach.",
                        quote(name));
  return reader_.fail(name.where,
                      "The target {} does not exist: routine \"{}\" has no "
                      "label of that name{}.",
                      quote(name), printable(routine().name),
                      isCallee ? ", and there is no such routine" : "");
}

std::optional<uint32_t> OperandReader::readTarget(bool isCallee) {
  Token token = reader_.take();
  if (token.kind == TokenKind::Name)
    return findTarget(token, isCallee);
  if (isDigits(token.text))
    return checkNumber(token, isCallee);
  return reader_.failExpected(
      token, "a target (a label or the number of an instruction)");
}

//===--- Instructions -----------------------------------------------------===//

std::optional<uint32_t> OperandReader::readOperand(OperandKind kind) {
  switch (kind) {
  case OperandKind::Destination:
  case OperandKind::Source:
  case OperandKind::Registers:
    return readRegister();
  case OperandKind::Memory:
    return readMemory();
  case OperandKind::Value:
    return reader_.readValue();
  case OperandKind::Target:
    return readTarget(/*isCallee=*/false);
  case OperandKind::Callee:
    break;
  }
  return readTarget(/*isCallee=*/true);
}

/// The registers of a RETURN.
void OperandReader::readMask(uint64_t count, Instruction &instruction) {
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0 && !reader_.expect(','))
      return;
    std::optional<uint32_t> number = readRegister();
    if (!number)
      return;
    instruction.operands[0] |= 1u << *number;
  }
  reader_.expectEnd();
}

/// A stray character is what is wrong, not the number that it makes.
void OperandReader::refuseCount(const Token &mnemonic, const OpcodeInfo &info,
                                uint64_t count) {
  std::string_view kinds = info.operands;
  bool takesMask = kinds == "s";
  std::string right = fmt::format("{}{}", takesMask ? "at most " : "",
                                  takesMask ? kRegisters : kinds.size());
  Token stray = reader_.findStray();
  if (stray.kind == TokenKind::Stray)
    reader_.failExpected(stray, fmt::format("one of the operands of {} ({}) or "
                                            "the end of the line",
                                            info.text, right));
  else
    reader_.fail(mnemonic.where, "The number of operands of {} is {}, not {}.",
                 info.text, right, count);
}

void OperandReader::read(const OpcodeInfo &info, Instruction &instruction) {
  Token mnemonic = reader_.take();
  std::string_view kinds = info.operands;
  uint64_t count = reader_.countOperands();
  bool takesMask = kinds == "s";
  if (takesMask ? count > kRegisters : count != kinds.size())
    return refuseCount(mnemonic, info, count);
  if (takesMask)
    return readMask(count, instruction);
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0 && !reader_.expect(','))
      return;
    auto operand = readOperand(static_cast<OperandKind>(kinds[i]));
    if (!operand)
      return;
    instruction.operands[i] = *operand;
  }
  reader_.expectEnd();
}

} // namespace

void readInstructions(AssemblyContext &context) {
  Program &program = context.program;
  for (uint32_t r = 0; r < program.routines.size(); ++r) {
    const Routine &routine = program.routines[r];
    for (uint32_t i = routine.first; i < routine.first + routine.count; ++i) {
      const OutlinedInstruction &outlined = context.outline.instructions[i];
      if (outlined.info)
        OperandReader(context, outlined.line, r)
            .read(*outlined.info, program.instructions[i]);
    }
  }
}

} // namespace vm::linear
