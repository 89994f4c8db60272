//===- IndexSums.h - indices that are sums of others ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal indices are one value, whichever way leads to them, so that the same
// place of a tensor is found to be the same.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KernelBuilder.h"

namespace mlir::gpuvm {

bool isConstantIndex(Value index);

/// Whether two indices are known to be the same number.
bool isSameIndex(Value a, Value b);

/// `base` plus `constant`, which is a constant: the value that there is for
/// this sum where the kernel is being written, or a new one.
Value addConstant(KernelBuilder &k, Value base, Value constant);

} // namespace mlir::gpuvm
