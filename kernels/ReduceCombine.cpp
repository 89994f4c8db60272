//===- ReduceCombine.cpp - what combines two values, and all lanes' -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/ReduceEmitter.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// x such that combine(x, a) = a, bit for bit.
Value ReduceEmitter::identity(const Accumulator &accumulator) {
  Type type = accumulator.type;
  OpBuilder &b = k.ir();
  Operation *op = accumulator.combine;
  auto floating = [&](auto make) {
    auto floatType = cast<FloatType>(type);
    return arith::ConstantOp::create(
        b, k.loc(), b.getFloatAttr(type, make(floatType.getFloatSemantics())));
  };
  auto integer = [&](const APInt &value) {
    return arith::ConstantOp::create(b, k.loc(), b.getIntegerAttr(type, value));
  };
  if (isa<arith::AddFOp>(op))
    return floating([](auto &s) { return APFloat::getZero(s, true); });
  if (isa<arith::MulFOp>(op))
    return floating([](auto &s) { return APFloat(s, 1); });
  if (isa<arith::MinimumFOp>(op))
    return floating([](auto &s) { return APFloat::getInf(s); });
  if (isa<arith::MaximumFOp>(op))
    return floating([](auto &s) { return APFloat::getInf(s, true); });
  if (isa<arith::MinNumFOp, arith::MaxNumFOp>(op))
    return floating([](auto &s) { return APFloat::getNaN(s); });
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<arith::MulIOp>(op))
    return integer(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return integer(APInt::getAllOnes(width));
  if (isa<arith::MinSIOp>(op))
    return integer(APInt::getSignedMaxValue(width));
  if (isa<arith::MaxSIOp>(op))
    return integer(APInt::getSignedMinValue(width));
  return integer(APInt::getZero(width)); // addi, ori, xori, maxui
}

ReduceEmitter::Values ReduceEmitter::identities() {
  return llvm::to_vector(llvm::map_range(
      accumulators, [&](const Accumulator &a) { return identity(a); }));
}

/// The body's operation on an accumulator and an element; numbers are flushed
/// where the body flushes them.
Value ReduceEmitter::combine(const Accumulator &accumulator, Value a, Value b) {
  Operation *op = accumulator.combine;
  auto flushIf = [&](bool flushes, Value value) -> Value {
    return flushes ? FlushOp::create(k.ir(), k.loc(), value) : value;
  };
  if (op->getOperand(0) == accumulator.element)
    std::swap(a, b);
  IRMapping mapping;
  for (auto [operand, value] : llvm::zip_equal(op->getOperands(), Values{a, b}))
    mapping.map(operand, flushIf(operand.getDefiningOp<FlushOp>(), value));
  Value result = k.ir().clone(*op, mapping)->getResult(0);
  return flushIf(isa<FlushOp>(*op->user_begin()), result);
}

/// Combines the lanes' values, 16 neighbours and then the groups of a result.
/// Lane i uses the totals of result i of the workgroup.
void ReduceEmitter::combineLanes(const Values &values,
                                 function_ref<void(const Values &totals)> use) {
  constexpr int64_t group = ReductionOrder::kLaneGroup;
  auto load = [&](Value at) {
    Values loaded;
    for (Accumulator &a : accumulators)
      loaded.push_back(k.loadWorkgroup(a.workgroup, a.type, at));
    return loaded;
  };
  auto store = [&](const Values &stored, Value at) {
    for (auto [a, value] : llvm::zip_equal(accumulators, stored))
      k.storeWorkgroup(a.workgroup, value, at);
  };
  auto fold = [&](int64_t count, int64_t stride) -> Values {
    Value first = k.mul(lane, count * stride);
    auto next = [&](Value j, ValueRange totals) {
      Values next = load(k.add(first, k.mul(j, stride)));
      for (auto [i, a] : llvm::enumerate(accumulators))
        next[i] = combine(a, totals[i], next[i]);
      return next;
    };
    if (count == 1)
      return load(first);
    return k.loop(k.index(1), k.index(count), k.index(1), load(first), next);
  };
  store(values, lane);
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(ReductionOrder::kGroupsPerPart)),
           [&] { store(fold(group, 1), k.mul(lane, group)); });
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(c.config.resultsPerGroup)),
           [&] { use(fold(c.config.groupsPerResult, group)); });
}
