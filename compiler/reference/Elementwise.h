//===- Elementwise.h - scalar operations on runs of elements --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each scalar operation of `arith` and `math` computes, applied to many
// elements at a time. An operation is found by its name, so this part of the
// reference interpreter needs no MLIR: IntegerOps.cpp, FloatOps.cpp,
// MathOps.cpp and Conversions.cpp are lists of one-line functions.
//
// Where upstream leaves the result open, the reference chooses:
//   - integer division and remainder by zero, and INT_MIN / -1, are faults;
//   - a shift by the width or more shifts everything out (`shrsi`: leaves the
//     sign);
//   - float to integer saturates, and a NaN becomes 0;
//   - flags that only add poison (nsw, nuw, exact, fastmath) are ignored;
//   - a computed NaN is the quiet NaN with sign and payload zero;
//   - of -0 and +0, `maxnumf` returns +0 and `minnumf` -0.
//
// f16 is computed in f32 and rounded once, which is exact for + - * / and sqrt;
// functions of `math` are computed in a wider type and rounded once.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/io/HostTensor.h"
#include "runtime/plan/Plan.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace mlir::gpuvm::reference {

/// Why element `element` has no result; no fault if `what` is null.
struct Fault {
  const char *what = nullptr;
  size_t element = 0;
};

/// Computes `count` results from contiguous operands. The result may be one of
/// the operands.
using ElementwiseFn = Fault (*)(const void *const *operands, void *result,
                                size_t count);

/// The operation `name` ("arith.addi", "arith.cmpi.slt", "math.sincos#1"), or
/// null if the reference does not know it for these types. `exact` selects the
/// arithmetic of `gpuvm-compile --exact`. Operations of `arith` on floats,
/// roundings to whole numbers, absf and copysign then flush subnormal operands
/// and results to zeros of the same sign; select, bitcast and constants move
/// bits.
ElementwiseFn findElementwise(std::string_view name,
                              std::span<const vm::DType> operands,
                              vm::DType result, bool exact);

// The four lists; `type` is the type of the operands.
ElementwiseFn findIntegerOp(std::string_view name, vm::DType type);
ElementwiseFn findFloatOp(std::string_view name, vm::DType type, bool exact);
ElementwiseFn findMathOp(std::string_view name, vm::DType type);
ElementwiseFn findConversion(std::string_view name, vm::DType from,
                             vm::DType to, bool exact);

/// The elements of a tensor of floats.
std::vector<double> toDoubles(const vm::HostTensor &tensor);

/// Makes `values`, rounded once, the elements of a tensor of floats.
void fromDoubles(std::span<const double> values, vm::HostTensor &tensor);

} // namespace mlir::gpuvm::reference
