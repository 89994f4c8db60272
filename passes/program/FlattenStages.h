//===- FlattenStages.h - stages laid end to end ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first half of gpuvm-form-kernels: the stages' bodies move into the
// program itself, messages become plain tensors, and what a stage was remains
// in attributes of its operations and in a list of registers.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// The stage an operation of a flat program is from.
inline constexpr StringLiteral kStageAttr = "gpuvm.stage";
/// Operations with the same unit may share a kernel.
inline constexpr StringLiteral kUnitAttr = "gpuvm.unit";

/// A value that register `reg` of a stage holds, for the host to read.
struct Exposure {
  Value value;
  int64_t reg, instance;
};

/// What is left of stages once their bodies are one program.
struct FlatStages {
  SmallVector<Exposure> exposures;
  /// Of values that are rows of a bounded message: the symbol with their count.
  llvm::DenseMap<Value, StringAttr> rows;
};

/// Leaves out operands that no body looks at: a kernel would wait for them.
void dropUnusedOperands(StageOp stage);

/// Inserts commands: one for each value that leaves the stage's body, or is
/// decoded, and has no producer that is a command, and one for each operand
/// that a command updates, if others read it. An operation that reads more
/// tensors than a kernel can bind reads some of them packed.
void materializeEscapes(StageOp stage);

/// Replaces the stages by their bodies. Emits an error if a body holds what an
/// earlier pass had to remove.
FailureOr<FlatStages> flattenStages(ProgramOp program);

/// Gives a loaded value that is used after a store to the same bytes a window
/// of its own.
void copyLoadsThatOutliveTheirSymbol(ProgramOp program,
                                     MutableArrayRef<Exposure> exposures);

} // namespace mlir::gpuvm
