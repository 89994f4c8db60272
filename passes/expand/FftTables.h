//===- FftTables.h - the constants of transforms ----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twiddle factors, chirps and spectra that the compiler computes, in more
// digits than any device has: entries of a table are rounded once.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/FftStages.h"
#include "mlir/IR/BuiltinTypes.h"

#include <complex>
#include <vector>

namespace mlir::gpuvm {

using LongComplex = std::complex<long double>;
using LongSignal = std::vector<LongComplex>;

/// exp(-2 pi i turns / of): a rotation by `turns` / `of` of a circle; `turns`
/// may be negative.
LongComplex rootOfUnity(int64_t turns, int64_t of);

/// The table of `countTwiddles(stages)` entries.
LongSignal twiddleTable(const FftStages &stages);

/// exp(sign pi i n^2 / length) for n = 0 .. length - 1.
LongSignal chirp(int64_t length, int sign);

/// The spectrum of the convolution with `chirp`, extended to negative n, for
/// signals of `size` elements; chirp.size() - 1 of them are zeros.
LongSignal chirpSpectrum(const LongSignal &chirp, int64_t size);

/// The smallest number from `least` on without a prime factor above 7.
int64_t nextSmooth(int64_t least);
/// Whether no prime factor of `length` is too large for a stage.
bool isSmooth(int64_t length);

/// A tensor<n x 2 x element> of these numbers, rounded.
DenseElementsAttr toAttribute(const LongSignal &signal, Type element);

} // namespace mlir::gpuvm
