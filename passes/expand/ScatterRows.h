//===- ScatterRows.h - rows that come into what is there ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// `old` with the elements of `part` at `places`: numbers of elements, in
/// row-major order, that all differ where they are inside of `old`.
Value scatterElements(OpBuilder &b, Location loc, Value part, Value places,
                      Value old);

/// Whether the elements of `whole` have numbers that are i32.
bool hasWordNumbers(RankedTensorType whole);

/// `old` with the rows of `part` from the row on that `position` says, an i32;
/// rows that would be outside are left out. With as many positions as both have
/// slices, each slice has its own. `old` hasWordNumbers.
Value scatterRows(OpBuilder &b, Location loc, Value part, Value position,
                  Value old);

} // namespace mlir::gpuvm
