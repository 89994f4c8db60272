//===- InstanceMoves.cpp - elements moved in all instances of a stage -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/InstanceSpreader.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Moved elements
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> prepend(int64_t first, ArrayRef<int64_t> rest) {
  SmallVector<int64_t> all = {first};
  llvm::append_range(all, rest);
  return all;
}

Value InstanceSpreader::spreadSlice(tensor::ExtractSliceOp op) {
  return tensor::ExtractSliceOp::create(
      b, op.getLoc(), wholeType(op), wholeOf(op.getSource()), ValueRange(),
      ValueRange(), ValueRange(), prepend(0, op.getStaticOffsets()),
      prepend(count, op.getStaticSizes()), prepend(1, op.getStaticStrides()));
}

Value InstanceSpreader::spreadInsert(tensor::InsertSliceOp op) {
  return tensor::InsertSliceOp::create(
      b, op.getLoc(), wholeType(op), wholeOf(op.getSource()),
      wholeOf(op.getDest()), ValueRange(), ValueRange(), ValueRange(),
      prepend(0, op.getStaticOffsets()), prepend(count, op.getStaticSizes()),
      prepend(1, op.getStaticStrides()));
}

Value InstanceSpreader::spreadPad(tensor::PadOp op) {
  auto widths = [&](ArrayRef<int64_t> own) {
    return getAsIndexOpFoldResult(b.getContext(), prepend(0, own));
  };
  Operation *padding = op.getConstantPaddingValue().getDefiningOp();
  return tensor::PadOp::create(
      b, op.getLoc(), wholeType(op), wholeOf(op.getSource()),
      widths(op.getStaticLow()), widths(op.getStaticHigh()),
      b.clone(*padding)->getResult(0));
}

Value InstanceSpreader::spreadConcat(tensor::ConcatOp op) {
  auto whole = cast<tensor::ConcatOp>(
      copyOverAll(*op, [](OpOperand &) { return false; }));
  whole.setDim(op.getDim() + 1);
  return whole;
}

/// Every instance may look for elements of its own, but in one table.
Value InstanceSpreader::spreadSearch(SearchSortedOp op) {
  if (spreadOut.contains(op.getTable()))
    return Value();
  return copyOverAll(*op,
                     [&](OpOperand &operand) {
                       return operand == op.getTableMutable();
                     })
      ->getResult(0);
}

/// Every instance may pick rows of its own, but of one source.
Value InstanceSpreader::spreadGather(GatherOp op) {
  if (spreadOut.contains(op.getSource()))
    return Value();
  return copyOverAll(*op,
                     [&](OpOperand &operand) {
                       return operand == op.getSourceMutable();
                     })
      ->getResult(0);
}

/// What sorts along the last dimension takes all others as rows.
void InstanceSpreader::spreadSort(Operation &op) {
  copyOverAll(op, [](OpOperand &operand) { // The number of a digit.
    return cast<RankedTensorType>(operand.get().getType()).getRank() == 0;
  });
}

/// Whether what a scan combines depends on its place in the order of all
/// (ScanOrder), which instances together would change.
static bool hasVisibleOrder(ScanOp op) {
  bool isFloat = llvm::any_of(op.getInputs().getTypes(), [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  });
  return isFloat &&
         !llvm::all_of(op.getCombine().front(), [](Operation &inner) {
           return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                      arith::MinNumFOp, YieldOp>(inner);
         });
}

/// Each instance has rows of its own.
LogicalResult InstanceSpreader::spreadScan(ScanOp op) {
  bool hasOwnInitials = llvm::any_of(op.getInitial(), [&](Value initial) {
    return spreadOut.contains(initial);
  });
  if (hasVisibleOrder(op) || hasOwnInitials)
    return op.emitOpError("cannot be spread over the instances of a stage: it "
                          "begins with values of their own, or rounds");
  Operation *whole = copyOverAll(*op, [&](OpOperand &operand) {
    return llvm::is_contained(op.getInitial(), operand.get());
  });
  cast<ScanOp>(whole).setDimension(op.getDimension() + 1);
  return success();
}

/// The leading dimension is a group of its own, or in the only one if there is
/// no other dimension to group.
Value InstanceSpreader::spreadReshape(Operation *op) {
  SmallVector<ReassociationIndices> groups;
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  groups = expand ? expand.getReassociationIndices()
                  : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  RankedTensorType type = wholeType(op->getResult(0));
  Value source = wholeOf(op->getOperand(0));
  int64_t rank = std::max(type.getRank(),
                          cast<RankedTensorType>(source.getType()).getRank());
  for (ReassociationIndices &group : groups)
    for (int64_t &dim : group)
      ++dim;
  groups.insert(groups.begin(), ReassociationIndices{0});
  if (groups.size() == 1)
    groups.front() = llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
  if (type == source.getType())
    return source;
  if (expand)
    return tensor::ExpandShapeOp::create(b, op->getLoc(), type, source, groups);
  return tensor::CollapseShapeOp::create(b, op->getLoc(), type, source, groups);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// [instances, n, ...] as [instances * n, ...].
static Value joinLeading(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t dim = 2; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

/// The heads of an instance, and those of its cache, are some of all heads.
Value InstanceSpreader::spreadAttention(AttentionOp op) {
  Location loc = op.getLoc();
  auto heads = [&](Value own) { return joinLeading(b, loc, wholeOf(own)); };
  // One for all heads, or some of each instance.
  auto numbers = [&](Value own) -> Value {
    if (!own)
      return own;
    if (typeOf(own).getRank() != 0)
      return heads(own);
    return spreadOut.contains(own) ? wholeOf(own) : values.lookup(own);
  };
  RankedTensorType type = wholeType(op.getResult());
  SmallVector<int64_t> shape(type.getShape().drop_front());
  shape.front() *= count;
  Value query = heads(op.getQuery()), key = heads(op.getKey()),
        value = heads(op.getValue());
  Value keys = numbers(op.getKeys()), first = numbers(op.getFirst());
  auto all =
      AttentionOp::create(b, loc, type.clone(shape), query, key, value, keys,
                          first, op.getScaleAttr(), op.getCapAttr(),
                          op.getCausalAttr(), op.getWindowAttr());
  SmallVector<ReassociationIndices> groups = {{0, 1}, {2}, {3}};
  return tensor::ExpandShapeOp::create(b, loc, type, all.getResult(), groups);
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

Value InstanceSpreader::spreadFft(FftOp op) {
  return FftOp::create(
      b, op.getLoc(), wholeType(op.getResult()), wholeOf(op.getSource()),
      values.lookupOrNull(op.getTwiddles()), op.getInverseAttr(),
      b.getI64IntegerAttr(op.getTransformed() + 1),
      b.getI64IntegerAttr(op.getPlaced() + 1));
}

Value InstanceSpreader::spreadConvolve(ConvolveOp op) {
  return ConvolveOp::create(b, op.getLoc(), wholeType(op.getResult()),
                            wholeOf(op.getSource()), wholeOf(op.getSpectrum()),
                            values.lookupOrNull(op.getTwiddles()));
}
