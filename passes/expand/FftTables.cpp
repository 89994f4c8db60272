//===- FftTables.cpp - the constants of transforms ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/FftTables.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::gpuvm;

/// exp(i (pi / 2) part / of) for 0 <= part < of, both parts to the last digits:
/// what is close to a zero is computed from its distance to it.
static LongComplex quarterTurn(int64_t part, int64_t of) {
  if (part == 0)
    return {1, 0};
  auto angle = [&](int64_t n) {
    return std::numbers::pi_v<long double> / 2 * n / of;
  };
  if (2 * part <= of)
    return {std::cos(angle(part)), std::sin(angle(part))};
  return {std::sin(angle(of - part)), std::cos(angle(of - part))};
}

LongComplex gpuvm::rootOfUnity(int64_t turns, int64_t of) {
  turns = ((-turns) % of + of) % of;
  LongComplex root = quarterTurn(4 * turns % of, of);
  switch (4 * turns / of) {
  case 0:
    return root;
  case 1:
    return {-root.imag(), root.real()};
  case 2:
    return -root;
  default:
    return {root.imag(), -root.real()};
  }
}

LongSignal gpuvm::twiddleTable(const FftStages &stages) {
  LongSignal table;
  for (const FftStage &stage : ArrayRef(stages).drop_front())
    for (int64_t q = 1; q < stage.radix; ++q)
      for (int64_t n = 0; n < stage.before; ++n)
        table.push_back(rootOfUnity(q * n, stage.before * stage.radix));
  return table;
}

LongSignal gpuvm::chirp(int64_t length, int sign) {
  LongSignal result;
  int64_t square = 0; // n^2 modulo the period.
  for (int64_t n = 0; n < length; ++n) {
    result.push_back(rootOfUnity(-sign * square, 2 * length));
    square = (square + 2 * n + 1) % (2 * length);
  }
  return result;
}

static bool hasOnlyFactors(int64_t n, int64_t largest) {
  for (int64_t factor = 2; factor <= largest; ++factor)
    while (n % factor == 0)
      n /= factor;
  return n == 1;
}

bool gpuvm::isSmooth(int64_t length) {
  return hasOnlyFactors(length, kMaxFftPrime);
}

int64_t gpuvm::nextSmooth(int64_t least) {
  constexpr int64_t kLargest = 7;
  while (!hasOnlyFactors(least, kLargest))
    ++least;
  return least;
}

/// The transform of every `stride`-th element; sizes are smooth.
static LongSignal transform(const LongComplex *x, int64_t count, int64_t stride,
                            const LongSignal &roots) {
  if (count == 1)
    return {*x};
  int64_t factor = 2;
  while (count % factor != 0)
    ++factor;
  int64_t rest = count / factor;
  LongSignal result(count);
  for (int64_t q = 0; q < factor; ++q) {
    LongSignal part = transform(x + q * stride, rest, stride * factor, roots);
    for (int64_t k = 0; k < count; ++k)
      result[k] += part[k % rest] * roots[q * k % count * stride];
  }
  return result;
}

LongSignal gpuvm::chirpSpectrum(const LongSignal &chirp, int64_t size) {
  LongSignal extended(size), roots;
  for (size_t n = 0; n < chirp.size(); ++n)
    extended[n] = extended[(size - n) % size] = chirp[n];
  for (int64_t k = 0; k < size; ++k)
    roots.push_back(rootOfUnity(k, size));
  return transform(extended.data(), size, 1, roots);
}

DenseElementsAttr gpuvm::toAttribute(const LongSignal &signal, Type element) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(signal.size()), 2}, element);
  if (element.isF64()) {
    std::vector<double> numbers;
    for (LongComplex c : signal)
      for (long double part : {c.real(), c.imag()})
        numbers.push_back(static_cast<double>(part));
    return DenseElementsAttr::get(type, ArrayRef(numbers));
  }
  std::vector<float> numbers;
  for (LongComplex c : signal)
    for (long double part : {c.real(), c.imag()})
      numbers.push_back(static_cast<float>(part));
  return DenseElementsAttr::get(type, ArrayRef(numbers));
}
