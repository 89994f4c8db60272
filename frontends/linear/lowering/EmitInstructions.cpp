//===- EmitInstructions.cpp - instructions of a routine -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/RoutineEmitter.h"

#include "frontends/linear/modes/EngineTables.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::linear;
using vm::linear::Class;
using vm::linear::Expanded;
using vm::linear::Instruction;
using vm::linear::Opcode;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A row times the state: the terms by their columns, the first one not added
/// to anything.
Value RoutineEmitter::emitRow(ArrayRef<vm::linear::Coefficient> row,
                              const std::array<Value, kElements> &x) {
  Value sum;
  for (const vm::linear::Coefficient &c : row) {
    Expr factor = number(llvm::bit_cast<uint32_t>(c.value));
    Value term = factor;
    if (c.column != vm::linear::kOne)
      term = c.value == 1 ? x[c.column] : factor * x[c.column];
    sum = sum ? e(sum) + term : term;
  }
  return sum ? sum : number(0);
}

void RoutineEmitter::emitMatrix(const vm::linear::Matrix &matrix,
                                State &state) {
  std::array<Value, kElements> old = state.x;
  for (uint32_t element : launch.elements)
    state.x[element] = emitRow(matrix.rows[element], old);
}

/// The run that begins at `step`; null if none does.
const vm::linear::FusedRun *RoutineEmitter::runAt(uint32_t step) const {
  if (!launch.fused)
    return nullptr;
  auto run = launch.fused->runs.find(step);
  return run == launch.fused->runs.end() ? nullptr : &run->second;
}

void RoutineEmitter::emitRun(const vm::linear::FusedRun &run, State &state) {
  emitMatrix(run.matrix, state);
  for (auto [pending, count] : llvm::zip_equal(state.pending, run.counts))
    pending += count;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// `step`; false if it ended the block.
bool RoutineEmitter::emitStep(uint32_t step, State &state) {
  const Instruction &instruction = at(step);
  const vm::linear::OpcodeInfo &info =
      *vm::linear::lookUpOpcode(uint32_t(instruction.opcode));
  ++state.pending[static_cast<unsigned>(info.cls)];
  const Expanded::Step &own = code.steps[step];
  uint32_t level = code.frames[own.frame].depth;
  switch (instruction.opcode) {
  case Opcode::Halt:
    exitWith(state, step, Halted, None);
    return false;
  case Opcode::Kill:
    exitWith(state, step, Free, None);
    return false;
  case Opcode::Jump:
    return true;
  case Opcode::Call:
    if (own.next.empty()) {
      exitWith(state, step, Faulted, Overflow);
      return false;
    }
    for (unsigned r = 0; r < 4; ++r)
      if (Value x = state.x[vm::linear::kFirstRegister + r])
        state.saved[level][r] = x;
    return true;
  case Opcode::Return:
    if (own.next.empty()) {
      exitWith(state, step, Faulted, Underflow);
      return false;
    }
    for (unsigned r = 0; r < 4; ++r)
      if (instruction.operands[0] >> r & 1)
        state.x[vm::linear::kFirstRegister + r] = state.saved[level - 1][r];
    return true;
  case Opcode::Read:
    emitRead(step, state);
    return true;
  case Opcode::Write:
    emitWrite(step, state);
    return true;
  default:
    break;
  }
  if (info.cls != Class::Branch) {
    emitCompute(step, state);
    return true;
  }
  if (own.next.size() == 1) // It has one way.
    return true;
  emitEnd(step, state);
  return false;
}

/// A branch on a condition.
void RoutineEmitter::emitEnd(uint32_t step, State &state) {
  Value taken = isTaken(at(step), state);
  settleStops();
  settleCounts(state);
  Block *yes = new Block, *no = new Block;
  function.getBody().push_back(yes);
  function.getBody().push_back(no);
  cf::CondBranchOp::create(b, loc, taken, yes, ValueRange(), no, ValueRange());
  const std::vector<uint32_t> &next = code.steps[step].next;
  b.setInsertionPointToStart(yes);
  branchTo(step, next[0], state);
  b.setInsertionPointToStart(no);
  branchTo(step, next[1], state);
}

Expr RoutineEmitter::isTaken(const Instruction &instruction, State &state) {
  Expr x = e(state.x[vm::linear::kFirstRegister + instruction.operands[0]]);
  Expr zero = number(0);
  switch (instruction.opcode) {
  case Opcode::BranchLt:
    return x < zero;
  case Opcode::BranchGt:
    return x > zero;
  case Opcode::BranchLe:
    return x <= zero;
  case Opcode::BranchGe:
    return x >= zero;
  default:
    break;
  }
  Expr isZero = x == zero;
  if (program.toleranceBits) {
    Expr magnitude = abs(x);
    isZero = isZero | (magnitude < number(program.toleranceBits));
  }
  return instruction.opcode == Opcode::BranchEq ? isZero : !isZero;
}

/// Drivers simplify 0 - y to -y, also where y is 0 (Mesa 22.3 does), but keep a
/// sum.
static Expr difference(const Expr &x, const Expr &y) { return x + -y; }

/// A row with two coefficients of one register adds them up.
Expr RoutineEmitter::sumOf(const Expr &x, const Expr &y, bool isSame,
                           bool subtracts) {
  if (!isSame)
    return subtracts ? difference(x, y) : x + y;
  return subtracts ? number(0) : x * 2;
}

void RoutineEmitter::emitCompute(uint32_t step, State &state) {
  const Instruction &instruction = at(step);
  bool isKnown = launch.fused && launch.fused->values[step];
  Value value = isKnown ? number(*launch.fused->values[step])
                        : compute(instruction, state);
  if (program.f16State)
    value = call("half", value);
  state.x[vm::linear::writtenElement(instruction)] = value;
}

Value RoutineEmitter::compute(const Instruction &instruction, State &state) {
  const std::array<uint32_t, 4> &o = instruction.operands;
  auto r = [&](unsigned i) {
    return e(state.x[vm::linear::kFirstRegister + o[i]]);
  };
  auto m = [&](unsigned i) { return state.x[vm::linear::kFirstMemory + o[i]]; };
  auto coefficient = [&](unsigned i) { // One that is 0 is not there.
    return llvm::bit_cast<float>(o[i]) == 0 ? 0 : o[i];
  };
  switch (instruction.opcode) {
  case Opcode::Add:
    return sumOf(r(1), r(2), o[1] == o[2], false);
  case Opcode::Sub:
    return sumOf(r(1), r(2), o[1] == o[2], true);
  case Opcode::Mov:
    return r(1);
  case Opcode::SetI:
    return number(coefficient(1));
  case Opcode::Load:
    return m(1);
  case Opcode::Store:
    return r(0);
  case Opcode::Copy:
    return m(1);
  case Opcode::Clear:
    return number(0);
  case Opcode::Neg:
    return -r(1);
  case Opcode::Scale:
    if (coefficient(2) == 0)
      return number(0);
    return r(1) * number(o[2]);
  case Opcode::Mul:
    return r(1) * r(2);
  case Opcode::MulI:
    return r(1) * number(o[2]);
  case Opcode::Cmp:
    return difference(r(1), r(2));
  case Opcode::CmpI:
    return difference(r(1), number(o[2]));
  case Opcode::Div:
    return call("quotient", {r(1), r(2)});
  case Opcode::DivI:
    return call("quotient", {r(1), number(o[2])});
  case Opcode::Mod:
    return call("remainder", {r(1), r(2)});
  case Opcode::ModI:
    return call("remainder", {r(1), number(o[2])});
  case Opcode::Min:
    return min(r(1), r(2));
  case Opcode::Max:
    return max(r(1), r(2));
  case Opcode::Abs:
    return abs(r(1));
  case Opcode::Sqrt:
    return call("root", Value(r(1)));
  case Opcode::Sin:
  case Opcode::Cos:
    return call("sine", {r(1), e.truth(instruction.opcode == Opcode::Cos)});
  case Opcode::VmId:
    return e(function.getArgument(0)).signedToFloat();
  default:
    llvm_unreachable("it computes nothing");
  }
}

/// Whether `address` lies in what the launch may use; nullopt if all does.
std::optional<Expr> RoutineEmitter::inRanges(const Expr &address, bool writes) {
  ArrayRef<vm::linear::AddressRange> ranges = writes ? written : read;
  if (ranges.size() == 1 && ranges.front().first == 0 &&
      ranges.front().end == program.sharedWords())
    return std::nullopt;
  Expr isIn = e.truth(false);
  for (const vm::linear::AddressRange &range : ranges) {
    Expr isAbove = address >= range.first;
    isIn = isIn | (isAbove & (address < range.end));
  }
  return isIn;
}

/// `x` as an address that may be used; the machine faults otherwise, and uses
/// address 0 until it stops.
Expr RoutineEmitter::toAddress(const Expr &x, State &state, uint32_t step,
                               bool writes) {
  Expr isAbove = x > number(0xbf800000);
  float end = vm::linear::addressEnd(program);
  Expr isFine = isAbove & (x < number(llvm::bit_cast<uint32_t>(end)));
  stopUnless(isFine, state, step, Fault::Address);
  Expr address = select(isFine, x, number(0)).toSigned();
  if (std::optional<Expr> isIn = inRanges(address, writes))
    stopUnless(*isIn, state, step, Fault::Forbidden);
  return address;
}

/// What shared memory held at the start of the phase, or what the machine
/// itself wrote there.
void RoutineEmitter::emitRead(uint32_t step, State &state) {
  const Instruction &instruction = at(step);
  Expr x = e(state.x[vm::linear::kFirstRegister + instruction.operands[1]]);
  Expr address = toAddress(x, state, step, /*writes=*/false);
  Expr bits = e.make<tensor::ExtractOp>(function.getArgument(1),
                                        Value(address.signedToIndex()));
  for (auto [own, written] : llvm::zip_equal(state.addresses, state.bits))
    bits = select(e(own) == address, written, bits);
  // A subnormal number is a zero.
  Expr exponent = bits & 0x7F800000, sign = bits & 0x80000000;
  Value value = fromBits(select(exponent == 0, sign, bits));
  if (program.f16State)
    value = call("half", value);
  state.x[vm::linear::kFirstRegister + instruction.operands[0]] = value;
}

void RoutineEmitter::emitWrite(uint32_t step, State &state) {
  const Instruction &instruction = at(step);
  Expr x = e(state.x[vm::linear::kFirstRegister + instruction.operands[0]]);
  Expr value = e(state.x[vm::linear::kFirstRegister + instruction.operands[1]]);
  unsigned number = llvm::find(code.writes, step) - code.writes.begin();
  state.addresses[number] = toAddress(x, state, step, /*writes=*/true);
  state.bits[number] = bitsOf(value);
}
