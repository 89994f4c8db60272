//===- ElementBuilder.cpp - elementwise operations, in brief --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/ElementBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::gpuvm;

Value ScalarBuilder::integer(Type type, uint64_t value) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return constant(b.getIntegerAttr(
      type, APInt(width, value, /*isSigned=*/false, /*implicitTrunc=*/true)));
}

Value ScalarBuilder::toIndex(Value word) {
  return make<arith::IndexCastOp>(b.getIndexType(), word);
}

Value ScalarBuilder::toWord(Value index) {
  return make<arith::IndexCastOp>(b.getI32Type(), index);
}

Value ScalarBuilder::extend(Value x, Type type) {
  return x.getType() == type ? x : make<arith::ExtUIOp>(type, x);
}

Value ScalarBuilder::narrow(Value x) {
  Type i32 = b.getI32Type();
  return x.getType() == i32 ? x : make<arith::TruncIOp>(i32, x);
}

Value ScalarBuilder::shiftLeft(Value x, unsigned bits) {
  return make<arith::ShLIOp>(x, integer(x.getType(), bits));
}

Value ScalarBuilder::shiftRight(Value x, unsigned bits) {
  return make<arith::ShRUIOp>(x, integer(x.getType(), bits));
}

Value ScalarBuilder::read(Value table, ValueRange indices) {
  return make<tensor::ExtractOp>(table, indices);
}

SmallVector<Value> ScalarBuilder::loop(
    Value begin, Value end, ValueRange start,
    function_ref<SmallVector<Value>(ScalarBuilder &, Value, ValueRange)> body) {
  auto build = [&](OpBuilder &nested, Location l, Value i, ValueRange now) {
    ScalarBuilder inside(nested, l);
    scf::YieldOp::create(nested, l, body(inside, i, now));
  };
  auto loop = scf::ForOp::create(b, loc, begin, end, index(1), start, build);
  return SmallVector<Value>(loop.getResults());
}

Value ScalarBuilder::search(
    Value begin, Value end,
    function_ref<Value(ScalarBuilder &, Value)> isBefore) {
  auto goesOn = [&](OpBuilder &nested, Location l, ValueRange range) {
    ScalarBuilder s(nested, l);
    scf::ConditionOp::create(nested, l, s.less(range[0], range[1]), range);
  };
  auto halve = [&](OpBuilder &nested, Location l, ValueRange range) {
    ScalarBuilder s(nested, l);
    Value middle = s.div(s.add(range[0], range[1]), s.index(2));
    Value isLower = isBefore(s, middle);
    Value low = s.select(isLower, s.add(middle, s.index(1)), range[0]);
    scf::YieldOp::create(nested, l,
                         ValueRange{low, s.select(isLower, range[1], middle)});
  };
  Type type = b.getIndexType();
  return scf::WhileOp::create(b, loc, TypeRange{type, type},
                              ValueRange{begin, end}, goesOn, halve)
      .getResult(0);
}

SmallVector<Value> ScalarBuilder::inlineBlock(Block &block,
                                              ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

Value ScalarBuilder::inlineScalar(Value scalar, IRMapping &known) {
  SmallVector<Value> pending = {scalar};
  while (!pending.empty()) {
    Value next = pending.back();
    if (!known.contains(next)) {
      size_t count = pending.size();
      for (Value operand : llvm::reverse(next.getDefiningOp()->getOperands()))
        if (!isa<ShapedType>(operand.getType()) && !known.contains(operand))
          pending.push_back(operand);
      if (pending.size() != count)
        continue; // Its operands first.
      b.clone(*next.getDefiningOp(), known);
    }
    pending.pop_back();
  }
  return known.lookup(scalar);
}

bool gpuvm::isScalarCode(ValueRange values) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> pending = llvm::to_vector(values);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    if (seen.insert(op).second)
      for (Value operand : op->getOperands())
        if (!isa<ShapedType>(operand.getType()))
          pending.push_back(operand);
  }
  return true;
}

Value gpuvm::reshapeTo(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> dims;
    if (rank > 0)
      dims.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
    return dims;
  };
  int64_t rank = shape.size();
  if (type.getRank() > 1 || (type.getRank() == 1 && rank == 0))
    value = tensor::CollapseShapeOp::create(
        b, loc, value,
        rank == 0 ? ArrayRef<ReassociationIndices>() : all(type.getRank()));
  auto made = RankedTensorType::get(shape, type.getElementType());
  if (value.getType() == made)
    return value;
  bool isScalar = cast<RankedTensorType>(value.getType()).getRank() == 0;
  return tensor::ExpandShapeOp::create(
      b, loc, made, value,
      isScalar ? SmallVector<ReassociationIndices>() : all(rank));
}

linalg::GenericOp gpuvm::makeElements(OpBuilder &b, Location loc,
                                      ArrayRef<int64_t> shape,
                                      TypeRange elementTypes, ValueRange inputs,
                                      ElementsFn build) {
  SmallVector<Type> types;
  SmallVector<Value> inits;
  for (Type element : elementTypes) {
    types.push_back(RankedTensorType::get(shape, element));
    inits.push_back(tensor::EmptyOp::create(b, loc, shape, element));
  }
  int64_t rank = shape.size();
  SmallVector<AffineMap> maps(inputs.size() + inits.size(),
                              b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, types, inputs, inits, maps, loops,
      [&](OpBuilder &nested, Location l, ValueRange arguments) {
        ScalarBuilder s(nested, l);
        SmallVector<Value> indices;
        for (int64_t dim = 0; dim < rank; ++dim)
          indices.push_back(linalg::IndexOp::create(nested, l, dim));
        linalg::YieldOp::create(
            nested, l, build(s, indices, arguments.take_front(inputs.size())));
      });
}

Value gpuvm::makeWords(
    OpBuilder &b, Location loc, ArrayRef<int64_t> shape, ValueRange inputs,
    function_ref<Value(ScalarBuilder &s, ArrayRef<Value> indices,
                       ValueRange elements)>
        build) {
  auto buildOne = [&](ScalarBuilder &s, ArrayRef<Value> indices,
                      ValueRange elements) -> SmallVector<Value> {
    return {build(s, indices, elements)};
  };
  return makeElements(b, loc, shape, b.getI32Type(), inputs, buildOne)
      .getResult(0);
}
