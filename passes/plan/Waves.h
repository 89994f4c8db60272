//===- Waves.h - commands without a barrier between them --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// The numbers of the waves that commands are in.
using Waves = llvm::DenseMap<Operation *, unsigned>;

/// Sorts commands by their waves, otherwise in program order.
void sortByWaves(SmallVectorImpl<CommandOpInterface> &commands,
                 const Waves &waves);

/// Moves the commands of a program, all of them, to their order in `commands`.
/// The ends of loops stay, and what names values comes after them.
void placeCommands(ProgramOp program, ArrayRef<CommandOpInterface> commands);

} // namespace mlir::gpuvm
