//===- EmitRoutine.cpp - a routine as a function --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/EmitRoutine.h"

#include "frontends/linear/lowering/RoutineEmitter.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::linear;
using vm::linear::Expanded;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// Calls `visit` with the level and the number of each register that is kept
/// over the first `calls` calls.
static void forEachSaved(ArrayRef<uint32_t> saved, unsigned calls,
                         function_ref<void(unsigned, unsigned)> visit) {
  for (unsigned level = 0; level < calls; ++level)
    for (unsigned r = 0; r < vm::linear::kRegisters; ++r)
      if (saved[level] >> r & 1)
        visit(level, r);
}

void RoutineEmitter::findSaved() {
  unsigned depth = 0;
  for (const Expanded::Frame &frame : code.frames)
    depth = std::max<unsigned>(depth, frame.depth);
  saved.assign(depth, 0);
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (at(step).opcode == vm::linear::Opcode::Return && callsOf(step) > 0)
      saved[callsOf(step) - 1] |= at(step).operands[0];
}

SmallVector<Value> RoutineEmitter::flatten(Results &results) {
  settleCounts(results);
  SmallVector<Value> values;
  for (uint32_t element : launch.elements)
    values.push_back(results.x[element]);
  llvm::append_range(values, results.counts);
  llvm::append_range(values, results.addresses);
  llvm::append_range(values, results.bits);
  return values;
}

SmallVector<Value> RoutineEmitter::flatten(State &state, unsigned calls) {
  SmallVector<Value> values = flatten(state);
  forEachSaved(saved, calls, [&](unsigned level, unsigned r) {
    values.push_back(state.saved[level][r]);
  });
  return values;
}

State RoutineEmitter::unflatten(ValueRange values, unsigned calls) {
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
  state.saved.resize(saved.size());
  forEachSaved(saved, calls, [&](unsigned level, unsigned r) {
    state.saved[level][r] = take(1).front();
  });
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
  Value none = e.word(0), no = e.word(-1);
  state.counts.fill(none);
  state.addresses.assign(code.writes.size(), no);
  state.bits.assign(code.writes.size(), none);
  return state;
}

void RoutineEmitter::settleCounts(Results &results) {
  for (auto [count, pending] : llvm::zip_equal(results.counts, results.pending))
    if (pending)
      count = e(count) + pending;
  results.pending = {};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void RoutineEmitter::createBlocks() {
  findSaved();
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  State initial = initialState();
  SmallVector<Value> values = flatten(initial);
  auto createBlock = [&](unsigned registers) {
    auto *block = new Block;
    function.getBody().push_back(block);
    for (Value value : values)
      block->addArgument(value.getType(), loc);
    for (unsigned i = 0; i < registers; ++i)
      block->addArgument(b.getF32Type(), loc);
    return block;
  };
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (isLeader[step]) {
      unsigned registers = 0;
      forEachSaved(saved, callsOf(step),
                   [&](unsigned, unsigned) { ++registers; });
      blocks[step] = createBlock(registers);
    }
  exit = createBlock(0);
  exit->addArgument(b.getI32Type(), loc);
  cf::BranchOp::create(b, loc, blocks[0], values);
}

void RoutineEmitter::emitExit() {
  b.setInsertionPointToStart(exit);
  ValueRange arguments = exit->getArguments();
  Results state = unflatten(arguments.drop_back(), 0);
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
  settleStops();
  SmallVector<Value> values = flatten(state);
  values.push_back(
      e.word(code.steps[step].instruction | status << 24 | fault << 27));
  cf::BranchOp::create(b, loc, exit, values);
}

/// The machine faults at `step` unless `isFine`. It goes on to the end of the
/// block all the same, so that a block of many READs has one way out; what it
/// computes there is dropped.
void RoutineEmitter::stopUnless(Value isFine, const State &state, uint32_t step,
                                Fault fault) {
  stops.push_back({isFine, state,
                   code.steps[step].instruction | Faulted << 24 | fault << 27});
}

/// Goes on in a new block if nothing has faulted in this one; else leaves with
/// what there was at the first fault.
void RoutineEmitter::settleStops() {
  if (stops.empty())
    return;
  Value isFine;
  for (const Stop &stop : stops)
    isFine = isFine ? e(isFine) & stop.isFine : stop.isFine;
  auto *next = new Block, *fault = new Block;
  function.getBody().push_back(fault);
  function.getBody().push_back(next);
  cf::CondBranchOp::create(b, loc, isFine, next, ValueRange(), fault,
                           ValueRange());
  b.setInsertionPointToStart(fault);
  auto valuesOf = [&](Stop &stop) {
    SmallVector<Value> values = flatten(stop.results);
    values.push_back(e.word(stop.where));
    return values;
  };
  SmallVector<Value> values = valuesOf(stops.back());
  for (Stop &stop : llvm::reverse(MutableArrayRef(stops).drop_back()))
    for (auto [value, own] : llvm::zip_equal(values, valuesOf(stop)))
      if (value != own)
        value = select(e(stop.isFine), value, own);
  cf::BranchOp::create(b, loc, exit, values);
  b.setInsertionPointToStart(next);
  stops.clear();
}

/// Ends the block: `next` follows, unless the budget of a loop is over.
void RoutineEmitter::branchTo(uint32_t step, uint32_t next, State &state) {
  settleStops();
  SmallVector<Value> values = flatten(state, callsOf(next));
  if (!loopEdges.contains({step, next})) {
    cf::BranchOp::create(b, loc, blocks[next], values);
    return;
  }
  Expr sum = e(state.counts[0]);
  for (unsigned i = 1; i < 4; ++i)
    sum = sum + state.counts[i];
  Value isOver = sum >= launch.budget;
  SmallVector<Value> atExit = flatten(state);
  atExit.push_back(e.word(code.steps[next].instruction | Running << 24));
  cf::CondBranchOp::create(b, loc, isOver, exit, atExit, blocks[next], values);
}

void RoutineEmitter::emitBlock(uint32_t step) {
  b.setInsertionPointToStart(blocks[step]);
  State state = unflatten(blocks[step]->getArguments(), callsOf(step));
  while (true) {
    if (const vm::linear::FusedRun *run = runAt(step)) {
      emitRun(*run, state);
      step = run->last;
    } else if (!emitStep(step, state)) {
      return;
    }
    uint32_t next = code.steps[step].next.front();
    if (isLeader[next])
      return branchTo(step, next, state);
    step = next;
  }
}

void RoutineEmitter::emit() {
  createBlocks();
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (isLeader[step])
      emitBlock(step);
  emitExit();
}

void mlir::linear::emitRoutine(func::FuncOp function,
                               const vm::linear::Program &program,
                               const vm::linear::CompiledLaunch &code) {
  RoutineEmitter(function, program, code).emit();
}
