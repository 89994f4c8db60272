//===- EmptyTensors.h - tensors without elements in stages -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside of a stage a tensor may have no elements, as a slice of 0 rows has. No
// device has such a tensor: what is computed of it is known.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// A tensor with a static shape, one of whose dimensions is 0.
bool hasNoElements(Type type);

/// Takes the tensors without elements out of the stages of `program`: a
/// reduction of one is its initial value, one of several tensors that are
/// concatenated is left out, and so on. Emits an error at what needs an element
/// of one.
LogicalResult dropEmptyTensors(ProgramOp program);

} // namespace mlir::gpuvm
