//===- GpuvmDense.cpp - dense computation beyond linalg -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The longest query and value rows of attention: what the lanes of a workgroup
/// hold in registers.
static constexpr int64_t kMaxHeadSize = 512;

/// Whether `type` holds a number, or one for each few cached heads.
static bool isForHeads(RankedTensorType type, int64_t cachedHeads) {
  if (!type.getElementType().isInteger(32) || type.getRank() > 1)
    return false;
  int64_t counts = type.getNumElements();
  return counts == 0 ? cachedHeads == 0 : cachedHeads % counts == 0;
}

LogicalResult AttentionOp::verify() {
  RankedTensorType query = typeOf(getQuery()), key = typeOf(getKey()),
                   value = typeOf(getValue()), result = typeOf(getResult());
  for (RankedTensorType type : {query, key, value, result})
    if (type.getRank() != 3) // C1
      return emitOpError("C1: ") << type << " does not have three dimensions";
  auto is = [](RankedTensorType type, int64_t a, int64_t b, int64_t c) {
    return type.getShape() == ArrayRef<int64_t>{a, b, c};
  };
  int64_t heads = query.getDimSize(0), cached = key.getDimSize(0);
  int64_t rows = key.getDimSize(1), size = key.getDimSize(2);
  if (!is(query, heads, query.getDimSize(1), size)) // C1
    return emitOpError("C1: query rows have ")
           << query.getDimSize(2) << " elements and key rows " << size;
  if (!is(value, cached, rows, value.getDimSize(2))) // C1
    return emitOpError("C1: there is not one value row per key row");
  if (!is(result, heads, query.getDimSize(1), value.getDimSize(2))) // C1
    return emitOpError("C1: the result is not a value row per query row");
  if (cached == 0 ? heads != 0 : heads % cached != 0) // C1
    return emitOpError("C1: ") << cached << " heads of keys do not divide "
                               << heads << " heads of queries";
  for (RankedTensorType type : {query, key, value})
    if (!type.getElementType().isF16() && !type.getElementType().isF32()) // C2
      return emitOpError("C2: elements are f16 or f32, not ")
             << type.getElementType();
  if (result.getElementType() != query.getElementType()) // C2
    return emitOpError("C2: the result has not the query's element type");
  auto isRight = [&](Value numbers) {
    return !numbers || isForHeads(typeOf(numbers), cached);
  };
  if (!isRight(getKeys())) // C3
    return emitOpError("C3: the number of keys is a tensor<i32>, or one for "
                       "each of as many that divide ")
           << cached << " heads of keys, not " << getKeys().getType();
  if (!isRight(getFirst())) // C3
    return emitOpError("C3: the first position is a tensor<i32>, or one for "
                       "each of as many that divide ")
           << cached << " heads of keys, not " << getFirst().getType();
  if (getWindow() && (*getWindow() < 1 || !getCausal())) // C4
    return emitOpError("C4: a window is positive and causal");
  if (std::max(size, value.getDimSize(2)) > kMaxHeadSize) // C5
    return emitOpError("C5: rows have more than ")
           << kMaxHeadSize << " elements";
  if (getCap() && !(getCap()->isFinite() && *getCap() > APFloat(0.0f))) // C6
    return emitOpError("C6: a cap is positive and finite, not ")
           << getCapAttr();
  return success();
}

Root AttentionOp::getRoot() { return Root::attention; }

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto rows = cast<RankedTensorType>(getRows().getType());
  if (!rows.getElementType().isInteger(32) || source.getRank() == 0) // C1
    return emitOpError("C1: ")
           << rows << " does not hold numbers of rows of " << source;
  SmallVector<int64_t> shape(rows.getShape());
  llvm::append_range(shape, source.getShape().drop_front());
  auto picked =
      RankedTensorType::get(shape, source.getElementType(), rows.getEncoding());
  if (getResult().getType() != picked) // C2
    return emitOpError("C2: the rows picked make ")
           << picked << ", not " << getResult().getType();
  return success();
}
