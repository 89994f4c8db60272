//===- ForwardStores.h - stores that are forwarded or dead ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/program/FlattenStages.h"

namespace mlir::gpuvm {

/// Replaces loads of what the last store before them stored by that value, in
/// the same block of a flat program, unless it is an update of the symbol.
void forwardStores(ProgramOp program, MutableArrayRef<Exposure> exposures);

/// Erases stores to bytes that a later store of the same block stores again,
/// where nothing loads them in between.
void eraseDeadStores(ProgramOp program);

} // namespace mlir::gpuvm
