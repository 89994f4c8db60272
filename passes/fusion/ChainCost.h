//===- ChainCost.h - cost model of chains ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate for one large GPU, from what was measured on one
// (docs/rationale/chains.md): good enough to tell a chain from work that needs
// the whole device, since they differ by orders of magnitude.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/chain/ChainPlan.h"

namespace mlir::gpuvm {

/// Microseconds, for kernels that wait for each other.
struct ChainCost {
  double chained; ///< All steps in one dispatch.
  double apart;   ///< A dispatch and a barrier each.
};

/// What `chain`, whose plan is `plan`, costs on `target`, and what its
/// `kernels` do.
ChainCost estimateChain(const ChainPlan &plan, flow::DispatchOp chain,
                        ArrayRef<flow::DispatchOp> kernels, TargetAttr target);

/// The same for a chain of several families, with one workgroup for each of
/// `instances`.
ChainCost estimateSteps(flow::DispatchOp chain, int64_t instances,
                        ArrayRef<flow::DispatchOp> kernels, TargetAttr target);

/// Whether such a chain may cost less than `kernels`, as far as that can be
/// said without building it.
bool maySaveTime(ArrayRef<flow::DispatchOp> kernels, TargetAttr target);

/// Scalar operations that the whole device does in a microsecond.
double getOpsPerUs(TargetAttr target);

/// Microseconds that `kernel` takes at least on the whole device.
double estimateKernel(flow::DispatchOp kernel, TargetAttr target);

} // namespace mlir::gpuvm
