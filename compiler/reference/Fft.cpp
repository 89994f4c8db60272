//===- Fft.cpp - discrete Fourier transforms in f64 -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions of gpuvm.fft, rfft, irfft and convolve, computed in f64 and
// rounded once: what kernels compute is compared with them within a bound. A
// transform is taken apart by the prime factors of its length (Cooley and
// Tukey, 1965), which only reorders the sum of the definition.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"

#include <complex>
#include <numbers>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

using Complex = std::complex<double>;
using Signal = std::vector<Complex>;

static Signal toComplex(const vm::HostTensor &tensor) {
  std::vector<double> numbers = toDoubles(tensor);
  Signal signal(numbers.size() / 2);
  for (size_t i = 0; i < signal.size(); ++i)
    signal[i] = {numbers[2 * i], numbers[2 * i + 1]};
  return signal;
}

static Results rounded(const std::vector<double> &values, Type type) {
  vm::HostTensor tensor = *makeZero(type);
  fromDoubles(values, tensor);
  return SmallVector<Tensor>{share(std::move(tensor))};
}

static Results rounded(const Signal &signal, Type type) {
  std::vector<double> numbers;
  for (Complex c : signal) {
    numbers.push_back(c.real());
    numbers.push_back(c.imag());
  }
  return rounded(numbers, type);
}

//===----------------------------------------------------------------------===//
// One transform
//===----------------------------------------------------------------------===//

/// exp(sign 2 pi i k / n) for k = 0 .. n - 1.
static Signal unitRoots(int64_t n, int sign) {
  Signal roots(n);
  for (int64_t k = 0; k < n; ++k)
    roots[k] =
        std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) /
                            static_cast<double>(n));
  return roots;
}

static int64_t smallestFactor(int64_t n) {
  for (int64_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0)
      return factor;
  return n;
}

/// The transform of every `stride`-th of `n` elements from `x` on; root number
/// k of `n` is `roots[k * stride]`.
static Signal transform(const Complex *x, int64_t n, int64_t stride,
                        const Signal &roots) {
  if (n == 1)
    return {*x};
  int64_t factor = smallestFactor(n), rest = n / factor;
  std::vector<Signal> parts;
  for (int64_t q = 0; q < factor; ++q)
    parts.push_back(transform(x + q * stride, rest, stride * factor, roots));
  Signal result(n);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t q = 0; q < factor; ++q)
      result[k] += parts[q][k % rest] * roots[q * k % n * stride];
  return result;
}

static Signal transform(const Signal &signal, bool inverse) {
  int64_t n = signal.size();
  Signal result =
      transform(signal.data(), n, 1, unitRoots(n, inverse ? 1 : -1));
  if (inverse)
    for (Complex &c : result)
      c /= static_cast<double>(n);
  return result;
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

Results gpuvm::reference::evaluate(FftOp op, const Environment &env) {
  Signal source = toComplex(*env.get(op.getSource()));
  auto from = cast<RankedTensorType>(op.getSource().getType());
  int64_t taken = op.getTransformed(), given = op.getPlaced();
  int64_t length = from.getDimSize(taken);
  SmallVector<int64_t> to(from.getShape());
  to.erase(to.begin() + taken);
  to.insert(to.begin() + given, length);
  // Complex numbers one after another along the dimension, and how often.
  int64_t step = product(from.getShape().drop_front(taken + 1).drop_back());
  int64_t newStep = product(ArrayRef(to).drop_front(given + 1).drop_back());
  Signal result(source.size());
  int64_t transforms = source.size() / length;
  for (int64_t t = 0; t < transforms; ++t) {
    int64_t first = t / step * step * length + t % step;
    int64_t newFirst = t / newStep * newStep * length + t % newStep;
    Signal signal(length);
    for (int64_t n = 0; n < length; ++n)
      signal[n] = source[first + n * step];
    signal = transform(signal, op.getInverse());
    for (int64_t n = 0; n < length; ++n)
      result[newFirst + n * newStep] = signal[n];
  }
  return rounded(result, op.getResult().getType());
}

Results gpuvm::reference::evaluate(ConvolveOp op, const Environment &env) {
  Signal source = toComplex(*env.get(op.getSource()));
  Signal spectrum = toComplex(*env.get(op.getSpectrum()));
  auto type = cast<RankedTensorType>(op.getSource().getType());
  int64_t length = type.getDimSize(type.getRank() - 2);
  for (auto first = source.begin(); first != source.end(); first += length) {
    Signal signal = transform(Signal(first, first + length), false);
    for (int64_t k = 0; k < length; ++k)
      signal[k] *= spectrum[first - source.begin() + k];
    signal = transform(signal, true);
    std::copy(signal.begin(), signal.end(), first);
  }
  return rounded(source, op.getResult().getType());
}

Results gpuvm::reference::evaluate(RfftOp op, const Environment &env) {
  std::vector<double> source = toDoubles(*env.get(op.getSource()));
  int64_t length =
      cast<RankedTensorType>(op.getSource().getType()).getShape().back();
  Signal result;
  for (auto first = source.begin(); first != source.end(); first += length) {
    Signal signal = transform(Signal(first, first + length), false);
    result.insert(result.end(), signal.begin(),
                  signal.begin() + length / 2 + 1);
  }
  return rounded(result, op.getResult().getType());
}

Results gpuvm::reference::evaluate(IrfftOp op, const Environment &env) {
  Signal source = toComplex(*env.get(op.getSource()));
  int64_t length =
      cast<RankedTensorType>(op.getResult().getType()).getShape().back();
  int64_t kept = length / 2 + 1;
  std::vector<double> result;
  for (auto first = source.begin(); first != source.end(); first += kept) {
    Signal signal(length);
    for (int64_t k = 0; k < length; ++k)
      signal[k] = k < kept ? first[k] : std::conj(first[length - k]);
    signal[0] = signal[0].real();
    if (length % 2 == 0)
      signal[length / 2] = signal[length / 2].real();
    for (Complex c : transform(signal, true))
      result.push_back(c.real());
  }
  return rounded(result, op.getResult().getType());
}
