//===- Regulators.cpp - the machine watches itself ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"

#include <cmath>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

template <typename T> static T element(const Tensor &tensor, size_t i) {
  T value;
  std::memcpy(&value, tensor->bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void setElement(vm::HostTensor &tensor, size_t i, T value) {
  std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
}

/// As numbers are in --exact: subnormal ones are zeros.
static float flush(float x, const Environment &env) {
  return env.exact && std::fpclassify(x) == FP_SUBNORMAL
             ? std::copysign(0.0f, x)
             : x;
}

Results reference::evaluate(RegulateOp op, const Environment &env) {
  const Tensor &measure = env.get(op.getMeasure());
  vm::HostTensor scale = *makeZero(op.getScale().getType());
  vm::HostTensor stable = *makeZero(op.getStable().getType());
  float target = op.getTarget().convertToFloat();
  float low = op.getLow().convertToFloat(),
        high = op.getHigh().convertToFloat();
  for (size_t i = 0; i < measure->bytes.size() / sizeof(float); ++i) {
    float m = flush(element<float>(measure, i), env);
    bool isOut = m > high || m < low;
    float ideal = flush(flush(target, env) / (m > 1e-4f ? m : 1e-4f), env);
    setElement<float>(scale, i, isOut ? ideal : 1);
    setElement<int32_t>(stable, i, isOut ? 0 : 1);
  }
  return SmallVector<Tensor>{share(std::move(scale)), share(std::move(stable))};
}

Results reference::evaluate(RunningMeanOp op, const Environment &env) {
  const Tensor &means = env.get(op.getMean());
  const Tensor &counts = env.get(op.getCount());
  const Tensor &values = env.get(op.getValue());
  vm::HostTensor newMeans = *means, newCounts = *counts;
  for (size_t i = 0; i < means->bytes.size() / sizeof(float); ++i) {
    float mean = flush(element<float>(means, i), env);
    float value = flush(element<float>(values, i), env);
    auto more = static_cast<int32_t>(element<uint32_t>(counts, i) + 1);
    if (std::isnan(value))
      continue;
    float part = flush(value - mean, env) / static_cast<float>(more);
    setElement(newMeans, i, flush(mean + flush(part, env), env));
    setElement(newCounts, i, more);
  }
  return SmallVector<Tensor>{share(std::move(newMeans)),
                             share(std::move(newCounts))};
}
