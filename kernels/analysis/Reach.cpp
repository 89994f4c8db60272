//===- Reach.cpp - how far around its own an element reads ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows affine maps from the results to the source, through slices, padding,
// concatenations (of which a rotation consists) and inserted slices, as
// ElementEmitter does.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Reach.h"

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class ReachFinder {
public:
  ReachFinder(Value source, function_ref<Value(Value)> resolve,
              function_ref<bool(Operation *)> mayEnter)
      : source(source), resolve(resolve), mayEnter(mayEnter) {}
  void followGeneric(linalg::GenericOp op, AffineMap at);
  std::optional<Reach> take() { return isKnown ? reach : std::nullopt; }

private:
  void follow(Value value, AffineMap at);
  void followMove(Operation *op, AffineMap at);
  void record(AffineMap at);

  Value source;
  function_ref<Value(Value)> resolve;
  function_ref<bool(Operation *)> mayEnter;
  llvm::DenseSet<std::pair<Value, AffineMap>> followed;
  std::optional<Reach> reach;
  bool isKnown = true;
};
} // namespace

bool Reach::isHalo() const {
  for (unsigned d = 1; d < dims.size(); ++d)
    if (dims[d - 1] >= dims[d])
      return false;
  return low != high;
}

int64_t Reach::boxElements(ArrayRef<int64_t> tile) const {
  int64_t elements = 1;
  for (auto [dim, least, most] : llvm::zip_equal(dims, low, high))
    elements *= tile[dim] + most - least;
  return elements;
}

int64_t gpuvm::wrapOffset(int64_t offset, int64_t size) {
  int64_t wrapped = llvm::mod(offset, size);
  return 2 * wrapped > size ? wrapped - size : wrapped;
}

/// Each index has to be one of the root's plus a constant.
void ReachFinder::record(AffineMap at) {
  Reach own;
  auto shape = payloadType(source.getType()).getShape();
  for (unsigned d = 0; isKnown && d < shape.size(); ++d) {
    AffineExpr expr = at ? at.getResult(d) : AffineExpr();
    std::optional<unsigned> dim;
    int64_t offset = 0;
    for (unsigned k = 0; expr && k < at.getNumDims() && !dim; ++k) {
      AffineExpr rest = simplifyAffineExpr(
          expr - getAffineDimExpr(k, expr.getContext()), at.getNumDims(), 0);
      auto constant = dyn_cast<AffineConstantExpr>(rest);
      if (!constant)
        continue;
      dim = k;
      offset = wrapOffset(constant.getValue(), shape[d]);
    }
    isKnown = dim.has_value();
    if (!isKnown)
      return;
    own.dims.push_back(*dim);
    own.low.push_back(offset);
    own.high.push_back(offset);
  }
  if (!reach)
    reach = own;
  isKnown &= reach->dims == own.dims;
  for (unsigned d = 0; isKnown && d < shape.size(); ++d) {
    reach->low[d] = std::min(reach->low[d], own.low[d]);
    reach->high[d] = std::max(reach->high[d], own.high[d]);
  }
}

/// An index in one piece of a dimension, from the index in the whole.
static AffineMap shifted(AffineMap at, ArrayRef<int64_t> offsets) {
  SmallVector<AffineExpr> indices;
  for (auto [expr, offset] : llvm::zip_equal(at.getResults(), offsets))
    indices.push_back(expr - offset);
  return simplifyAffineMap(
      AffineMap::get(at.getNumDims(), 0, indices, at.getContext()));
}

/// `at`, null if that is not known, are the indices of the result.
void ReachFinder::followMove(Operation *op, AffineMap at) {
  auto followAll = [&] {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        follow(operand, AffineMap());
  };
  if (!at)
    return followAll();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<AffineExpr> indices;
    unsigned next = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      AffineExpr own = dropped.test(dim)
                           ? getAffineConstantExpr(0, at.getContext())
                           : at.getResult(next++);
      indices.push_back(own * stride + offset);
    }
    return follow(slice.getSource(),
                  simplifyAffineMap(AffineMap::get(at.getNumDims(), 0, indices,
                                                   at.getContext())));
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return follow(pad.getSource(), shifted(at, pad.getStaticLow()));
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    SmallVector<int64_t> offsets(at.getNumResults());
    for (Value input : concat.getInputs()) {
      follow(input, shifted(at, offsets));
      offsets[concat.getDim()] +=
          cast<RankedTensorType>(input.getType()).getDimSize(concat.getDim());
    }
    return;
  }
  followAll();
}

void ReachFinder::followGeneric(linalg::GenericOp op, AffineMap at) {
  bool isElementwise = op.getNumReductionLoops() == 0;
  for (OpOperand &init : op.getDpsInitsMutable())
    isElementwise &= op.getMatchingIndexingMap(&init).isIdentity();
  if (!isElementwise)
    at = AffineMap();
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.getMatchingBlockArgument(&operand).use_empty() ||
        !isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    follow(operand.get(),
           at ? simplifyAffineMap(map.compose(at)) : AffineMap());
  }
  for (Value table : getTables(op))
    follow(table, AffineMap());
}

void ReachFinder::follow(Value value, AffineMap at) {
  value = resolve(value);
  if (!isKnown || !followed.insert({value, at}).second)
    return;
  if (value == source)
    return record(at);
  Operation *op = value.getDefiningOp();
  if (!op || (isa<linalg::GenericOp>(op) && !mayEnter(op)))
    return;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    followGeneric(generic, at);
  else if (auto hold = dyn_cast<flow::HoldOp>(op))
    follow(hold.getValues()[cast<OpResult>(value).getResultNumber()], at);
  else if (isMadeWhereRead(op))
    followMove(op, at);
}

std::optional<Reach>
gpuvm::findReach(ArrayRef<linalg::GenericOp> roots, Value source,
                 function_ref<Value(Value)> resolve,
                 function_ref<bool(Operation *)> mayEnter) {
  ReachFinder finder(source, resolve, mayEnter);
  for (linalg::GenericOp root : roots)
    finder.followGeneric(root, AffineMap::getMultiDimIdentityMap(
                                   root.getNumLoops(), root.getContext()));
  return finder.take();
}
