//===- GuardBody.h - bodies that run on a condition -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes may compute values that are not demanded, and discard them: but not if
// the code might not terminate, or fail, on elements that were not computed.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/expand/ElementBuilder.h"

namespace mlir::gpuvm {

/// Whether operations of the body may fail, or not terminate, on elements that
/// were not computed.
bool needsElements(linalg::GenericOp op);

/// The body runs where `condition` is true, and gives zeros otherwise.
void guardBody(linalg::GenericOp op,
               function_ref<Value(ScalarBuilder &)> condition);

} // namespace mlir::gpuvm
