//===- IndexSums.cpp - indices that are sums of others --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/elements/IndexSums.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::gpuvm;

bool gpuvm::isConstantIndex(Value index) {
  return getConstantIntValue(index).has_value();
}

bool gpuvm::isSameIndex(Value a, Value b) {
  std::optional<int64_t> value = getConstantIntValue(a);
  return a == b || (value && value == getConstantIntValue(b));
}

/// Whether `op` stands where what is emitted next can use it.
static bool isUsable(Operation *op, OpBuilder &b) {
  if (op->getBlock() != b.getInsertionBlock())
    return false;
  return b.getInsertionPoint() == b.getInsertionBlock()->end() ||
         op->isBeforeInBlock(&*b.getInsertionPoint());
}

/// What `value` is the sum of, if one part is a constant.
static std::optional<std::pair<Value, int64_t>> splitSum(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> offset =
      sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  if (!offset)
    return std::nullopt;
  return std::pair(sum.getLhs(), *offset);
}

Value gpuvm::addConstant(KernelBuilder &k, Value base, Value constant) {
  constexpr unsigned kMostUses = 256; // That are looked at.
  Value root = base;
  int64_t wanted = *getConstantIntValue(constant);
  while (auto parts = splitSum(root)) {
    root = parts->first;
    wanted += parts->second;
  }
  SmallVector<std::pair<Value, int64_t>> pending = {{root, 0}};
  unsigned uses = 0;
  while (!pending.empty() && !getConstantIntValue(root)) {
    auto [value, reached] = pending.pop_back_val();
    if (reached == wanted)
      return value;
    for (Operation *user : value.getUsers()) {
      if (++uses > kMostUses)
        break;
      auto parts = isa<arith::AddIOp>(user) ? splitSum(user->getResult(0))
                                            : std::nullopt;
      if (parts && parts->first == value && isUsable(user, k.ir()))
        pending.push_back({user->getResult(0), reached + parts->second});
    }
  }
  return k(base) + constant;
}
