//===- FreeValues.h - values that no command computes ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// Whether a value exists only inside kernels: no command computes it.
bool isFree(Value value);

} // namespace mlir::gpuvm
