//===- CutLoops.cpp - which loop ranks share ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/CutLoops.h"

#include "dialects/gpuvm/Combiner.h"
#include "dialects/gpuvm/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What combines parts of a result to the same bits in any order, or, of a body
/// that is claimed to be associative, to other ones that round as well.
static std::optional<Rule> ruleOf(Operation *combine, bool isClaimed) {
  return TypeSwitch<Operation *, std::optional<Rule>>(combine)
      .Case([](arith::AddIOp) { return Rule::add; })
      .Case([&](arith::AddFOp) {
        return isClaimed ? std::optional(Rule::add) : std::nullopt;
      })
      .Case<arith::MinSIOp, arith::MinimumFOp>([](auto) { return Rule::min; })
      .Case<arith::MaxSIOp, arith::MaximumFOp>([](auto) { return Rule::max; })
      .Case([](arith::MinUIOp) { return Rule::minu; })
      .Case([](arith::MaxUIOp) { return Rule::maxu; })
      .Case([](arith::AndIOp) { return Rule::bit_and; })
      .Case([](arith::OrIOp) { return Rule::bit_or; })
      .Case([](arith::XOrIOp) { return Rule::bit_xor; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The rules of all results of a reduction; none if one of them has none.
static std::optional<SmallVector<Rule>> rulesOf(linalg::GenericOp op,
                                                bool exact) {
  std::optional<Combiner> combiner = matchCombiner(op);
  if (!combiner)
    return std::nullopt;
  SmallVector<Rule> rules;
  for (auto [combine, result] :
       llvm::zip_equal(combiner->ops, op.getResults())) {
    std::optional<Rule> rule =
        combine ? ruleOf(combine, !exact && op->hasAttr(kAssociativeAttr))
                : std::nullopt;
    if (!rule || !canCombine(*rule, typeOf(result).getElementType()))
      return std::nullopt;
    rules.push_back(*rule);
  }
  return rules;
}

std::optional<int64_t> gpuvm::windowOf(AffineExpr place, unsigned loop,
                                       ArrayRef<int64_t> ranges) {
  if (auto dim = dyn_cast<AffineDimExpr>(place))
    return dim.getPosition() == loop ? 0 : ranges[dim.getPosition()] - 1;
  auto both = dyn_cast<AffineBinaryOpExpr>(place);
  if (!both)
    return std::nullopt;
  if (place.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> left = windowOf(both.getLHS(), loop, ranges),
                           right = windowOf(both.getRHS(), loop, ranges);
    return left && right ? std::optional(*left + *right) : std::nullopt;
  }
  auto factor = dyn_cast<AffineConstantExpr>(both.getRHS());
  if (place.getKind() != AffineExprKind::Mul || !factor ||
      factor.getValue() < 0 || place.isFunctionOfDim(loop))
    return std::nullopt;
  std::optional<int64_t> left = windowOf(both.getLHS(), loop, ranges);
  return left ? std::optional(*left * factor.getValue()) : std::nullopt;
}

/// How operands are cut where `loop` is; none if one of them cannot be.
static std::optional<LoopCut> cutAlong(linalg::GenericOp op, unsigned loop,
                                       bool exact) {
  LoopCut cut = {loop, {}, {}, {}};
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool isParallel =
      op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
  for (AffineMap map : op.getIndexingMapsArray()) {
    Axis axis;
    int64_t more = 0;
    for (auto [i, place] : llvm::enumerate(map.getResults())) {
      if (!place.isFunctionOfDim(loop))
        continue;
      std::optional<int64_t> window = windowOf(place, loop, ranges);
      bool isPlain = isa<AffineDimExpr>(place);
      if (axis || !window || (!isParallel && !isPlain))
        return std::nullopt;
      axis = i;
      more = *window;
    }
    cut.operandAxes.push_back(axis);
    cut.moreRows.push_back(more);
  }
  if (isParallel)
    return cut;
  std::optional<SmallVector<Rule>> rules = rulesOf(op, exact);
  if (!rules)
    return std::nullopt;
  cut.rules = std::move(*rules);
  return cut;
}

/// The bytes of operands that have to be gathered, and of results that have to
/// be combined.
static int64_t countExchanged(linalg::GenericOp op, const LoopCut &cut,
                              function_ref<Axis(Value)> axisOf) {
  int64_t bytes = 0;
  for (auto [operand, axis] :
       llvm::zip_equal(op->getOperands(), cut.operandAxes))
    if (Axis now = axisOf(operand); now && now != axis)
      bytes += static_cast<int64_t>(tensorBytes(typeOf(operand)));
  if (!cut.rules.empty())
    for (Value result : op.getResults())
      bytes += static_cast<int64_t>(tensorBytes(typeOf(result)));
  return bytes;
}

std::optional<LoopCut> gpuvm::chooseLoop(linalg::GenericOp op, int64_t ranks,
                                         function_ref<Axis(Value)> axisOf,
                                         ArrayRef<unsigned> others,
                                         bool exact) {
  SmallVector<unsigned> loops;
  for (OpOperand &operand : op->getOpOperands())
    if (Axis axis = axisOf(operand.get()))
      if (auto dim = dyn_cast<AffineDimExpr>(
              op.getMatchingIndexingMap(&operand).getResult(*axis)))
        loops.push_back(dim.getPosition());
  llvm::append_range(loops, others);
  std::optional<LoopCut> best;
  int64_t least = 0;
  for (unsigned loop : loops) {
    if (op.getStaticLoopRanges()[loop] % ranks != 0)
      continue;
    std::optional<LoopCut> cut = cutAlong(op, loop, exact);
    if (!cut)
      continue;
    int64_t bytes = countExchanged(op, *cut, axisOf);
    if (best && bytes >= least)
      continue;
    best = std::move(cut);
    least = bytes;
  }
  return best;
}

bool gpuvm::reducesFloats(linalg::GenericOp op) {
  return op.getNumReductionLoops() != 0 && hasVisibleOrder(op);
}

//===----------------------------------------------------------------------===//
// Moves of elements
//===----------------------------------------------------------------------===//

/// Whether a slice has all there is along the axis.
static bool isFull(OffsetSizeAndStrideOpInterface slice, RankedTensorType type,
                   int64_t axis) {
  return slice.getStaticOffsets()[axis] == 0 &&
         slice.getStaticSizes()[axis] == type.getDimSize(axis) &&
         slice.getStaticStrides()[axis] == 1;
}

/// The first dimension of a group that is longer than 1, if nothing but it says
/// which block an element is in.
static Axis leadingOf(RankedTensorType type, ArrayRef<int64_t> group,
                      int64_t ranks) {
  for (int64_t axis : group)
    if (int64_t length = type.getDimSize(axis); length != 1)
      return length % ranks == 0 ? Axis(axis) : std::nullopt;
  return std::nullopt;
}

static Axis moveAxisOf(tensor::ExpandShapeOp op, int64_t axis, int64_t ranks) {
  return leadingOf(op.getResultType(), op.getReassociationIndices()[axis],
                   ranks);
}

static Axis moveAxisOf(tensor::CollapseShapeOp op, int64_t axis,
                       int64_t ranks) {
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices()))
    if (llvm::is_contained(group, axis))
      return leadingOf(op.getSrcType(), group, ranks) == axis ? Axis(i)
                                                              : std::nullopt;
  return std::nullopt;
}

static Axis moveAxisOf(tensor::ExtractSliceOp op, int64_t axis, int64_t) {
  if (!isFull(op, op.getSourceType(), axis))
    return std::nullopt;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t before = 0;
  for (int64_t i = 0; i < axis; ++i)
    before += dropped[i];
  return axis - before;
}

static Axis moveAxisOf(tensor::InsertSliceOp op, int64_t axis, int64_t) {
  return op.getSourceType().getRank() == op.getType().getRank() &&
                 isFull(op, op.getType(), axis)
             ? Axis(axis)
             : std::nullopt;
}

static Axis moveAxisOf(tensor::ConcatOp op, int64_t axis, int64_t) {
  return static_cast<int64_t>(op.getDim()) != axis ? Axis(axis) : std::nullopt;
}

static Axis moveAxisOf(tensor::PadOp op, int64_t axis, int64_t) {
  return op.getStaticLow()[axis] == 0 && op.getStaticHigh()[axis] == 0
             ? Axis(axis)
             : std::nullopt;
}

Axis gpuvm::moveAxis(Operation *op, ArrayRef<Axis> operands, int64_t ranks) {
  auto *first = llvm::find_if(operands, [](Axis axis) { return axis; });
  return TypeSwitch<Operation *, Axis>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp,
            tensor::PadOp>([&](auto move) {
        return first != operands.end() ? moveAxisOf(move, **first, ranks)
                                       : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

void gpuvm::resizeMove(Operation *op, int64_t axis) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    expand.setStaticOutputShape(expand.getResultType().getShape());
  auto resize = [&](auto slice, RankedTensorType type) {
    SmallVector<int64_t> sizes(slice.getStaticSizes());
    sizes[axis] = type.getDimSize(axis);
    slice.setStaticSizes(sizes);
  };
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    resize(slice, slice.getSourceType());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    resize(slice, slice.getType());
}
