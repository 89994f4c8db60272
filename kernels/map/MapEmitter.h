//===- MapEmitter.h - the code of maps ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/family/RootEmitter.h"

namespace mlir::gpuvm {

LogicalResult emitMap(EmitterContext &context);
/// Emits the kernel that leaves elements, and the one that computes those.
LogicalResult emitLimitedMap(EmitterContext &context);
LogicalResult emitResumingMap(EmitterContext &context);
/// Emits a map that holds values for a tile of results (HaloTile.h).
LogicalResult emitHaloMap(EmitterContext &context);

/// Has the first lane of all compute the results of a single element.
LogicalResult emitSingleElements(EmitterContext &context);

/// Stores element `i` of the results of a map, if what `mayStore` emits, when
/// they are known, says so.
LogicalResult emitElement(EmitterContext &context, Value i,
                          function_ref<Value()> mayStore = {});

} // namespace mlir::gpuvm
