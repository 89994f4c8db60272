//===- EmptyTensors.h - tensors without elements ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor may have no elements, as a slice of 0 rows has. No device has such a
// tensor: what is computed of it is known.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// Leaves inputs and outputs of `program` as the only tensors without elements:
/// stages and repeats neither take nor give them, a program returns inputs or
/// constants, and the only symbols are those of the heap that are inputs. In a
/// stage a reduction of one is its initial value, one of several tensors that
/// are concatenated is left out, and so on (EmptyOperands.h). Emits an error at
/// what has no such rule.
LogicalResult dropEmptyTensors(ProgramOp program);

} // namespace mlir::gpuvm
