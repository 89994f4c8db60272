//===- CutLoops.h - which loop ranks share --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation whose operands are cut into blocks, one for each rank, is itself
// cut along one of its loops, or moves elements of blocks as it moves those of
// the whole.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mlir::gpuvm {

/// Along which axis a value is cut into blocks; none if all ranks have it
/// whole.
using Axis = std::optional<int64_t>;

/// A loop that is cut into blocks.
struct LoopCut {
  unsigned loop;
  SmallVector<Axis> operandAxes; ///< How each operand has to be cut.
  /// If the loop reduces: how what ranks have of each result is combined.
  SmallVector<Rule> rules;
};

/// The loop for which the fewest bytes have to be exchanged, of those that
/// operands which are cut are cut along; none if there is none that blocks
/// can be computed of. A reduction is cut if any order has the same bits.
std::optional<LoopCut> chooseLoop(linalg::GenericOp op, int64_t ranks,
                                  function_ref<Axis(Value)> axisOf);

/// Whether `op` is a reduction of which the order can be seen in its results.
bool reducesFloats(linalg::GenericOp op);

/// The axis of the result along which `op`, a reshape, another operation that
/// moves elements or a scan, is cut as its operands are; none if elements of
/// one block come from another. All operands that are tensors are cut along one
/// axis.
Axis moveAxis(Operation *op, ArrayRef<Axis> operands, int64_t ranks);

/// Gives `op`, such an operation whose operands are blocks along `axis` now and
/// whose result is one, the sizes of these.
void resizeMove(Operation *op, int64_t axis);

} // namespace mlir::gpuvm
