//===- Attention.cpp - gpuvm.attention in f64 -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition of the operation, computed in f64 and rounded once: what
// kernels compute in f32 is compared with it within a bound.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

static double dot(const double *a, const double *b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// One result row from the key rows [first, end).
static void attend(const double *query, const double *key, const double *value,
                   int64_t first, int64_t end, double scale, int64_t size,
                   MutableArrayRef<double> result) {
  std::vector<double> scores;
  for (int64_t j = first; j < end; ++j)
    scores.push_back(scale * dot(query, key + j * size, size));
  std::fill(result.begin(), result.end(), 0);
  if (scores.empty())
    return;
  double top = *std::max_element(scores.begin(), scores.end()), total = 0;
  if (top == -std::numeric_limits<double>::infinity())
    return;
  for (int64_t j = first; j < end; ++j) {
    double weight = std::exp(scores[j - first] - top);
    total += weight;
    for (size_t e = 0; e < result.size(); ++e)
      result[e] += weight * value[j * result.size() + e];
  }
  for (double &element : result)
    element /= total;
}

/// How many of the `rows` rows of head `head` of `heads` in the cache are keys.
static int64_t countKeys(AttentionOp op, const Environment &env, int64_t head,
                         int64_t heads, int64_t rows) {
  if (!op.getKeys())
    return rows;
  const Tensor &counts = env.get(op.getKeys());
  int64_t number = counts->bytes.size() / sizeof(int32_t);
  int32_t count;
  std::memcpy(&count,
              counts->bytes.data() + head * number / heads * sizeof(count),
              sizeof(count));
  return std::clamp<int64_t>(count, 0, rows);
}

Results gpuvm::reference::evaluate(AttentionOp op, const Environment &env) {
  const Tensor &query = env.get(op.getQuery());
  const Tensor &key = env.get(op.getKey());
  int64_t heads = query->shape[0], queries = query->shape[1];
  int64_t rows = key->shape[1], size = key->shape[2];
  int64_t width = env.get(op.getValue())->shape[2];
  int64_t perHead = heads / key->shape[0];
  int64_t cachedHeads = key->shape[0];
  std::vector<double> q = toDoubles(*query), k = toDoubles(*key),
                      v = toDoubles(*env.get(op.getValue()));
  std::vector<double> result(heads * queries * width);
  for (int64_t h = 0; h < heads; ++h) {
    int64_t keys = countKeys(op, env, h / perHead, cachedHeads, rows);
    for (int64_t i = 0; i < queries; ++i) {
      int64_t position = keys - queries + i;
      int64_t end = op.getCausal() ? std::max<int64_t>(position + 1, 0) : keys;
      int64_t first = op.getWindow()
                          ? std::max<int64_t>(position + 1 - *op.getWindow(), 0)
                          : 0;
      int64_t cached = h / perHead * rows;
      attend(q.data() + (h * queries + i) * size, k.data() + cached * size,
             v.data() + cached * width, first, end,
             op.getScale().convertToFloat(), size,
             MutableArrayRef(result).slice((h * queries + i) * width, width));
    }
  }
  vm::HostTensor rounded = *makeZero(op.getResult().getType());
  fromDoubles(result, rounded);
  return SmallVector<Tensor>{share(std::move(rounded))};
}
