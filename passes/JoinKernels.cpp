//===- JoinKernels.cpp - reductions of different heights in one dispatch --===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup belongs to one kernel, so each keeps the order and the code it
// had alone. What it saves, and where: docs/rationale/contractions.md.
//
//===----------------------------------------------------------------------===//

#include "kernels/Bindings.h"
#include "kernels/InnerReduction.h"
#include "kernels/KernelConfig.h"
#include "passes/Commands.h"
#include "passes/Passes.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_JOINKERNELS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-join-kernels"
ALWAYS_ENABLED_STATISTIC(numJoined, "Kernels that join another one's dispatch");

namespace {
struct JoinKernels : gpuvm::impl::JoinKernelsBase<JoinKernels> {
  void runOnOperation() override;
};
} // namespace

/// A kernel that reduces in lanes, in one part; null if it does not.
static KernelOp getRowReduction(Operation *command) {
  auto kernel = dyn_cast<KernelOp>(command);
  if (!kernel || kernel.getRoot() != Root::reduce)
    return KernelOp();
  KernelConfig config = configureKernel(kernel);
  bool inLanes =
      !config.tile && !config.order.sequential && !config.order.columns;
  return inLanes && config.order.parts == 1 ? kernel : KernelOp();
}

/// What the lanes of a workgroup exchange, at most.
static int64_t exchangedBytes(KernelOp kernel) {
  constexpr int64_t kSlots =
      ReductionOrder::kLanes +
      ReductionOrder::kLanes / ReductionOrder::kLaneGroup;
  int64_t bytes = 0;
  for (linalg::GenericOp op : getReductions(kernel))
    for (Type type : getPartialTypes(op))
      bytes += kSlots * llvm::divideCeil(type.getIntOrFloatBitWidth(), 32) * 4;
  return bytes * configureKernel(kernel).resultsPerLane;
}

static bool sharesInput(KernelOp a, KernelOp b) {
  return llvm::any_of(b.getInputs(), [&](Value input) {
    return llvm::is_contained(a.getInputs(), input);
  });
}

static bool conflict(KernelOp a, KernelOp b) {
  for (const Access &first : getAccesses(a))
    for (const Access &second : getAccesses(b))
      if ((first.writes || second.writes) &&
          intersect(first.window, second.window))
        return true;
  return false;
}

/// Whether `next` may run in the dispatch of `kernels`.
static bool mayJoin(ArrayRef<KernelOp> kernels, KernelOp next) {
  constexpr size_t kMaxKernels = 4;
  // maxComputeSharedMemorySize of lavapipe.
  constexpr int64_t kMaxExchangedBytes = 32768;
  KernelOp first = kernels.front();
  if (kernels.size() == kMaxKernels || !sharesInput(first, next) ||
      hasDotProducts(first) != hasDotProducts(next))
    return false;
  if (llvm::any_of(kernels,
                   [&](KernelOp kernel) { return conflict(kernel, next); }))
    return false;
  SmallVector<KernelOp> all(kernels);
  all.push_back(next);
  int64_t bytes = 0;
  for (KernelOp kernel : all)
    bytes += exchangedBytes(kernel);
  if (bytes > kMaxExchangedBytes)
    return false;
  return layOutBindings(all).front().windows.size() <= kMaxBindings;
}

void JoinKernels::runOnOperation() {
  SmallVector<KernelOp> kernels; // Of the current dispatch.
  for (Operation *command : getCommands(getOperation())) {
    KernelOp next = getRowReduction(command);
    if (next && !kernels.empty() && mayJoin(kernels, next)) {
      join(next);
      ++numJoined;
    } else {
      kernels.clear();
    }
    if (next)
      kernels.push_back(next);
  }
}
