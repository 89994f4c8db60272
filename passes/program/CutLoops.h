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
  /// How many rows more than its block each operand is read at: a window slides
  /// over it.
  SmallVector<int64_t> moreRows;
  /// If the loop reduces: how what ranks have of each result is combined.
  SmallVector<Rule> rules;
};

/// The loop for which the fewest bytes have to be exchanged, of those that
/// operands are cut along, or that `others` has; none if there is none that
/// blocks can be computed of. A reduction is cut if any order has the same
/// bits, or, unless `exact`, if it is claimed to be associative.
std::optional<LoopCut> chooseLoop(linalg::GenericOp op, int64_t ranks,
                                  function_ref<Axis(Value)> axisOf,
                                  ArrayRef<unsigned> others, bool exact);

/// How far beyond its own row a window reaches whose place along an axis is
/// `place`: the number of `loop` and of other loops, times what is not
/// negative. None if it is something else.
std::optional<int64_t> windowOf(AffineExpr place, unsigned loop,
                                ArrayRef<int64_t> ranges);

/// Whether `op` is a reduction of which the order can be seen in its results.
bool reducesFloats(linalg::GenericOp op);

/// The axis of the result along which `op`, a reshape or another operation that
/// moves elements, is cut as its operands are; none if elements of one block
/// come from another. All operands that are tensors are cut along one axis.
Axis moveAxis(Operation *op, ArrayRef<Axis> operands, int64_t ranks);

/// Gives `op`, such an operation whose operands are blocks along `axis` now and
/// whose result is one, the sizes of these.
void resizeMove(Operation *op, int64_t axis);

} // namespace mlir::gpuvm
