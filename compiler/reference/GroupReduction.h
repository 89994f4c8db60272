//===- GroupReduction.h - accumulators that are combined together ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/LaneReduction.h"
#include "compiler/reference/ScalarCode.h"

namespace mlir::gpuvm::reference {

/// Some accumulators of a reduction and the lanes that combine them.
struct GroupReduction {
  SmallVector<unsigned> accumulators;
  LaneReduction lanes;
};

/// One for each operation and each claim of `combiner`; choices have none,
/// since their results do not depend on the order. `failed` is set when a body
/// has no result for some partial results; an error has been emitted then.
FailureOr<std::vector<GroupReduction>>
makeGroupReductions(linalg::GenericOp op, const Combiner &combiner,
                    const ReductionOrder &order, const Environment &env,
                    const std::shared_ptr<bool> &failed);

/// The operations of the body that need an accumulator.
SmallPtrSet<Operation *, 8> findCombiningOps(linalg::GenericOp op);

} // namespace mlir::gpuvm::reference
