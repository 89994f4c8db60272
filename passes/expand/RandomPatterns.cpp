//===- RandomPatterns.cpp - random numbers as linalg.generic --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ScalarBody.h"
#include "passes/expand/Generalize.h"
#include "passes/expand/RandomCode.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// Reads single elements of the operands.
struct RandomToGeneric : OpRewritePattern<RandomOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RandomOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// The number of the element.
static Expr flatIndex(const ExprBuilder &b, ArrayRef<int64_t> shape) {
  ExprBuilder folding(b.ir(), b.loc(), Folding::Arithmetic);
  Expr number = folding.index(0);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    number = number * size;
    number = number + b.make<linalg::IndexOp>(dim);
  }
  return number;
}

/// Where rows consist of whole blocks, the block and the place in it are a
/// quotient and a remainder of the last index, by which the emitter sees that
/// neighbours share a block.
static RandomPlace placeOf(const ExprBuilder &b, ArrayRef<int64_t> shape,
                           int64_t perBlock) {
  bool aligned =
      shape.size() == 1 || (!shape.empty() && shape.back() % perBlock == 0);
  Expr index = aligned ? b.make<linalg::IndexOp>(shape.size() - 1)
                       : b(flatIndex(b, shape));
  Expr each = b.index(perBlock), block = index / each;
  if (shape.size() > 1 && aligned)
    block = flatIndex(b, shape.drop_back()) * (shape.back() / perBlock) + block;
  return {block, index % each};
}

/// An element of `tensor`, one of 0 or 1 dimensions, for a generic of `loops`.
static AffineMap elementOf(Value tensor, int64_t i, int64_t loops) {
  MLIRContext *context = tensor.getContext();
  if (cast<RankedTensorType>(tensor.getType()).getRank() == 0)
    return AffineMap::get(loops, /*symbolCount=*/0, context);
  return AffineMap::get(loops, 0, getAffineConstantExpr(i, context));
}

/// The number at the loops' indices; `operands` are the key, the stream as far
/// as it is given, and a limit.
static Expr makeNumber(RandomOp op, const ExprBuilder &b,
                       ArrayRef<Expr> operands) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Type type = result.getElementType();
  Expr zero = b.word(0);
  RandomSource source = {{operands[0], operands[1]}, {zero, zero}};
  if (Value stream = op.getStream()) {
    source.stream[0] = operands[2];
    if (cast<RankedTensorType>(stream.getType()).getRank() == 1)
      source.stream[1] = operands[3];
  }
  RandomCode code(b, source);
  if (op.getKind() == RandomKind::permutation)
    return code.permuted(flatIndex(b, result.getShape()),
                         result.getNumElements());
  RandomPlace at =
      placeOf(b, result.getShape(), RandomCode::elementsPerBlock(type));
  if (op.getKind() == RandomKind::below)
    return code.below(at, op.getLimit() ? operands.back()
                                        : b.constant(type, *op.getBound()));
  Type word = b.ir().getIntegerType(type.getIntOrFloatBitWidth());
  Expr bits = code.bits(at, word, zero);
  if (op.getKind() == RandomKind::uniform)
    return code.uniform(bits);
  return op.getKind() == RandomKind::normal ? code.normal(bits) : bits;
}

LogicalResult
RandomToGeneric::matchAndRewrite(RandomOp op, PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto read = [&](Value tensor) {
    int64_t count = cast<RankedTensorType>(tensor.getType()).getNumElements();
    for (int64_t i = 0; i < count; ++i) {
      inputs.push_back(tensor);
      maps.push_back(elementOf(tensor, i, type.getRank()));
    }
  };
  read(op.getSeed());
  if (op.getStream())
    read(op.getStream());
  if (op.getLimit())
    read(op.getLimit());
  maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
  auto generic = linalg::GenericOp::create(
      rewriter, loc, type, inputs, init, maps, loops,
      [&](OpBuilder &inside, Location l, ValueRange operands) {
        ExprBuilder b(inside, l);
        Value made = makeNumber(op, b, b(operands.drop_back()));
        linalg::YieldOp::create(inside, l, made);
      });
  if (op.getKind() != RandomKind::permutation)
    generic->setAttr(kSharesBlocksAttr, rewriter.getUnitAttr());
  rewriter.replaceOp(op, generic.getResults());
  return success();
}

void gpuvm::populateRandomPatterns(RewritePatternSet &patterns) {
  patterns.add<RandomToGeneric>(patterns.getContext());
}
