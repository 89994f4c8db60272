//===- InnerReduction.h - short reductions inside a kernel ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction of few elements that others read melts into its reader like any
// elementwise operation (`kInnerAttr`): the products of 32 bytes of a quantized
// row, say, before their sum is scaled.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Reduction.h"

namespace mlir::gpuvm {

/// Whether `map` divides nothing.
bool isLinear(AffineMap map);

/// How many elements one result of a reduction has.
int64_t countReduced(linalg::GenericOp op);

/// How many neighbours along the last reduction loop of an inner reduction can
/// be emitted at once: a power of two that divides that loop.
int64_t countAtOnce(linalg::GenericOp op);

/// Bytes that an instruction multiplies and adds up.
inline constexpr int64_t kDotBytes = 4;

/// Accumulator + left * right, where the factors are bytes, values of the body
/// of type i8, and the accumulator is an i32.
struct ByteProduct {
  Value left, right;
  bool leftIsSigned, rightIsSigned;
};
std::optional<ByteProduct> matchByteProduct(linalg::GenericOp op,
                                            unsigned accumulator);

/// Whether some inner reduction of the kernel adds up products of bytes four at
/// a time.
bool hasDotProducts(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
