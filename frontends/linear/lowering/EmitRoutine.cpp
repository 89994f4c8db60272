//===- EmitRoutine.cpp - a routine as a function --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/EmitRoutine.h"

#include "frontends/linear/FusedRun.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::linear;
using vm::linear::Class;
using vm::linear::Expanded;
using vm::linear::Instruction;
using vm::linear::Opcode;

namespace {
constexpr unsigned kElements = vm::linear::kElements;
enum Status : uint32_t { Running = 0, Halted = 3, Faulted = 4, Free = 5 };
enum Fault : uint32_t { None, Address, Forbidden, Overflow, Underflow };

/// What a machine has between two instructions.
struct State {
  std::array<Value, kElements> x; ///< Those that the code uses.
  std::array<Value, 4> counts;    ///< By class, without `pending`.
  std::array<unsigned, 4> pending = {};
  SmallVector<Value> addresses, bits;      ///< Of each WRITE.
  SmallVector<std::array<Value, 4>> saved; ///< Registers at each call.
};

class RoutineEmitter {
public:
  RoutineEmitter(func::FuncOp function, const vm::linear::Program &program,
                 const vm::linear::CompiledLaunch &launch)
      : function(function), program(program), launch(launch), code(launch.code),
        b(function.getContext()), loc(function.getLoc()) {}

  void emit();

private:
  // Blocks.
  void findLeaders();
  void findLoopEdges();
  void createBlocks();
  void emitBlock(uint32_t step);
  bool emitStep(uint32_t step, State &state);
  uint32_t emitRun(uint32_t step, State &state);
  void emitMatrix(const vm::linear::Matrix &matrix, State &state);
  Value emitRow(ArrayRef<vm::linear::Coefficient> row, const State &state);
  void emitEnd(uint32_t step, State &state);
  void branchTo(uint32_t step, uint32_t next, State &state);
  void exitWith(State &state, uint32_t step, Status status, Fault fault);
  void exitUnless(Value isFine, State &state, uint32_t step, Fault fault);
  void emitExit();

  // State.
  SmallVector<Value> flatten(State &state);
  State unflatten(ValueRange values);
  State initialState();
  void settleCounts(State &state);

  // Instructions.
  void emitCompute(const Instruction &instruction, State &state);
  Value compute(const Instruction &instruction, State &state);
  Value sumOf(Value a, Value c, bool isSame, bool subtracts);
  void emitRead(uint32_t step, State &state);
  void emitWrite(uint32_t step, State &state);
  Value toAddress(Value x, State &state, uint32_t step, bool writes);
  Value inRanges(Value address, bool writes);
  Value isTaken(const Instruction &instruction, State &state);

  // Values.
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value number(uint32_t bits) {
    return arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(llvm::bit_cast<float>(bits)));
  }
  Value compareF(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value compareI(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
  Value bitcast(Value x, Type type) {
    return arith::BitcastOp::create(b, loc, type, x);
  }
  Value call(StringRef name, ValueRange operands) {
    return func::CallOp::create(b, loc, name, TypeRange(b.getF32Type()),
                                operands)
        .getResult(0);
  }

  const Instruction &at(uint32_t step) const {
    return program.instructions[code.steps[step].instruction];
  }

  func::FuncOp function;
  const vm::linear::Program &program;
  const vm::linear::CompiledLaunch &launch;
  const Expanded &code;
  OpBuilder b;
  Location loc;
  std::vector<bool> isLeader;
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> loopEdges;
  llvm::DenseMap<uint32_t, Block *> blocks;
  Block *exit = nullptr;
  unsigned depth = 0; ///< Of the deepest frame.
};
} // namespace

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

SmallVector<Value> RoutineEmitter::flatten(State &state) {
  settleCounts(state);
  SmallVector<Value> values;
  for (uint32_t element : launch.elements)
    values.push_back(state.x[element]);
  llvm::append_range(values, state.counts);
  llvm::append_range(values, state.addresses);
  llvm::append_range(values, state.bits);
  for (const std::array<Value, 4> &registers : state.saved)
    llvm::append_range(values, registers);
  return values;
}

State RoutineEmitter::unflatten(ValueRange values) {
  State state;
  auto take = [&](size_t count) {
    ValueRange taken = values.take_front(count);
    values = values.drop_front(count);
    return taken;
  };
  for (auto [element, value] :
       llvm::zip_equal(launch.elements, take(launch.elements.size())))
    state.x[element] = value;
  llvm::copy(take(4), state.counts.begin());
  llvm::append_range(state.addresses, take(code.writes.size()));
  llvm::append_range(state.bits, take(code.writes.size()));
  for (unsigned i = 0; i < depth; ++i)
    llvm::copy(take(4), state.saved.emplace_back().begin());
  return state;
}

State RoutineEmitter::initialState() {
  State state;
  std::array<uint32_t, kElements> bits = {};
  for (const vm::linear::Launch::Initial &initial : launch.launch->initial)
    bits[initial.element] = initial.bits;
  for (uint32_t element : launch.elements)
    state.x[element] = number(bits[element]);
  if (program.f16State)
    for (uint32_t element : launch.elements)
      state.x[element] = call("half", state.x[element]);
  Value none = integer(0), no = integer(-1);
  state.counts.fill(none);
  state.addresses.assign(code.writes.size(), no);
  state.bits.assign(code.writes.size(), none);
  Value zero = number(0);
  state.saved.assign(depth, {zero, zero, zero, zero});
  return state;
}

void RoutineEmitter::settleCounts(State &state) {
  for (auto [count, pending] : llvm::zip_equal(state.counts, state.pending))
    if (pending)
      count = arith::AddIOp::create(b, loc, count, integer(pending));
  state.pending = {};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// A block begins where machines come from several places, or where a branch
/// leads.
void RoutineEmitter::findLeaders() {
  std::vector<unsigned> arrivals(code.steps.size());
  isLeader.assign(code.steps.size(), false);
  isLeader[0] = true;
  for (const Expanded::Step &step : code.steps)
    for (uint32_t next : step.next) {
      if (++arrivals[next] > 1 || step.next.size() > 1 || next == 0)
        isLeader[next] = true;
    }
}

/// Edges without which there is no loop: those that lead back in a walk in
/// depth.
void RoutineEmitter::findLoopEdges() {
  enum : uint8_t { New, Open, Done };
  std::vector<uint8_t> state(code.steps.size(), New);
  SmallVector<std::pair<uint32_t, unsigned>> path = {{0, 0}};
  state[0] = Open;
  while (!path.empty()) {
    auto &[step, edge] = path.back();
    if (edge == code.steps[step].next.size()) {
      state[step] = Done;
      path.pop_back();
      continue;
    }
    uint32_t from = step, next = code.steps[step].next[edge++];
    if (state[next] == Open) {
      loopEdges.insert({from, next});
      isLeader[next] = true;
    } else if (state[next] == New) {
      state[next] = Open;
      path.push_back({next, 0});
    }
  }
}

void RoutineEmitter::createBlocks() {
  for (const Expanded::Frame &frame : code.frames)
    depth = std::max<unsigned>(depth, frame.depth);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  State initial = initialState();
  SmallVector<Value> values = flatten(initial);
  SmallVector<Type> types(ValueRange(values).getTypes());
  SmallVector<Location> places(types.size(), loc);
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (isLeader[step]) {
      Block *block = blocks[step] = new Block;
      function.getBody().push_back(block);
      block->addArguments(types, places);
    }
  exit = new Block;
  function.getBody().push_back(exit);
  types.push_back(b.getI32Type());
  places.push_back(loc);
  exit->addArguments(types, places);
  cf::BranchOp::create(b, loc, blocks[0], values);
}

void RoutineEmitter::emitExit() {
  b.setInsertionPointToStart(exit);
  ValueRange arguments = exit->getArguments();
  State state = unflatten(arguments.drop_back());
  SmallVector<Value> results;
  for (uint32_t element : launch.elements)
    results.push_back(state.x[element]);
  results.push_back(arguments.back());
  llvm::append_range(results, state.counts);
  for (auto [address, bits] : llvm::zip_equal(state.addresses, state.bits)) {
    results.push_back(address);
    results.push_back(bits);
  }
  func::ReturnOp::create(b, loc, results);
}

/// Ends the block: the machine stops at `step`.
void RoutineEmitter::exitWith(State &state, uint32_t step, Status status,
                              Fault fault) {
  SmallVector<Value> values = flatten(state);
  values.push_back(
      integer(code.steps[step].instruction | status << 24 | fault << 27));
  cf::BranchOp::create(b, loc, exit, values);
}

/// Goes on in a new block if `isFine`.
void RoutineEmitter::exitUnless(Value isFine, State &state, uint32_t step,
                                Fault fault) {
  SmallVector<Value> values = flatten(state);
  values.push_back(
      integer(code.steps[step].instruction | Faulted << 24 | fault << 27));
  Block *next = new Block;
  function.getBody().push_back(next);
  cf::CondBranchOp::create(b, loc, isFine, next, ValueRange(), exit, values);
  b.setInsertionPointToStart(next);
}

/// Ends the block: `next` follows, unless the budget of a loop is over.
void RoutineEmitter::branchTo(uint32_t step, uint32_t next, State &state) {
  SmallVector<Value> values = flatten(state);
  if (!loopEdges.contains({step, next})) {
    cf::BranchOp::create(b, loc, blocks[next], values);
    return;
  }
  Value sum = state.counts[0];
  for (unsigned i = 1; i < 4; ++i)
    sum = arith::AddIOp::create(b, loc, sum, state.counts[i]);
  Value isOver =
      compareI(arith::CmpIPredicate::uge, sum, integer(launch.budget));
  SmallVector<Value> atExit(values);
  atExit.push_back(integer(code.steps[next].instruction | Running << 24));
  cf::CondBranchOp::create(b, loc, isOver, exit, atExit, blocks[next], values);
}

void RoutineEmitter::emitBlock(uint32_t step) {
  b.setInsertionPointToStart(blocks[step]);
  State state = unflatten(blocks[step]->getArguments());
  while (true) {
    step = launch.fuses ? emitRun(step, state) : step;
    if (!emitStep(step, state))
      return;
    uint32_t next = code.steps[step].next.front();
    if (isLeader[next])
      return branchTo(step, next, state);
    step = next;
  }
}

void RoutineEmitter::emit() {
  findLeaders();
  findLoopEdges();
  createBlocks();
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (isLeader[step])
      emitBlock(step);
  emitExit();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A row times the state: the terms by their columns, the first one not added
/// to anything.
Value RoutineEmitter::emitRow(ArrayRef<vm::linear::Coefficient> row,
                              const State &state) {
  Value sum;
  for (const vm::linear::Coefficient &c : row) {
    Value factor = number(llvm::bit_cast<uint32_t>(c.value));
    Value term = factor;
    if (c.column != vm::linear::kOne)
      term = c.value == 1
                 ? state.x[c.column]
                 : arith::MulFOp::create(b, loc, factor, state.x[c.column])
                       .getResult();
    sum = sum ? arith::AddFOp::create(b, loc, sum, term).getResult() : term;
  }
  return sum ? sum : number(0);
}

void RoutineEmitter::emitMatrix(const vm::linear::Matrix &matrix,
                                State &state) {
  State old = state;
  for (uint32_t element : launch.elements)
    state.x[element] = emitRow(matrix.rows[element], old);
}

/// The run of linear instructions that begins at `step`, as one matrix if that
/// takes less; the step behind it, or `step`.
uint32_t RoutineEmitter::emitRun(uint32_t step, State &state) {
  std::vector<Instruction> run;
  unsigned apart = 0;
  uint32_t end = step;
  auto isLinear = [&](uint32_t s) {
    return vm::linear::lookUpOpcode(uint32_t(at(s).opcode))->cls ==
           Class::Linear;
  };
  // What follows it stays in this block.
  while (isLinear(end) && !isLeader[code.steps[end].next.front()]) {
    vm::linear::Matrix matrix = vm::linear::makeMatrix(at(end));
    for (uint32_t element : launch.elements)
      apart += vm::linear::operationsOf(matrix.rows[element], element);
    run.push_back(at(end));
    end = code.steps[end].next.front();
  }
  std::optional<vm::linear::Matrix> product = vm::linear::multiplyRun(run);
  if (run.size() < 2 || !product)
    return step;
  unsigned together = 0;
  for (uint32_t element : launch.elements)
    together += vm::linear::operationsOf(product->rows[element], element);
  if (together > apart)
    return step;
  emitMatrix(*product, state);
  state.pending[static_cast<unsigned>(Class::Linear)] += run.size();
  return end;
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
    emitCompute(instruction, state);
    return true;
  }
  emitEnd(step, state);
  return false;
}

/// A branch on a condition.
void RoutineEmitter::emitEnd(uint32_t step, State &state) {
  Value taken = isTaken(at(step), state);
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

Value RoutineEmitter::isTaken(const Instruction &instruction, State &state) {
  using P = arith::CmpFPredicate;
  Value x = state.x[vm::linear::kFirstRegister + instruction.operands[0]];
  Value zero = number(0);
  switch (instruction.opcode) {
  case Opcode::BranchLt:
    return compareF(P::OLT, x, zero);
  case Opcode::BranchGt:
    return compareF(P::OGT, x, zero);
  case Opcode::BranchLe:
    return compareF(P::OLE, x, zero);
  case Opcode::BranchGe:
    return compareF(P::OGE, x, zero);
  default:
    break;
  }
  Value isZero = compareF(P::OEQ, x, zero);
  if (program.toleranceBits) {
    Value isNear = compareF(P::OLT, math::AbsFOp::create(b, loc, x),
                            number(program.toleranceBits));
    isZero = arith::OrIOp::create(b, loc, isZero, isNear);
  }
  if (instruction.opcode == Opcode::BranchEq)
    return isZero;
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, loc, isZero, yes);
}

/// A row with two coefficients of one register adds them up.
Value RoutineEmitter::sumOf(Value x, Value y, bool isSame, bool subtracts) {
  if (!isSame)
    return subtracts ? arith::SubFOp::create(b, loc, x, y).getResult()
                     : arith::AddFOp::create(b, loc, x, y).getResult();
  if (subtracts)
    return number(0);
  return arith::MulFOp::create(b, loc, x, number(0x40000000)); // 2
}

void RoutineEmitter::emitCompute(const Instruction &instruction, State &state) {
  Value value = compute(instruction, state);
  if (program.f16State)
    value = call("half", value);
  bool toMemory =
      instruction.opcode == Opcode::Store || instruction.opcode == Opcode::Copy;
  unsigned place = instruction.opcode == Opcode::Store
                       ? instruction.operands[1]
                       : instruction.operands[0];
  state.x[(toMemory ? vm::linear::kFirstMemory : vm::linear::kFirstRegister) +
          place] = value;
}

Value RoutineEmitter::compute(const Instruction &instruction, State &state) {
  const std::array<uint32_t, 4> &o = instruction.operands;
  auto r = [&](unsigned i) {
    return state.x[vm::linear::kFirstRegister + o[i]];
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
    return arith::NegFOp::create(b, loc, r(1));
  case Opcode::Scale:
    if (coefficient(2) == 0)
      return number(0);
    return arith::MulFOp::create(b, loc, r(1), number(o[2]));
  case Opcode::Mul:
    return arith::MulFOp::create(b, loc, r(1), r(2));
  case Opcode::MulI:
    return arith::MulFOp::create(b, loc, r(1), number(o[2]));
  case Opcode::Cmp:
    return arith::SubFOp::create(b, loc, r(1), r(2));
  case Opcode::CmpI:
    return arith::SubFOp::create(b, loc, r(1), number(o[2]));
  case Opcode::Div:
    return call("quotient", {r(1), r(2)});
  case Opcode::DivI:
    return call("quotient", {r(1), number(o[2])});
  case Opcode::Mod:
    return call("remainder", {r(1), r(2)});
  case Opcode::ModI:
    return call("remainder", {r(1), number(o[2])});
  case Opcode::Min:
    return arith::MinimumFOp::create(b, loc, r(1), r(2));
  case Opcode::Max:
    return arith::MaximumFOp::create(b, loc, r(1), r(2));
  case Opcode::Abs:
    return math::AbsFOp::create(b, loc, r(1));
  case Opcode::Sqrt:
    return call("root", r(1));
  case Opcode::Sin:
  case Opcode::Cos:
    return call(
        "sine",
        {r(1), arith::ConstantOp::create(
                   b, loc, b.getBoolAttr(instruction.opcode == Opcode::Cos))});
  case Opcode::VmId:
    return arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                   function.getArgument(0));
  default:
    llvm_unreachable("it computes nothing");
  }
}

/// Whether `address` lies in what the launch may use; null if all is.
Value RoutineEmitter::inRanges(Value address, bool writes) {
  std::vector<vm::linear::AddressRange> ranges =
      vm::linear::addressesOf(program, *launch.launch, writes);
  if (ranges.size() == 1 && ranges.front().first == 0 &&
      ranges.front().end == program.sharedWords())
    return {};
  Value isIn = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  for (const vm::linear::AddressRange &range : ranges) {
    Value low =
        compareI(arith::CmpIPredicate::uge, address, integer(range.first));
    Value high =
        compareI(arith::CmpIPredicate::ult, address, integer(range.end));
    isIn = arith::OrIOp::create(b, loc, isIn,
                                arith::AndIOp::create(b, loc, low, high));
  }
  return isIn;
}

/// `x` as an address that may be used; the machine faults otherwise.
Value RoutineEmitter::toAddress(Value x, State &state, uint32_t step,
                                bool writes) {
  Value above = compareF(arith::CmpFPredicate::OGT, x, number(0xbf800000));
  Value below =
      compareF(arith::CmpFPredicate::OLT, x,
               number(llvm::bit_cast<uint32_t>(float(program.sharedWords()))));
  exitUnless(arith::AndIOp::create(b, loc, above, below), state, step,
             Fault::Address);
  Value address = arith::FPToSIOp::create(b, loc, b.getI32Type(), x);
  if (Value isIn = inRanges(address, writes))
    exitUnless(isIn, state, step, Fault::Forbidden);
  return address;
}

/// What shared memory held at the start of the phase, or what the machine
/// itself wrote there.
void RoutineEmitter::emitRead(uint32_t step, State &state) {
  const Instruction &instruction = at(step);
  Value x = state.x[vm::linear::kFirstRegister + instruction.operands[1]];
  Value address = toAddress(x, state, step, /*writes=*/false);
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), address);
  Value bits =
      tensor::ExtractOp::create(b, loc, function.getArgument(1), index);
  for (auto [own, written] : llvm::zip_equal(state.addresses, state.bits)) {
    Value isOwn = compareI(arith::CmpIPredicate::eq, own, address);
    bits = select(isOwn, written, bits);
  }
  // A subnormal number is a zero.
  Value exponent = arith::AndIOp::create(b, loc, bits, integer(0x7F800000));
  Value sign = arith::AndIOp::create(b, loc, bits,
                                     integer(static_cast<int32_t>(0x80000000)));
  Value isSmall = compareI(arith::CmpIPredicate::eq, exponent, integer(0));
  Value value = bitcast(select(isSmall, sign, bits), b.getF32Type());
  if (program.f16State)
    value = call("half", value);
  state.x[vm::linear::kFirstRegister + instruction.operands[0]] = value;
}

void RoutineEmitter::emitWrite(uint32_t step, State &state) {
  const Instruction &instruction = at(step);
  Value x = state.x[vm::linear::kFirstRegister + instruction.operands[0]];
  Value value = state.x[vm::linear::kFirstRegister + instruction.operands[1]];
  unsigned number = llvm::find(code.writes, step) - code.writes.begin();
  state.addresses[number] = toAddress(x, state, step, /*writes=*/true);
  state.bits[number] = bitcast(value, b.getI32Type());
}

void mlir::linear::emitRoutine(func::FuncOp function,
                               const vm::linear::Program &program,
                               const vm::linear::CompiledLaunch &code) {
  RoutineEmitter(function, program, code).emit();
}
