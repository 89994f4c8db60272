//===- Generalize.h - stage bodies in one form ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gpuvm-generalize does to one stage, for passes that need that form
// earlier.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::gpuvm {

/// The patterns for `generalizeStage`.
FrozenRewritePatternSet getGeneralizePatterns(MLIRContext *context);

/// Those of them that `generalizeDense` needs.
FrozenRewritePatternSet getDensePatterns(MLIRContext *context);

/// Those of them that lower `gpuvm.random` to `linalg.generic`.
void populateRandomPatterns(RewritePatternSet &patterns);

/// Those that lower `gpuvm.regulate` and the like to `linalg.generic`.
void populateExpandRegulatorsPatterns(RewritePatternSet &patterns);

/// Those that lower slices at dynamic offsets, stores at positions and written
/// elements to `linalg.generic` and `gpuvm.scatter`.
void populateExpandSlicesPatterns(RewritePatternSet &patterns);

/// Those that lower other operations of tensor, linalg and scf to
/// `linalg.generic` and to operations that move elements.
void populateExpandTensorsPatterns(RewritePatternSet &patterns);

/// Brings what computes elements in the body of a stage into the form of
/// `linalg.generic`, and fixes the order of reductions. Sorts, groups and joins
/// stay as they are, and nothing is checked.
LogicalResult generalizeDense(StageOp stage,
                              const FrozenRewritePatternSet &patterns);

/// Brings the body of a stage into the form of `linalg.generic` and moves its
/// constants that are no splat to the heap. Emits an error for what no kernel
/// can hold. Folds nothing.
LogicalResult generalizeStage(StageOp stage,
                              const FrozenRewritePatternSet &patterns);

/// Moves the part of a reduction's body that computes with elements in loops
/// that may run long to a map before it. `op` is general; where it is no such
/// reduction nothing changes.
void splitLoops(linalg::GenericOp op);

/// Makes small types (SmallTypes.h) bytes, everywhere in a program whose stages
/// are general. Emits an error for what has no code on them.
LogicalResult lowerSmallTypes(ProgramOp program);

} // namespace mlir::gpuvm
