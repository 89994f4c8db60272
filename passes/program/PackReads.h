//===- PackReads.h - operations that read very many tensors -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel binds a window for each tensor it reads, and the least capable
// device binds 32. A program may put together, or compute with, any number of
// them, so what is beyond that is copied end to end into a few tensors first.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// Makes the operations of a stage that become kernels read no more tensors
/// than a kernel can bind, as far as these are of few element types. What is
/// decoded, gathered from or updated stays as it is: that is read in its
/// window.
void packReads(StageOp stage);

} // namespace mlir::gpuvm
