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
