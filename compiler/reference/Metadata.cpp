//===- Metadata.cpp - the norm and the largest value of a message ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"
#include "compiler/reference/LaneReduction.h"
#include "dialects/gpuvm/Reduction.h"

#include <array>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;
using vm::DType;
using vm::HostTensor;

static ElementwiseFn findF32(StringRef name, bool exact) {
  const DType operands[] = {DType::F32, DType::F32};
  return findElementwise(name, operands, DType::F32, exact);
}

/// The payload as f32: integers as signed numbers, i1 as 0 and 1.
static std::vector<float> toFloats(const HostTensor &payload, bool exact) {
  std::vector<float> values(payload.numElements());
  if (payload.dtype == DType::F32) {
    std::memcpy(values.data(), payload.bytes.data(), payload.bytes.size());
    return values;
  }
  bool isFloat = payload.dtype == DType::F16 || payload.dtype == DType::F64 ||
                 payload.dtype == DType::BF16;
  StringRef conversion = isFloat                      ? "arith.truncf"
                         : payload.dtype == DType::I1 ? "arith.uitofp"
                                                      : "arith.sitofp";
  const void *operands[] = {payload.bytes.data()};
  findConversion(conversion, payload.dtype, DType::F32,
                 exact)(operands, values.data(), values.size());
  return values;
}

static HostTensor scalar(float value) {
  HostTensor tensor{DType::F32, {}, std::vector<uint8_t>(sizeof(value))};
  std::memcpy(tensor.bytes.data(), &value, sizeof(value));
  return tensor;
}

/// A reduction of all values to one, from initial value `total`.
static float reduce(ElementwiseFn combine, const std::vector<float> &values,
                    float total, int64_t slices) {
  int64_t count = static_cast<int64_t>(values.size());
  ReductionOrder order = getReductionOrder(/*numResults=*/slices, count,
                                           /*neighbours=*/0,
                                           /*floatBits=*/32);
  LaneReduction lanes(combineBy(combine), {sizeof(float)}, order);
  void *accumulator[] = {&total};
  auto element = [](const float *value) {
    return std::array<const void *, 1>{value};
  };
  if (order.sequential) {
    for (const float &value : values)
      lanes.fold(accumulator, element(&value));
    return total;
  }
  int64_t turn = order.rowsPerTurn() * order.elementsPerRow();
  for (int64_t part = 0; part < order.parts; ++part) {
    lanes.beginPart();
    for (int64_t at = part * turn; at < count; at += order.parts * turn)
      lanes.addRows(at / order.elementsPerRow(), element(values.data() + at),
                    std::min(turn, count - at));
    lanes.endPart();
  }
  float sum;
  void *parts[] = {&sum};
  lanes.finish(parts);
  lanes.fold(accumulator, element(&sum));
  return total;
}

HostTensor gpuvm::reference::computeNorm(const HostTensor &payload,
                                         int64_t slices, bool exact) {
  std::vector<float> squares = toFloats(payload, exact);
  const void *operands[] = {squares.data(), squares.data()};
  findF32("arith.mulf", exact)(operands, squares.data(), squares.size());
  float sum = reduce(findF32("arith.addf", exact), squares, 0.0f, slices);
  float norm;
  const void *root[] = {&sum};
  findF32("math.sqrt", exact)(root, &norm, 1);
  return scalar(norm);
}

HostTensor gpuvm::reference::computeMaxAbs(const HostTensor &payload,
                                           int64_t slices, bool exact) {
  std::vector<float> values = toFloats(payload, exact);
  const void *operands[] = {values.data()};
  findF32("math.absf", exact)(operands, values.data(), values.size());
  return scalar(reduce(findF32("arith.maximumf", exact), values, 0.0f, slices));
}
