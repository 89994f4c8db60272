//===- KernelScalars.cpp - indices and control flow of a kernel -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/KernelBuilder.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Expr KernelBuilder::laneId() const {
  return make<gpu::ThreadIdOp>(gpu::Dimension::x);
}

Expr KernelBuilder::groupId() const {
  if (group)
    return (*this)(group);
  return make<gpu::BlockIdOp>(gpu::Dimension::x);
}

Expr KernelBuilder::subgroupId() const {
  return make<gpu::SubgroupIdOp>(/*upper_bound=*/nullptr);
}

Expr KernelBuilder::subgroupSize() const {
  return make<gpu::SubgroupSizeOp>(/*upper_bound=*/nullptr);
}

Expr KernelBuilder::laneInSubgroup() const {
  return make<gpu::LaneIdOp>(/*upper_bound=*/nullptr);
}

Value KernelBuilder::ballot(Value condition) {
  auto four = VectorType::get(4, ir().getI32Type());
  Value bits = make<spirv::GroupNonUniformBallotOp>(
      four, spirv::Scope::Subgroup, condition);
  return make<spirv::CompositeExtractOp>(bits, 0);
}

Value KernelBuilder::sumBelow(Value word) {
  return make<spirv::GroupNonUniformIAddOp>(
      word.getType(), spirv::Scope::Subgroup,
      spirv::GroupOperation::ExclusiveScan, word, /*cluster_size=*/Value());
}

Value KernelBuilder::shuffleXor(Value value, int64_t mask) {
  return make<spirv::GroupNonUniformShuffleXorOp>(
      value.getType(), spirv::Scope::Subgroup, value, word(mask));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value>
KernelBuilder::loop(Value lower, Value upper, Value step, ValueRange carried,
                    function_ref<SmallVector<Value>(Value, ValueRange)> body,
                    bool runs) {
  auto op = scf::ForOp::create(
      ir(), loc(), lower, upper, step, carried,
      [&](OpBuilder &nested, Location, Value i, ValueRange values) {
        OpBuilder::InsertionGuard guard(ir());
        ir().restoreInsertionPoint(nested.saveInsertionPoint());
        scf::YieldOp::create(ir(), loc(), body(i, values));
      });
  if (runs)
    op->setAttr(kRunsAttr, ir().getUnitAttr());
  return op.getResults();
}

SmallVector<Value>
KernelBuilder::loopWhile(ValueRange initial,
                         function_ref<Value(ValueRange)> condition,
                         function_ref<SmallVector<Value>(ValueRange)> body) {
  auto test = [&](OpBuilder &nested, Location, ValueRange state) {
    OpBuilder::InsertionGuard guard(ir());
    ir().restoreInsertionPoint(nested.saveInsertionPoint());
    scf::ConditionOp::create(ir(), loc(), condition(state), state);
  };
  auto step = [&](OpBuilder &nested, Location, ValueRange state) {
    OpBuilder::InsertionGuard guard(ir());
    ir().restoreInsertionPoint(nested.saveInsertionPoint());
    scf::YieldOp::create(ir(), loc(), body(state));
  };
  return scf::WhileOp::create(ir(), loc(), initial.getTypes(), initial, test,
                              step)
      .getResults();
}

void KernelBuilder::ifThen(Value condition, function_ref<void()> then) {
  auto op = scf::IfOp::create(ir(), loc(), condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(ir());
  ir().setInsertionPointToStart(op.thenBlock());
  then();
}

SmallVector<Value>
KernelBuilder::choose(Value condition, TypeRange types,
                      function_ref<SmallVector<Value>()> then,
                      function_ref<SmallVector<Value>()> otherwise) {
  auto op = scf::IfOp::create(ir(), loc(), types, condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(ir());
  ir().setInsertionPointToEnd(op.thenBlock());
  scf::YieldOp::create(ir(), loc(), then());
  ir().setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(ir(), loc(), otherwise());
  return op.getResults();
}
