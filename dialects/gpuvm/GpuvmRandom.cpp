//===- GpuvmRandom.cpp - random numbers -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

static bool mayHold(RandomKind kind, Type element) {
  switch (kind) {
  case RandomKind::bits:
  case RandomKind::below:
    return element.isInteger(32) || element.isInteger(64);
  case RandomKind::uniform:
    return element.isF32() || element.isF64();
  case RandomKind::normal:
    return element.isF32();
  case RandomKind::permutation:
    return element.isInteger(32);
  }
  llvm_unreachable("there are no other kinds");
}

LogicalResult RandomOp::verify() {
  Type word = IntegerType::get(getContext(), 32);
  auto one = RankedTensorType::get({}, word);
  auto two = RankedTensorType::get({2}, word);
  if (getSeed().getType() != two) // C1
    return emitOpError("C1: a seed is a tensor<2xi32>, not ")
           << getSeed().getType();
  if (Value stream = getStream();
      stream && stream.getType() != one && stream.getType() != two) // C1
    return emitOpError("C1: a stream is a tensor<i32> or a tensor<2xi32>, not ")
           << stream.getType();
  Type element = getElementTypeOrSelf(getResult().getType());
  if (!mayHold(getKind(), element)) // C2
    return emitOpError("C2: there are no numbers \"")
           << stringifyRandomKind(getKind()) << "\" of type " << element;
  bool hasBound = getBound().has_value(), hasLimit = getLimit() != Value();
  bool isBelow = getKind() == RandomKind::below;
  if (isBelow ? hasBound == hasLimit : hasBound || hasLimit) // C3
    return emitOpError("C3: \"below\", and nothing else, has either a bound or "
                       "a limit");
  if (hasBound) {
    auto bound = static_cast<int64_t>(*getBound());
    if (bound < 1 || (element.isInteger(32) && bound > INT32_MAX)) // C3
      return emitOpError("C3: the bound ")
             << bound << " is no positive number of type " << element;
  }
  if (hasLimit &&
      getLimit().getType() != RankedTensorType::get({}, element)) // C3
    return emitOpError("C3: the limit is a tensor<")
           << element << ">, not " << getLimit().getType();
  return success();
}
