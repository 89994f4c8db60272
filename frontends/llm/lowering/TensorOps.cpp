//===- TensorOps.cpp - loops over tensors in bodies of stages -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/TensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::ExprBuilder;

RankedTensorType TensorOps::tensor(ArrayRef<int64_t> shape,
                                   Type element) const {
  return RankedTensorType::get(shape, element ? element : b.getF32Type());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> TensorOps::loops(StringRef loops, ArrayRef<Operand> operands,
                                    ArrayRef<Output> outputs, Body body) {
  std::string names = loops.lower();
  auto mapOf = [&](StringRef indices) {
    auto dimensions = llvm::map_to_vector(indices, [&](char name) {
      return b.getAffineDimExpr(names.find(name));
    });
    return AffineMap::get(names.size(), 0, dimensions, b.getContext());
  };
  SmallVector<utils::IteratorType> iterators;
  for (char name : loops)
    iterators.push_back(llvm::isUpper(name) ? utils::IteratorType::reduction
                                            : utils::IteratorType::parallel);
  bool reduces = llvm::is_contained(iterators, utils::IteratorType::reduction);

  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs, initial;
  llvm::DenseMap<char, int64_t> extents;
  for (const Operand &operand : operands) {
    maps.push_back(mapOf(operand.loops));
    inputs.push_back(operand.value);
    for (auto [name, extent] :
         llvm::zip_equal(operand.loops, shapeOf(operand.value)))
      extents[name] = extent;
  }
  SmallVector<Type> types;
  for (const Output &output : outputs) {
    maps.push_back(mapOf(output.loops));
    Shape shape = llvm::map_to_vector<4>(
        output.loops, [&](char name) { return extents.at(name); });
    RankedTensorType type = tensor(shape, output.element);
    types.push_back(type);
    initial.push_back(
        reduces ? arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult()
                : tensor::EmptyOp::create(b, type, ValueRange()).getResult());
  }
  auto op = linalg::GenericOp::create(
      b, types, inputs, initial, maps, iterators,
      [&](OpBuilder &inside, Location loc, ValueRange arguments) {
        ExprBuilder e(inside, loc);
        size_t given = reduces ? arguments.size() : inputs.size();
        auto results = body(e(arguments.take_front(given)));
        linalg::YieldOp::create(inside, loc,
                                llvm::to_vector_of<Value>(results));
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

Value TensorOps::map(StringRef names, ArrayRef<Operand> operands,
                     const Output &output,
                     function_ref<Expr(ArrayRef<Expr>)> body) {
  return loops(names, operands, output,
               [&](ArrayRef<Expr> x) { return SmallVector<Expr>{body(x)}; })
      .front();
}

Value TensorOps::sum(StringRef names, ArrayRef<Operand> operands,
                     StringRef output,
                     function_ref<Expr(ArrayRef<Expr>)> body) {
  return loops(names, operands, Output{b.getF32Type(), output.str()},
               [&](ArrayRef<Expr> x) {
                 Expr term = body(x.drop_back());
                 return SmallVector<Expr>{x.back() + term};
               })
      .front();
}

Value TensorOps::runningSum(Value rows) {
  auto scan =
      gpuvm::ScanOp::create(b, rows.getType(), rows, ValueRange(), Value(),
                            /*dimension=*/shapeOf(rows).size() - 1);
  OpBuilder::InsertionGuard guard(b);
  Type element = getElementTypeOrSelf(rows);
  Block *block = b.createBlock(&scan.getCombine(), {}, {element, element},
                               {b.getLoc(), b.getLoc()});
  Value both =
      arith::AddFOp::create(b, block->getArgument(0), block->getArgument(1));
  gpuvm::YieldOp::create(b, both);
  return scan.getResult(0);
}

Expr TensorOps::iteration(const Expr &element, unsigned loop) {
  return element.builder().make<linalg::IndexOp>(uint64_t(loop)).toWord();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value TensorOps::reshape(Value value, ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  RankedTensorType to = tensor(shape, from.getElementType());
  if (from == to)
    return value;
  bool expands = from.getRank() < to.getRank();
  auto groups = *getReassociationIndicesForReshape(from, to);
  if (!expands)
    return tensor::CollapseShapeOp::create(b, to, value, groups);
  return tensor::ExpandShapeOp::create(b, to, value, groups);
}

Value TensorOps::slice(Value value, unsigned dimension, int64_t place) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  Shape shape;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    bool goes = i == dimension;
    offsets.push_back(b.getIndexAttr(goes ? place : 0));
    sizes.push_back(b.getIndexAttr(goes ? 1 : extent));
    strides.push_back(b.getIndexAttr(1));
    if (!goes)
      shape.push_back(extent);
  }
  return tensor::ExtractSliceOp::create(b, tensor(shape, type.getElementType()),
                                        value, offsets, sizes, strides);
}

Value TensorOps::rowsFrom(Value value, Value position, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  Value rows = tensor::EmptyOp::create(b, Shape{count}, b.getI32Type());
  Value numbers =
      map("r", {{position, ""}, {rows, "r"}}, {b.getI32Type(), "r"},
          [&](ArrayRef<Expr> e) { return e[0] + iteration(e[0], 0); });
  Shape shape(type.getShape());
  shape.front() = count;
  return gpuvm::GatherOp::create(b, tensor(shape, type.getElementType()), value,
                                 numbers);
}

Value TensorOps::concat(unsigned dimension, ValueRange parts) {
  return tensor::ConcatOp::create(b, dimension, parts);
}

Value TensorOps::transpose(Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  Shape shape = llvm::map_to_vector<4>(
      permutation, [&](int64_t from) { return type.getDimSize(from); });
  Value empty = tensor::EmptyOp::create(b, shape, type.getElementType());
  return linalg::TransposeOp::create(b, value, empty, permutation)
      .getResult()
      .front();
}

Value TensorOps::convert(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  RankedTensorType to = tensor(type.getShape(), element);
  if (element.getIntOrFloatBitWidth() < type.getElementTypeBitWidth())
    return arith::TruncFOp::create(b, to, value);
  return arith::ExtFOp::create(b, to, value);
}

//===----------------------------------------------------------------------===//
// Symbols and numbers
//===----------------------------------------------------------------------===//

Value TensorOps::load(StringRef symbol, Type type) {
  return gpuvm::LoadOp::create(b, type, symbol, IntegerAttr());
}

void TensorOps::store(Value value, StringRef symbol, Value position) {
  auto op = gpuvm::StoreOp::create(b, value, symbol);
  if (position)
    op.getPositionMutable().assign(position);
}

void TensorOps::storeEach(Value rows, StringRef symbol, RankedTensorType type,
                          Value positions) {
  int64_t count = shapeOf(rows)[0], width = shapeOf(rows)[1];
  int64_t there = type.getNumElements() / width;
  Value elements = map("ri", {{positions, "r"}, {rows, "ri"}},
                       {b.getI32Type(), "ri"}, [&](ArrayRef<Expr> e) {
                         Expr isInside = e[0] < there; // Unsigned.
                         Expr element = e[0] * width + iteration(e[0], 1);
                         return select(isInside, element, -1);
                       });
  Value old = reshape(load(symbol, type), {there * width});
  auto rule = gpuvm::RuleAttr::get(b.getContext(), gpuvm::Rule::last);
  auto scatter = gpuvm::ScatterOp::create(
      b, old.getType(), reshape(rows, {count * width}),
      reshape(elements, {count * width}), old, b.getArrayAttr(rule));
  scatter.setDistinct(true);
  store(reshape(scatter.getResult(0), type.getShape()), symbol);
}

Value TensorOps::number(int32_t value) {
  return b.constant(tensor({}, b.getI32Type()), value);
}

Value TensorOps::real(float value) {
  return b.constant(tensor({}), llvm::APFloat(value));
}
