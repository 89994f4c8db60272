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

Expr ScalarBuilder::read(Value table, ArrayRef<Expr> indices) const {
  return make<tensor::ExtractOp>(table, llvm::to_vector_of<Value>(indices));
}

SmallVector<Value> ScalarBuilder::loop(
    const Expr &begin, const Expr &end, ValueRange start,
    function_ref<SmallVector<Value>(ScalarBuilder &, const Expr &, ValueRange)>
        body) const {
  auto build = [&](OpBuilder &nested, Location l, Value i, ValueRange now) {
    ScalarBuilder inside(nested, l);
    scf::YieldOp::create(nested, l, body(inside, inside(i), now));
  };
  auto loop =
      scf::ForOp::create(ir(), loc(), begin, end, index(1), start, build);
  return SmallVector<Value>(loop.getResults());
}

Expr ScalarBuilder::search(
    const Expr &begin, const Expr &end,
    function_ref<Expr(ScalarBuilder &, const Expr &)> isBefore) const {
  auto goesOn = [&](OpBuilder &nested, Location l, ValueRange range) {
    Expr isAny = lessSigned(ExprBuilder(nested, l)(range[0]), range[1]);
    scf::ConditionOp::create(nested, l, isAny, range);
  };
  auto halve = [&](OpBuilder &nested, Location l, ValueRange range) {
    ScalarBuilder s(nested, l);
    Expr middle = (s(range[0]) + range[1]) / 2, isLower = isBefore(s, middle);
    Expr low = select(isLower, middle + 1, range[0]);
    scf::YieldOp::create(nested, l,
                         ValueRange{low, select(isLower, range[1], middle)});
  };
  Type type = ir().getIndexType();
  auto search = scf::WhileOp::create(ir(), loc(), TypeRange{type, type},
                                     ValueRange{begin, end}, goesOn, halve);
  return (*this)(search.getResult(0));
}

SmallVector<Value> ScalarBuilder::inlineBlock(Block &block,
                                              ValueRange arguments) const {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    ir().clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

Expr ScalarBuilder::inlineScalar(Value scalar, IRMapping &known) const {
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
      ir().clone(*next.getDefiningOp(), known);
    }
    pending.pop_back();
  }
  return (*this)(known.lookup(scalar));
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
        SmallVector<Expr> indices;
        for (int64_t dim = 0; dim < rank; ++dim)
          indices.push_back(s.make<linalg::IndexOp>(dim));
        auto elements = s(arguments.take_front(inputs.size()));
        linalg::YieldOp::create(nested, l, build(s, indices, elements));
      });
}

Value gpuvm::makeWords(
    OpBuilder &b, Location loc, ArrayRef<int64_t> shape, ValueRange inputs,
    function_ref<Expr(ScalarBuilder &s, ArrayRef<Expr> indices,
                      ArrayRef<Expr> elements)>
        build) {
  auto buildOne = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                      ArrayRef<Expr> elements) -> SmallVector<Value> {
    return {build(s, indices, elements)};
  };
  return makeElements(b, loc, shape, b.getI32Type(), inputs, buildOne)
      .getResult(0);
}
