//===- BodyTraits.cpp - what the body of a kernel asks for
//----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/BodyTraits.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/analysis/Reductions.h"
#include "kernels/analysis/Updates.h"
#include "kernels/elements/InnerReduction.h"
#include "kernels/spirv/ExpandOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// What functions of `math` take beyond the operation that they are counted as.
static int64_t countHidden(linalg::GenericOp op) {
  int64_t count = 0;
  op->walk([&](Operation *inner) { count += countExpanded(inner) - 1; });
  return count;
}

/// Whether an operation of a kernel that reduces is done once for a result, not
/// for every element.
static bool isOnResults(linalg::GenericOp op) {
  auto kernel = op->getParentOfType<flow::DispatchOp>();
  if (kernel.getRoot() != Root::reduce || isReduction(op))
    return false;
  auto product = [](linalg::GenericOp generic) {
    return ShapedType::getNumElements(generic.getStaticLoopRanges());
  };
  return product(op) < product(getReductions(kernel).front());
}

static void inspectGeneric(linalg::GenericOp op, BodyTraits &traits) {
  bool reduces = op.getNumReductionLoops() != 0;
  bool isInner = op->hasAttr(kInnerAttr);
  traits.isNested |= isInner;
  int64_t times = isInner ? countReduced(op) : 1;
  if (!isOnResults(op))
    traits.ops += times * (costOf(op) + countHidden(op));
  traits.loops |= hasLoops(op);
  op->walk([&](tensor::ExtractOp read) {
    traits.gathers += !read.getIndices().empty();
  });
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (reduces && op.isDpsInit(&operand))
      continue;
    // The result's shape decides, not the loops': a permuted result map has
    // been interchanged away.
    traits.needsIndices |= !map.isIdentity() && map.getNumResults() != 0;
    traits.linear &= isLinear(map);
  }
  for (Operation &inner : *op.getBody())
    traits.needsIndices |= isa<linalg::IndexOp>(inner);
}

static void inspectDecode(DecodeOp op, BodyTraits &traits) {
  PackedType packed = op.getPackedType();
  traits.ops += packed.getCodec().getCost(packed.getLayout());
  traits.run = std::max(traits.run,
                        packed.getCodec().getPreferredRun(packed.getLayout()));
}

static bool takesSeveralWindows(flow::DispatchOp kernel) {
  uint64_t maxBytes = getMaxWindowBytes(kernel->getParentOfType<ProgramOp>());
  auto isSplit = [&](Type type) {
    return countWindows(cast<RankedTensorType>(type), maxBytes) > 1;
  };
  return llvm::any_of(kernel.getOperandTypes(), isSplit) ||
         llvm::any_of(kernel.getResultTypes(), isSplit);
}

BodyTraits gpuvm::inspectBody(flow::DispatchOp kernel) {
  BodyTraits traits;
  traits.split = takesSeveralWindows(kernel);
  llvm::DenseSet<Operation *> placing = getPlacing(kernel);
  for (Operation &op : kernel.getBody().front()) {
    if (placing.contains(&op))
      continue;
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      inspectGeneric(generic, traits);
    if (auto decode = dyn_cast<DecodeOp>(op))
      inspectDecode(decode, traits);
    bool reshapes = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
    traits.needsIndices |= movesElements(&op) && !reshapes;
    traits.reshapes |= reshapes;
  }
  return traits;
}

/// Of the operands that the kernel computes with.
static SmallVector<Type> readTypes(flow::DispatchOp kernel,
                                   const llvm::DenseSet<Operation *> &placing) {
  SmallVector<Type> types;
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (placing.empty() ||
        llvm::any_of(argument.getUsers(), [&](Operation *user) {
          return !placing.contains(body.findAncestorOpInBlock(*user));
        }))
      types.push_back(argument.getType());
  return types;
}

bool gpuvm::rowsHoldVectors(flow::DispatchOp kernel, int64_t vector) {
  auto fits = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getRank() < 2 ||
           tensor.getShape().back() % vector == 0;
  };
  llvm::DenseSet<Operation *> placing = getPlacing(kernel);
  bool all = llvm::all_of(readTypes(kernel, placing), fits);
  for (Operation &op : kernel.getBody().front())
    all &= placing.contains(&op) || llvm::all_of(op.getResultTypes(), fits);
  return all;
}

bool gpuvm::keepsNeighbours(flow::DispatchOp kernel, const BodyTraits &traits,
                            int64_t vector) {
  return !traits.loops && (!traits.needsIndices ||
                           (traits.linear && rowsHoldVectors(kernel, vector)));
}

bool gpuvm::keepsLoopNeighbours(flow::DispatchOp kernel,
                                const BodyTraits &traits, int64_t vector) {
  return traits.linear && (!traits.reshapes || rowsHoldVectors(kernel, vector));
}

static bool isDecoded(Value operand) {
  return llvm::any_of(operand.getUsers(),
                      [](Operation *user) { return isa<DecodeOp>(user); });
}

int64_t gpuvm::preferredVector(flow::DispatchOp kernel) {
  uint64_t widest = 1, narrowest = 8;
  SmallVector<Type> types(kernel.getResultTypes());
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!isDecoded(argument)) // Packed data is read in words of its own.
      types.push_back(argument.getType());
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getNumElements() == 1)
      continue;
    uint64_t bytes = elementBytes(tensor.getElementType());
    widest = std::max(widest, bytes);
    narrowest = std::min(narrowest, bytes);
  }
  if (narrowest == 8)
    return 2;
  return 16 / std::min<uint64_t>(widest, 4);
}
