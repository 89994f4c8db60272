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

/// Index arithmetic.
struct Indices {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value mul(Value x, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(loc, x, constant(factor));
  }
  Value flat(ArrayRef<int64_t> shape);
  RandomPlace place(ArrayRef<int64_t> shape, int64_t perBlock);
};
} // namespace

/// The number of the element.
Value Indices::flat(ArrayRef<int64_t> shape) {
  Value number = constant(0);
  for (auto [dim, size] : llvm::enumerate(shape))
    number = add(mul(number, size),
                 linalg::IndexOp::create(b, loc, dim).getResult());
  return number;
}

/// Where rows consist of whole blocks, the block and the place in it are a
/// quotient and a remainder of the last index, by which the emitter sees that
/// neighbours share a block.
RandomPlace Indices::place(ArrayRef<int64_t> shape, int64_t perBlock) {
  bool aligned =
      shape.size() == 1 || (!shape.empty() && shape.back() % perBlock == 0);
  Value index =
      aligned ? linalg::IndexOp::create(b, loc, shape.size() - 1) : flat(shape);
  Value each = constant(perBlock);
  Value block = arith::DivUIOp::create(b, loc, index, each);
  if (shape.size() > 1 && aligned)
    block = add(mul(flat(shape.drop_back()), shape.back() / perBlock), block);
  return {block, arith::RemUIOp::create(b, loc, index, each)};
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
static Value makeNumber(RandomOp op, OpBuilder &b, ValueRange operands) {
  Location loc = op.getLoc();
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Type type = result.getElementType();
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  RandomSource source = {{operands[0], operands[1]}, {zero, zero}};
  if (Value stream = op.getStream()) {
    source.stream[0] = operands[2];
    if (cast<RankedTensorType>(stream.getType()).getRank() == 1)
      source.stream[1] = operands[3];
  }
  RandomCode code(b, loc, source);
  Indices indices{b, loc};
  if (op.getKind() == RandomKind::permutation)
    return code.permuted(indices.flat(result.getShape()),
                         result.getNumElements());
  RandomPlace at =
      indices.place(result.getShape(), RandomCode::elementsPerBlock(type));
  if (op.getKind() == RandomKind::below) {
    Value limit = op.getLimit()
                      ? operands.back()
                      : arith::ConstantOp::create(
                            b, loc, b.getIntegerAttr(type, *op.getBound()));
    return code.below(at, limit);
  }
  Type word = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value bits = code.bits(at, word, zero);
  if (op.getKind() == RandomKind::uniform)
    return code.uniform(bits, type);
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
      [&](OpBuilder &b, Location l, ValueRange operands) {
        Value made = makeNumber(op, b, operands.drop_back());
        linalg::YieldOp::create(b, l, made);
      });
  if (op.getKind() != RandomKind::permutation)
    generic->setAttr(kSharesBlocksAttr, rewriter.getUnitAttr());
  rewriter.replaceOp(op, generic.getResults());
  return success();
}

void gpuvm::populateRandomPatterns(RewritePatternSet &patterns) {
  patterns.add<RandomToGeneric>(patterns.getContext());
}
