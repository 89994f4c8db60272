//===- Edits.h - edits that shrink a program --------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each edit changes a module in place and says whether it has changed anything.
// What it leaves may be invalid: the reducer verifies it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mlir::gpuvm::reduce {

/// What users of an operation that goes are given in the place of its results.
enum class Instead {
  zeros, ///< Constants; a stage's messages become those of others.
  other, ///< An operand of the type, or a block argument.
};

/// The number of operations that may go, in the order of the text.
size_t countOperations(ModuleOp module);

/// Takes operations [first, first + count) away, but for those whose results
/// nothing can replace.
bool takeAway(ModuleOp module, size_t first, size_t count, Instead instead);

/// The number of outputs of all programs.
size_t countOutputs(ModuleOp module);
bool dropOutput(ModuleOp module, size_t number);

/// Takes away what is not used: inputs of programs and stages, messages, inputs
/// of `linalg.generic`. `only`: the one with this number, counted up to it.
bool dropUnused(ModuleOp module, std::optional<size_t> only = std::nullopt);

} // namespace mlir::gpuvm::reduce
