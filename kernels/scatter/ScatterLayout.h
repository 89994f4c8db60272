//===- ScatterLayout.h - how scatters are laid over the device --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

/// `vector`: updates that a lane takes at once.
struct ScatterLayout : LayoutOf<ScatterLayout> {
  int64_t updates = 1;   ///< How many.
  int64_t positions = 1; ///< Elements of a result.
  /// Of the results, in workgroup memory; none if the results are too long.
  int64_t copies = 0;
  /// An element of 64 bits is combined at once.
  bool int64Atomics = false;

  void visit(LayoutFields &fields) override;
};

/// Lays out a kernel with root scatter.
ScatterLayout layOutScatter(flow::DispatchOp kernel);

/// Whether the kernel, which has a scatter, has results of 64 bits.
bool usesInt64Atomics(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
