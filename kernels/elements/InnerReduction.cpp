//===- InnerReduction.cpp - short reductions inside a kernel --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/elements/InnerReduction.h"

#include "kernels/elements/Product.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Of i8, the longest run of neighbours that a load gives.
static constexpr int64_t kMaxAtOnce = 16;

bool gpuvm::isLinear(AffineMap map) {
  bool linear = true;
  map.walkExprs([&](AffineExpr e) {
    linear &= e.getKind() != AffineExprKind::FloorDiv &&
              e.getKind() != AffineExprKind::CeilDiv &&
              e.getKind() != AffineExprKind::Mod;
  });
  return linear;
}

int64_t gpuvm::countReduced(linalg::GenericOp op) {
  int64_t count = 1;
  for (auto [range, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      count *= range;
  return count;
}

static unsigned lastReductionLoop(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  return loops.back();
}

/// Whether neighbours stay neighbours in, or do not straddle a row of, all that
/// lies behind `op`.
static bool rowsHold(linalg::GenericOp op, int64_t count) {
  SetVector<Operation *> behind;
  BackwardSliceOptions options;
  options.inclusive = true;
  (void)getBackwardSlice(op.getOperation(), &behind, options);
  return llvm::all_of(behind, [&](Operation *source) {
    auto generic = dyn_cast<linalg::GenericOp>(source);
    if (generic && !llvm::all_of(generic.getIndexingMapsArray(), isLinear))
      return false;
    return llvm::all_of(source->getOperands(), [&](Value operand) {
      auto tensor = dyn_cast<RankedTensorType>(operand.getType());
      bool isInit =
          generic && llvm::is_contained(generic.getOutputs(), operand);
      return !tensor || isInit || tensor.getRank() < 2 ||
             tensor.getShape().back() % count == 0;
    });
  });
}

int64_t gpuvm::countAtOnce(linalg::GenericOp op) {
  int64_t range = op.getStaticLoopRanges()[lastReductionLoop(op)];
  int64_t count = kMaxAtOnce;
  while (count > 1 && (range % count != 0 || !rowsHold(op, count)))
    count /= 2;
  return count;
}

std::optional<ByteProduct> gpuvm::matchByteProduct(linalg::GenericOp op,
                                                   unsigned accumulator) {
  Product product = matchProduct(op, accumulator);
  if (!product || !product.left.getType().isInteger(32))
    return std::nullopt;
  auto byteOf = [](Value factor) -> Operation * {
    Operation *extension = factor.getDefiningOp();
    bool extends = isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(extension);
    return extends && extension->getOperand(0).getType().isInteger(8)
               ? extension
               : nullptr;
  };
  Operation *left = byteOf(product.left), *right = byteOf(product.right);
  if (!left || !right)
    return std::nullopt;
  return ByteProduct{left->getOperand(0), right->getOperand(0),
                     isa<arith::ExtSIOp>(left), isa<arith::ExtSIOp>(right)};
}

bool gpuvm::hasDotProducts(flow::DispatchOp kernel) {
  return llvm::any_of(
      kernel.getBody().getOps<linalg::GenericOp>(), [](linalg::GenericOp op) {
        return op->hasAttr(kInnerAttr) && countAtOnce(op) % kDotBytes == 0 &&
               matchByteProduct(op, 0);
      });
}
