//===- Executor.cpp - one instruction of one machine ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/reference/Executor.h"

#include "frontends/linear/Arithmetic.h"
#include "frontends/linear/Operations.h"

namespace vm::linear {

void Effects::clear() {
  writes.clear();
  spawns.clear();
  accesses.clear();
  counts = {};
}

Executor::Executor(const Program &program, const SharedMemory &memory,
                   const RunOptions &options)
    : program_(program), memory_(memory), direct_(options.direct),
      tolerance_(std::bit_cast<float>(program.toleranceBits)) {
  for (const Instruction &instruction : program.instructions)
    classes_.push_back(
        lookUpOpcode(static_cast<uint32_t>(instruction.opcode))->cls);
  if (!direct_)
    tables_ = buildTables(program, options.format, *options.threshold);
}

void Executor::enter(const Phase &phase) {
  rights_.clear();
  for (const Launch &launch : phase.launches)
    rights_.emplace_back(program_, launch);
}

float Executor::rounded(float value) const {
  return program_.f16State ? roundToHalf(value) : value;
}

uint32_t Executor::lineOf(const Machine &machine) const {
  uint32_t ip = machine.ip();
  return ip < program_.lines.size() ? program_.lines[ip] : 0;
}

static void step(Machine &machine) { machine.x[0] = add(machine.x[0], 1); }

static void stop(Machine &machine, Fault fault) {
  machine.status = MachineStatus::Faulted;
  machine.fault = fault;
}

void Executor::execute(uint32_t id, Machine &machine, Effects &effects) const {
  Class cls = classes_[machine.ip()];
  ++effects.counts[static_cast<size_t>(cls)];
  switch (cls) {
  case Class::Linear:
    return direct_ ? executeDirectly(machine) : executeLinear(machine);
  case Class::Oracle:
    return executeOracle(machine);
  case Class::Branch:
    return executeBranch(machine);
  case Class::Io:
    return executeIo(id, machine, effects);
  }
}

//===--- Linear -----------------------------------------------------------===//

void Executor::executeLinear(Machine &machine) const {
  machine.x = multiply(tables_, machine.ip(), machine.x);
  if (program_.f16State)
    for (unsigned i = kFirstRegister; i < kOne; ++i)
      machine.x[i] = roundToHalf(machine.x[i]);
}

/// The row that its matrix replaces, times the vector. What no coefficient is
/// stored for is +0: a difference of equal registers, products with 0.
void Executor::executeDirectly(Machine &machine) const {
  const Instruction &instruction = instructionOf(machine);
  const auto &o = instruction.operands;
  auto reg = [&](unsigned i) { return machine.reg(o[i]); };
  auto memory = [&](unsigned i) -> float & {
    return machine.x[kFirstMemory + o[i]];
  };
  auto scaled = [](uint32_t bits, float value) {
    auto factor = std::bit_cast<float>(bits);
    return factor == 0 ? 0 : multiply(factor, value);
  };
  step(machine);
  switch (instruction.opcode) {
  case Opcode::Add:
    return set(machine, o[0], add(reg(1), reg(2)));
  case Opcode::Sub:
    return set(machine, o[0], o[1] == o[2] ? 0 : subtract(reg(1), reg(2)));
  case Opcode::Mov:
    return set(machine, o[0], reg(1));
  case Opcode::SetI:
    return set(machine, o[0], scaled(o[1], 1));
  case Opcode::Load:
    return set(machine, o[0], memory(1));
  case Opcode::Store:
    memory(1) = reg(0);
    return;
  case Opcode::Copy:
    memory(0) = memory(1);
    return;
  case Opcode::Neg:
    return set(machine, o[0], -reg(1));
  case Opcode::Scale:
    return set(machine, o[0], scaled(o[2], reg(1)));
  default: // CLEAR.
    return set(machine, o[0], 0);
  }
}

//===--- Oracle -----------------------------------------------------------===//

void Executor::executeOracle(Machine &machine) const {
  const Instruction &instruction = instructionOf(machine);
  const auto &o = instruction.operands;
  std::string_view kinds = lookUpOpcode(uint32_t(instruction.opcode))->operands;
  bool isImmediate = kinds.ends_with(char(OperandKind::Value));
  // Of an operation with one operand o[2] is 0, and b is not used.
  float b = isImmediate ? std::bit_cast<float>(o[2]) : machine.reg(o[2]);
  set(machine, o[0], computeOracle(instruction.opcode, machine.reg(o[1]), b));
  step(machine);
}

//===--- Branches ---------------------------------------------------------===//

void Executor::executeBranch(Machine &machine) const {
  const auto &[opcode, o] = instructionOf(machine);
  if (opcode == Opcode::Call)
    return call(machine, o[0]);
  if (opcode == Opcode::Return)
    return returnFrom(machine, o[0]);
  if (opcode == Opcode::Jump)
    machine.x[0] = static_cast<float>(o[0]);
  else if (isTaken(opcode, machine.reg(o[0]), tolerance_))
    machine.x[0] = static_cast<float>(o[1]);
  else
    step(machine);
}

void Executor::call(Machine &machine, uint32_t target) const {
  if (machine.stack.size() == program_.stack)
    return stop(machine, Fault::Overflow);
  Frame frame = {add(machine.x[0], 1), {}};
  for (unsigned i = 0; i < kRegisters; ++i)
    frame.registers[i] = machine.reg(i);
  machine.stack.push_back(frame);
  machine.x[0] = static_cast<float>(target);
}

void Executor::returnFrom(Machine &machine, uint32_t mask) const {
  if (machine.stack.empty())
    return stop(machine, Fault::Underflow);
  Frame frame = machine.stack.back();
  machine.stack.pop_back();
  machine.x[0] = frame.returnIp;
  for (unsigned i = 0; i < kRegisters; ++i)
    if (mask >> i & 1)
      machine.x[kFirstRegister + i] = frame.registers[i];
}

//===--- I/O --------------------------------------------------------------===//

std::optional<uint32_t> Executor::access(Machine &machine, float address,
                                         bool isWrite) const {
  std::optional<uint32_t> place = toAddress(address, memory_.size());
  if (!place) {
    stop(machine, Fault::Address);
    return std::nullopt;
  }
  const AccessRights &rights = rights_[machine.launch];
  if (isWrite ? rights.mayWrite(memory_, *place)
              : rights.mayRead(memory_, *place))
    return place;
  stop(machine, Fault::Forbidden);
  return std::nullopt;
}

void Executor::executeIo(uint32_t id, Machine &machine,
                         Effects &effects) const {
  const auto &[opcode, o] = instructionOf(machine);
  uint32_t line = effects.wantsAccesses ? lineOf(machine) : 0;
  auto note = [&](Access::Kind kind) {
    if (effects.wantsAccesses)
      effects.accesses.push_back({.kind = kind, .machine = id, .line = line});
  };
  switch (opcode) {
  case Opcode::Read:
    return read(id, machine, effects);
  case Opcode::Write:
    return write(id, machine, effects);
  case Opcode::Wait:
    return wait(id, machine, effects);
  case Opcode::VmId:
    note(Access::VmId);
    set(machine, o[0], static_cast<float>(id));
    return step(machine);
  case Opcode::Yield:
    machine.status = MachineStatus::Yielded;
    return;
  case Opcode::Halt:
    machine.status = MachineStatus::Halted;
    return;
  case Opcode::Spawn:
    effects.spawns.push_back({id, o[0], machine.reg(o[1]), line});
    return;
  default: // KILL.
    note(Access::Kill);
    machine.status = MachineStatus::Free;
  }
}

void Executor::read(uint32_t id, Machine &machine, Effects &effects) const {
  const auto &o = instructionOf(machine).operands;
  auto address = access(machine, machine.reg(o[1]), false);
  if (!address)
    return;
  if (effects.wantsAccesses)
    effects.accesses.push_back({.kind = Access::Read,
                                .machine = id,
                                .address = *address,
                                .line = lineOf(machine)});
  set(machine, o[0], flush(memory_[*address]));
  step(machine);
}

void Executor::write(uint32_t id, Machine &machine, Effects &effects) const {
  const auto &o = instructionOf(machine).operands;
  auto address = access(machine, machine.reg(o[0]), true);
  if (!address)
    return;
  uint32_t line = effects.wantsAccesses ? lineOf(machine) : 0;
  effects.writes.push_back({id, *address, machine.reg(o[1]), line});
  step(machine);
}

void Executor::wait(uint32_t id, Machine &machine, Effects &effects) const {
  const auto &o = instructionOf(machine).operands;
  auto address = access(machine, machine.reg(o[0]), false);
  if (!address)
    return;
  float bound = machine.reg(o[1]);
  bool passes = flush(memory_[*address]) >= bound;
  if (effects.wantsAccesses)
    effects.accesses.push_back(
        {Access::Wait, passes, id, *address, bound, lineOf(machine)});
  if (passes)
    step(machine);
  else
    machine.status = MachineStatus::Blocked;
}

bool Executor::wouldPass(const Machine &machine) const {
  const auto &o = instructionOf(machine).operands;
  auto address = toAddress(machine.reg(o[0]), memory_.size());
  return flush(memory_[*address]) >= machine.reg(o[1]);
}

} // namespace vm::linear
