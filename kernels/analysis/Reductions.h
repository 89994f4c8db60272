//===- Reductions.h - the reductions of a kernel --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Reduction.h"

namespace mlir::gpuvm {

/// The reductions of a kernel, in order; empty for root map.
SmallVector<linalg::GenericOp> getReductions(flow::DispatchOp kernel);

/// What partial results of a reduction in lanes consist of: its accumulators;
/// for each choice the number of the element that was chosen, -1 if none was;
/// for each claim whether there was an element yet.
SmallVector<Type> getPartialTypes(linalg::GenericOp op);

} // namespace mlir::gpuvm
