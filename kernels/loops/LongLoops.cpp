//===- LongLoops.cpp - bodies whose loops run long ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/LongLoops.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Mesa's llvmpipe ends every loop of an invocation, silently, when its loops
/// have run so often together (LP_MAX_TGSI_LOOP_ITERATIONS, before version 25).
static constexpr int64_t kMaxIterations = 65535;

/// A number so large that it may be multiplied by another one of 32 bits.
static constexpr int64_t kMany = int64_t(1) << 31;

/// What a number is at most that follows from indices of the loops around it
/// and constants; nothing if that is not known. No sum of such wraps around.
static std::optional<int64_t> mostOf(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant) < kMany / 4 ? constant : std::nullopt;
  if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    auto op = index->getParentOfType<linalg::GenericOp>();
    int64_t range = op.getStaticLoopRanges()[index.getDim()];
    return range < kMany / 4 ? std::optional(range - 1) : std::nullopt;
  }
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    return mostOf(cast.getIn());
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  std::optional<int64_t> a = mostOf(sum.getLhs()), b = mostOf(sum.getRhs());
  return a && b && *a + *b < kMany / 4 ? std::optional(*a + *b) : std::nullopt;
}

std::optional<int64_t> gpuvm::mostIterations(scf::ForOp loop) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return trips->getLimitedValue(kMany);
  Value upper = loop.getUpperBound();
  if (auto cast = upper.getDefiningOp<arith::IndexCastOp>())
    upper = cast.getIn();
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!first || !step || *first < 0 || *step < 1)
    return std::nullopt;
  SmallVector<Value> bounds = {upper};
  if (auto smaller = upper.getDefiningOp<arith::MinSIOp>())
    bounds.assign(smaller->operand_begin(), smaller->operand_end());
  for (Value bound : bounds)
    if (std::optional<int64_t> end = mostOf(bound))
      return std::min(kMany,
                      std::max<int64_t>(0, *end - *first + *step - 1) / *step);
  return std::nullopt;
}

std::optional<int64_t> gpuvm::countIterations(Operation *op) {
  int64_t total = 0;
  for (mlir::Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      if (inner.hasAttr(kSeldomAttr))
        continue;
      std::optional<int64_t> each = countIterations(&inner);
      if (!each || isa<scf::WhileOp>(inner))
        return std::nullopt;
      if (auto loop = dyn_cast<scf::ForOp>(inner)) {
        std::optional<int64_t> times = mostIterations(loop);
        if (!times)
          return std::nullopt;
        *each = (1 + *each) * *times;
      }
      total = std::min(kMany, total + std::min(kMany, *each));
    }
  return total;
}

bool gpuvm::mayRunLong(Operation *op) {
  if (op->hasAttr(kSeldomAttr))
    return false;
  if (isa<scf::WhileOp>(op))
    return true;
  std::optional<int64_t> inside = countIterations(op);
  if (!inside)
    return true;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return *inside > kShortLoop;
  std::optional<int64_t> times = mostIterations(loop);
  return !times ||
         (1 + *inside) * std::min(*times, kShortLoop + 1) > kShortLoop;
}

bool gpuvm::mayLoopLong(flow::DispatchOp kernel, int64_t bodies) {
  int64_t iterations = 0;
  bool loops = false;
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<linalg::GenericOp, RootOpInterface>(op))
      continue;
    std::optional<int64_t> own = countIterations(&op);
    if (!own)
      return true;
    loops |= hasLoops(&op);
    iterations += *own;
  }
  return loops && (iterations + 1) * (1 + bodies) >= kMaxIterations;
}

/// So few that the others of a workgroup are many.
int64_t gpuvm::lanesOfResuming(int64_t elements) {
  constexpr int64_t kFew = 4096, kMedium = 1 << 17;
  return elements <= kFew ? 8 : elements <= kMedium ? 32 : 64;
}
