//===- StoredValues.h - values made in the symbol they are stored to ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is stored to a symbol is made in the symbol's window where
// nothing else touches it in between, and the store is gone.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// The windows of values, as far as they have one.
using ValueHomes = llvm::DenseMap<Value, WindowAttr>;

/// Gives stored values their symbol's window and erases stores that copy a
/// window to itself. Symbols have windows, and loads their homes; with
/// `inPlace` a kernel may update what it reads. What is stored on a condition,
/// and cannot be made in its place, is stored by a kernel that waits for it. A
/// store over a part of what it stores takes a copy of that, which has no home.
/// Kernels copy after a long loop that the device ends.
void makeValuesInTheirSymbols(ProgramOp program, ValueHomes &homes,
                              bool inPlace);

} // namespace mlir::gpuvm
