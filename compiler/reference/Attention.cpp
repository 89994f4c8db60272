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

static double capped(double score, double cap) {
  return cap * std::tanh(score / cap);
}

/// One result row from the key rows [first, end).
static void attend(AttentionOp op, const double *query, const double *key,
                   const double *value, int64_t first, int64_t end,
                   int64_t size, MutableArrayRef<double> result) {
  double scale = op.getScale().convertToFloat();
  std::vector<double> scores;
  for (int64_t j = first; j < end; ++j) {
    double score = scale * dot(query, key + j * size, size);
    scores.push_back(op.getCap() ? capped(score, op.getCap()->convertToFloat())
                                 : score);
  }
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

/// Of `numbers`, the one for head `head` of `heads` in the cache, kept within 0
/// and its `rows` rows.
static int64_t numberOf(const Tensor &numbers, int64_t head, int64_t heads,
                        int64_t rows) {
  int64_t count = numbers->bytes.size() / sizeof(int32_t);
  int32_t number;
  std::memcpy(&number,
              numbers->bytes.data() + head * count / heads * sizeof(number),
              sizeof(number));
  return std::clamp<int64_t>(number, 0, rows);
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
    auto numberAt = [&](Value operand) {
      return numberOf(env.get(operand), h / perHead, cachedHeads, rows);
    };
    int64_t keys = op.getKeys() ? numberAt(op.getKeys()) : rows;
    int64_t start = op.getFirst() ? numberAt(op.getFirst()) : keys - queries;
    for (int64_t i = 0; i < queries; ++i) {
      int64_t position = start + i;
      int64_t end =
          op.getCausal() ? std::clamp<int64_t>(position + 1, 0, keys) : keys;
      int64_t first = op.getWindow()
                          ? std::max<int64_t>(position + 1 - *op.getWindow(), 0)
                          : 0;
      int64_t cached = h / perHead * rows;
      attend(op, q.data() + (h * queries + i) * size, k.data() + cached * size,
             v.data() + cached * width, first, end, size,
             MutableArrayRef(result).slice((h * queries + i) * width, width));
    }
  }
  vm::HostTensor rounded = *makeZero(op.getResult().getType());
  fromDoubles(result, rounded);
  return SmallVector<Tensor>{share(std::move(rounded))};
}
