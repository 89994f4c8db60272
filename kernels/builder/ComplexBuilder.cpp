//===- ComplexBuilder.cpp - arithmetic on complex numbers -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/ComplexBuilder.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr long double kTurn = 2 * std::numbers::pi_v<long double>;

Expr ComplexBuilder::real(long double value) {
  return e.constant(element, static_cast<double>(value));
}
Complex ComplexBuilder::add(Complex a, Complex b) {
  return {e(a.re) + b.re, e(a.im) + b.im};
}
Complex ComplexBuilder::sub(Complex a, Complex b) {
  return {e(a.re) - b.re, e(a.im) - b.im};
}

Complex ComplexBuilder::multiply(Complex a, Complex b) {
  Expr re = e(a.re) * b.re;
  re = re - e(a.im) * b.im;
  Expr im = e(a.re) * b.im;
  return {re, im + e(a.im) * b.re};
}

Complex ComplexBuilder::scale(Complex a, long double factor) {
  return {e(a.re) * real(factor), e(a.im) * real(factor)};
}

/// a exp(-2 pi i eighths / 8)
Complex ComplexBuilder::rotateEighths(Complex a, int64_t eighths) {
  switch (eighths) {
  case 0:
    return a;
  case 2:
    return {a.im, -e(a.re)};
  case 4:
    return {-e(a.re), -e(a.im)};
  case 6:
    return {-e(a.im), a.re};
  default:
    break;
  }
  Expr sum = e(a.re) + a.im, difference = e(a.re) - a.im;
  Expr half = real(std::sqrt(0.5L)), minusHalf = real(-std::sqrt(0.5L));
  switch (eighths) {
  case 1:
    return {sum * half, difference * minusHalf};
  case 3:
    return {difference * minusHalf, sum * minusHalf};
  case 5:
    return {sum * minusHalf, difference * half};
  default:
    return {difference * half, sum * half};
  }
}

/// a exp(-2 pi i turns / of)
Complex ComplexBuilder::rotate(Complex a, int64_t turns, int64_t of) {
  turns %= of;
  if (turns * 8 % of == 0)
    return rotateEighths(a, turns * 8 / of);
  long double angle = kTurn * turns / of;
  Expr c = real(std::cos(angle)), s = real(std::sin(angle));
  Expr re = a.re * c;
  re = re + a.im * s;
  Expr im = a.im * c;
  return {re, im - a.re * s};
}

/// Elements n and count - n meet the same cosines, and sines of opposite signs.
Complexes ComplexBuilder::transformPrime(ArrayRef<Complex> x) {
  int64_t count = x.size(), pairs = count / 2;
  Complexes sums, differences, result(count, x[0]);
  for (int64_t n = 1; n <= pairs; ++n) {
    sums.push_back(add(x[n], x[count - n]));
    differences.push_back(sub(x[n], x[count - n]));
    result[0] = add(result[0], sums.back());
  }
  for (int64_t f = 1; f <= pairs; ++f) {
    Complex even = x[0], odd;
    for (int64_t n = 1; n <= pairs; ++n) {
      long double angle = kTurn * (f * n % count) / count;
      even = add(even, scale(sums[n - 1], std::cos(angle)));
      Complex part = scale(differences[n - 1], std::sin(angle));
      odd = n == 1 ? part : add(odd, part);
    }
    result[f] = {e(even.re) + odd.im, e(even.im) - odd.re};
    result[count - f] = {e(even.re) - odd.im, e(even.im) + odd.re};
  }
  return result;
}

/// The factor that a transform of `count` elements is taken apart by.
static int64_t chooseFactor(int64_t count) {
  if (count > 4 && count % 4 == 0)
    return 4;
  for (int64_t factor = 2; factor * factor <= count; ++factor)
    if (count % factor == 0)
      return factor;
  return count;
}

Complexes ComplexBuilder::transform(ArrayRef<Complex> x) {
  int64_t count = x.size();
  if (count == 1)
    return {x[0]};
  if (count == 2)
    return {add(x[0], x[1]), sub(x[0], x[1])};
  int64_t factor = chooseFactor(count), rest = count / factor;
  if (rest == 1)
    return transformPrime(x);
  SmallVector<Complexes> inner(factor); ///< By frequency of the factor.
  for (int64_t n = 0; n < rest; ++n) {
    Complexes taken;
    for (int64_t m = 0; m < factor; ++m)
      taken.push_back(x[rest * m + n]);
    for (auto [f, value] : llvm::enumerate(transform(taken)))
      inner[f].push_back(rotate(value, n * f, count));
  }
  Complexes result(count);
  for (int64_t f = 0; f < factor; ++f)
    for (auto [g, value] : llvm::enumerate(transform(inner[f])))
      result[f + factor * g] = value;
  return result;
}
