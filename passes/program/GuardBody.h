//===- GuardBody.h - bodies that run on a condition -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of lanes that nobody needs may be done, and left aside: but not if
// it might not end, or fail, for elements that nobody made.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/expand/ElementBuilder.h"

namespace mlir::gpuvm {

/// Whether operations of the body may fail, or not end, for elements that
/// nobody made.
bool needsElements(linalg::GenericOp op);

/// The body runs where `condition` holds, and else makes zeros.
void guardBody(linalg::GenericOp op,
               function_ref<Value(ScalarBuilder &)> condition);

} // namespace mlir::gpuvm
