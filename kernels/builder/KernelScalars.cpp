//===- KernelScalars.cpp - indices and control flow of a kernel -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "expr/IndexSum.h"
#include "kernels/builder/KernelBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, location, value);
}

Value KernelBuilder::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(location, x, y);
}

Value KernelBuilder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(location, x, y);
}

Value KernelBuilder::mul(Value x, int64_t factor) {
  return factor == 1
             ? x
             : b.createOrFold<arith::MulIOp>(location, x, index(factor));
}

Value KernelBuilder::div(Value x, int64_t divisor) {
  if (divisor == 1)
    return x;
  if (Value known = emitKnownQuotient(b, location, x, divisor))
    return known;
  return b.createOrFold<arith::DivUIOp>(location, x, index(divisor));
}

Value KernelBuilder::rem(Value x, int64_t divisor) {
  if (divisor == 1)
    return index(0);
  if (Value known = emitKnownRemainder(b, location, x, divisor))
    return known;
  return b.createOrFold<arith::RemUIOp>(location, x, index(divisor));
}

Value KernelBuilder::min(Value x, Value y) {
  return b.createOrFold<arith::MinUIOp>(location, x, y);
}

Value KernelBuilder::less(Value x, Value y) {
  return arith::CmpIOp::create(b, location, arith::CmpIPredicate::ult, x, y);
}

Value KernelBuilder::equal(Value x, Value y) {
  return arith::CmpIOp::create(b, location, arith::CmpIPredicate::eq, x, y);
}

Value KernelBuilder::zero(Type type) {
  return arith::ConstantOp::create(b, location, b.getZeroAttr(type));
}

Value KernelBuilder::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, location, condition, yes, no);
}

Value KernelBuilder::both(Value x, Value y) {
  return b.createOrFold<arith::AndIOp>(location, x, y);
}

Value KernelBuilder::either(Value x, Value y) {
  return b.createOrFold<arith::OrIOp>(location, x, y);
}

Value KernelBuilder::differ(Value x, Value y) {
  return b.createOrFold<arith::XOrIOp>(location, x, y);
}

Value KernelBuilder::negate(Value condition) {
  Value yes = arith::ConstantOp::create(b, location, b.getBoolAttr(true));
  return differ(condition, yes);
}

Value KernelBuilder::word(uint32_t value) {
  return arith::ConstantOp::create(
      b, location, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value KernelBuilder::shiftLeft(Value word, Value bits) {
  return b.createOrFold<arith::ShLIOp>(location, word, bits);
}

Value KernelBuilder::shiftRight(Value word, Value bits) {
  return b.createOrFold<arith::ShRUIOp>(location, word, bits);
}

Value KernelBuilder::toIndex(Value word) {
  return arith::IndexCastUIOp::create(b, location, b.getIndexType(), word);
}

Value KernelBuilder::toWord(Value index) {
  return arith::IndexCastUIOp::create(b, location, b.getI32Type(), index);
}

Value KernelBuilder::laneId() {
  return gpu::ThreadIdOp::create(b, location, gpu::Dimension::x);
}

Value KernelBuilder::groupId() {
  return gpu::BlockIdOp::create(b, location, gpu::Dimension::x);
}

Value KernelBuilder::subgroupId() {
  return gpu::SubgroupIdOp::create(b, location, /*upper_bound=*/nullptr);
}

Value KernelBuilder::subgroupSize() {
  return gpu::SubgroupSizeOp::create(b, location, /*upper_bound=*/nullptr);
}

Value KernelBuilder::laneInSubgroup() {
  return gpu::LaneIdOp::create(b, location, /*upper_bound=*/nullptr);
}

Value KernelBuilder::ballot(Value condition) {
  auto four = VectorType::get(4, b.getI32Type());
  Value bits = spirv::GroupNonUniformBallotOp::create(
      b, location, four, spirv::Scope::Subgroup, condition);
  return spirv::CompositeExtractOp::create(b, location, bits, 0);
}

Value KernelBuilder::sumBelow(Value word) {
  return spirv::GroupNonUniformIAddOp::create(
      b, location, word.getType(), spirv::Scope::Subgroup,
      spirv::GroupOperation::ExclusiveScan, word, /*cluster_size=*/Value());
}

Value KernelBuilder::countBits(Value word) {
  return math::CtPopOp::create(b, location, word);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value>
KernelBuilder::loop(Value lower, Value upper, Value step, ValueRange carried,
                    function_ref<SmallVector<Value>(Value, ValueRange)> body,
                    bool runs) {
  auto op = scf::ForOp::create(
      b, location, lower, upper, step, carried,
      [&](OpBuilder &nested, Location, Value i, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        scf::YieldOp::create(b, location, body(i, values));
      });
  if (runs)
    op->setAttr(kRunsAttr, b.getUnitAttr());
  return op.getResults();
}

SmallVector<Value>
KernelBuilder::loopWhile(ValueRange initial,
                         function_ref<Value(ValueRange)> condition,
                         function_ref<SmallVector<Value>(ValueRange)> body) {
  auto test = [&](OpBuilder &nested, Location, ValueRange state) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(nested.saveInsertionPoint());
    scf::ConditionOp::create(b, location, condition(state), state);
  };
  auto step = [&](OpBuilder &nested, Location, ValueRange state) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(nested.saveInsertionPoint());
    scf::YieldOp::create(b, location, body(state));
  };
  return scf::WhileOp::create(b, location, initial.getTypes(), initial, test,
                              step)
      .getResults();
}

void KernelBuilder::ifThen(Value condition, function_ref<void()> then) {
  auto op = scf::IfOp::create(b, location, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
}

SmallVector<Value>
KernelBuilder::choose(Value condition, TypeRange types,
                      function_ref<SmallVector<Value>()> then,
                      function_ref<SmallVector<Value>()> otherwise) {
  auto op = scf::IfOp::create(b, location, types, condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(op.thenBlock());
  scf::YieldOp::create(b, location, then());
  b.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(b, location, otherwise());
  return op.getResults();
}
