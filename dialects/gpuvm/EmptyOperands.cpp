//===- EmptyOperands.cpp - operations on tensors without elements ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/EmptyOperands.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

Value gpuvm::makeZeros(OpBuilder &b, Location loc, Type type, Value like) {
  auto tensor = cast<RankedTensorType>(type);
  if (hasNoElements(tensor))
    return tensor::EmptyOp::create(b, loc, tensor.getShape(),
                                   tensor.getElementType());
  RankedTensorType all = withAllRows(tensor);
  Value zeros =
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(all)));
  if (tensor == all)
    return zeros;
  return BoundedOp::create(b, loc, tensor, zeros,
                           CountOp::create(b, loc, like));
}

static bool isEmpty(Value value) { return hasNoElements(value.getType()); }

/// One row of integers, of which no result is used.
static RankedTensorType unusedRow(Value like) {
  return RankedTensorType::get({1}, typeOf(like).getElementType());
}

namespace {

/// A function for each operation that has a rule of its own.
class Rules {
public:
  explicit Rules(Operation *op) : b(op), loc(op->getLoc()) {}

  SmallVector<Value> operator()(tensor::ConcatOp op);
  SmallVector<Value> operator()(tensor::PadOp op);
  SmallVector<Value> operator()(tensor::InsertSliceOp op);
  SmallVector<Value> operator()(tensor::ExtractOp op);
  SmallVector<Value> operator()(GatherOp op);
  SmallVector<Value> operator()(AttentionOp op);
  SmallVector<Value> operator()(CompactOp op);
  SmallVector<Value> operator()(MergeOp op);
  SmallVector<Value> operator()(SearchSortedOp op);
  SmallVector<Value> operator()(ScatterOp op);
  SmallVector<Value> operator()(Histogram2dOp op);
  SmallVector<Value> operator()(SegmentReduceOp op);
  SmallVector<Value> operator()(ExpandOp op);
  SmallVector<Value> operator()(DistinctOp op);
  SmallVector<Value> operator()(MatchOp op);
  SmallVector<Value> operator()(DestinationStyleOpInterface op);

private:
  Value zeros(Value result, Value like = {}) {
    return makeZeros(b, loc, result.getType(), like);
  }

  OpBuilder b;
  Location loc;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

SmallVector<Value> Rules::operator()(tensor::ConcatOp op) {
  SmallVector<Value> inputs;
  llvm::copy_if(op.getInputs(), std::back_inserter(inputs),
                [](Value input) { return !isEmpty(input); });
  if (inputs.size() == 1)
    return inputs;
  return {tensor::ConcatOp::create(b, loc, op.getType(), op.getDim(), inputs)};
}

/// Nothing is padded but padding.
SmallVector<Value> Rules::operator()(tensor::PadOp op) {
  auto generated =
      tensor::GenerateOp::create(b, loc, op.getType(), ValueRange());
  generated.getBody().takeBody(op.getRegion());
  return {generated};
}

SmallVector<Value> Rules::operator()(tensor::InsertSliceOp op) {
  return {op.getDest()};
}

/// No index is inside: as for others outside of a table, nothing else happens.
SmallVector<Value> Rules::operator()(tensor::ExtractOp op) {
  return {arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(op.getType())))};
}

SmallVector<Value> Rules::operator()(GatherOp op) {
  return {zeros(op.getResult(), op.getRows())};
}

/// A dimension of length 0 that the result does not have is reduced.
SmallVector<Value> Rules::operator()(DestinationStyleOpInterface op) {
  return llvm::to_vector_of<Value>(op.getDpsInits());
}

/// No query sees a key.
SmallVector<Value> Rules::operator()(AttentionOp op) {
  if (typeOf(op.getKey()).getDimSize(1) > 0)
    return {};
  return {zeros(op.getResult())};
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

SmallVector<Value> Rules::operator()(CompactOp op) {
  SmallVector<Value> payloads, values;
  SmallVector<Type> types;
  bool keepsNone = isEmpty(op.getKeep());
  for (auto [payload, result] :
       llvm::zip_equal(op.getPayloads(), op.getResults())) {
    values.push_back(isEmpty(result) ? zeros(result) : Value());
    if (isEmpty(result))
      continue;
    payloads.push_back(payload);
    types.push_back(result.getType());
  }
  if (keepsNone) {
    values.push_back(zeros(op.getCount()));
    return values;
  }
  types.push_back(op.getCount().getType());
  auto rest = CompactOp::create(b, loc, types, payloads, op.getKeep());
  unsigned next = 0;
  for (Value &value : values)
    if (!value)
      value = rest.getResults()[next++];
  values.push_back(rest.getCount());
  return values;
}

SmallVector<Value> Rules::operator()(MergeOp op) {
  bool isSecond = isEmpty(op.getFirst());
  SmallVector<Value> values = {isSecond ? op.getSecond() : op.getFirst()};
  llvm::append_range(values,
                     isSecond ? op.getSecondPayloads() : op.getFirstPayloads());
  return values;
}

SmallVector<Value> Rules::operator()(SearchSortedOp op) {
  return {zeros(op.getResult(), op.getQueries())};
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

SmallVector<Value> Rules::operator()(ScatterOp op) {
  if (!isEmpty(op.getPositions()))
    return {};
  return op.getInitial();
}

SmallVector<Value> Rules::operator()(Histogram2dOp op) {
  return {zeros(op.getCounts())};
}

/// Each segment is empty.
SmallVector<Value> Rules::operator()(SegmentReduceOp op) {
  SmallVector<Value> values;
  for (auto [initial, result] :
       llvm::zip_equal(op.getInitial(), op.getResults())) {
    RankedTensorType type = typeOf(result);
    if (initial.getType() == type) {
      values.push_back(initial);
      continue;
    }
    auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    Value init =
        tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    values.push_back(
        linalg::BroadcastOp::create(b, loc, initial, init, dimensions)
            ->getResult(0));
  }
  return values;
}

SmallVector<Value> Rules::operator()(ExpandOp op) {
  if (isEmpty(op.getCounts()))
    return {zeros(op.getRows()), zeros(op.getOrdinals()), zeros(op.getTotal())};
  Type row = unusedRow(op.getRows());
  auto counted = ExpandOp::create(b, loc, row, row, op.getTotal().getType(),
                                  op.getCounts());
  return {zeros(op.getRows()), zeros(op.getOrdinals()), counted.getTotal()};
}

SmallVector<Value> Rules::operator()(DistinctOp op) {
  if (isEmpty(op.getNumbers()))
    return {zeros(op.getNumbers()), zeros(op.getRows()), zeros(op.getCount())};
  auto counted = DistinctOp::create(b, loc, op.getNumbers().getType(),
                                    unusedRow(op.getRows()),
                                    op.getCount().getType(), op.getKeys());
  return {counted.getNumbers(), zeros(op.getRows()), counted.getCount()};
}

SmallVector<Value> Rules::operator()(MatchOp op) {
  if (isEmpty(op.getOrder())) {
    Value keys = op.getKeys().front();
    return {zeros(op.getFirst(), keys), zeros(op.getCounts(), keys),
            zeros(op.getOrder())};
  }
  SmallVector<Value> keys;
  for (Value key : op.getKeys())
    keys.push_back(makeZeros(b, loc, unusedRow(key)));
  Type row = unusedRow(op.getFirst());
  auto ordered = MatchOp::create(b, loc, row, row, op.getOrder().getType(),
                                 keys, op.getTable());
  return {zeros(op.getFirst()), zeros(op.getCounts()), ordered.getOrder()};
}

SmallVector<Value> gpuvm::withoutEmpty(Operation *op) {
  OpBuilder b(op);
  SmallVector<Value> folded;
  if (succeeded(b.tryFold(op, folded)))
    return folded;
  Rules rules(op);
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<tensor::ConcatOp, tensor::PadOp, tensor::InsertSliceOp,
            tensor::ExtractOp, GatherOp, AttentionOp, CompactOp, MergeOp,
            SearchSortedOp, ScatterOp, Histogram2dOp, SegmentReduceOp, ExpandOp,
            DistinctOp, MatchOp, DestinationStyleOpInterface>(rules)
      .Default([](Operation *) { return SmallVector<Value>(); });
}
