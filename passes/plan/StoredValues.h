//===- StoredValues.h - values in the symbol they are stored to -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is stored to a symbol is computed in the symbol's window if no
// command in between accesses that, and the store is erased.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/analysis/Effects.h"

namespace mlir::gpuvm {

/// Gives stored values their symbol's window and erases stores that copy a
/// window to itself. Symbols have windows, and loads their homes; with
/// `inPlace` a kernel may update what it reads. A predicated store whose value
/// cannot be computed in place is done by a predicated kernel. A store over a
/// part of what it stores takes a copy of that, which has no home. Kernels copy
/// after a long loop that the device ends.
void makeValuesInTheirSymbols(ProgramOp program, ValueHomes &homes,
                              bool inPlace);

} // namespace mlir::gpuvm
