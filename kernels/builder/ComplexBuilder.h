//===- ComplexBuilder.h - arithmetic on complex numbers ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Over the kernel builder: sums, products, and discrete Fourier transforms of a
// few elements in registers. Additions, subtractions and multiplications only,
// in an order that nothing but the number of elements decides.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"
#include "kernels/builder/KernelBuilder.h"

namespace mlir::gpuvm {

struct Complex {
  Value re, im;
  Complex swapped() const { return {im, re}; }
};
using Complexes = SmallVector<Complex>;

class ComplexBuilder {
public:
  ComplexBuilder(KernelBuilder &kernel, Type element)
      : e(kernel.ir(), kernel.loc()), element(element) {}

  Complex multiply(Complex a, Complex b);
  Complex scale(Complex a, long double factor);
  /// The transform X[k] = sum of x[n] exp(-2 pi i k n / count).
  Complexes transform(ArrayRef<Complex> x);

private:
  Expr real(long double value);
  Complex add(Complex a, Complex b);
  Complex sub(Complex a, Complex b);
  Complex rotate(Complex a, int64_t turns, int64_t of);
  Complex rotateEighths(Complex a, int64_t eighths);
  Complexes transformPrime(ArrayRef<Complex> x);

  ExprBuilder e;
  Type element;
};

} // namespace mlir::gpuvm
