//===- ChainCost.cpp - what a chain costs, and its kernels apart ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/ChainCost.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::gpuvm;

// Measured on an H200 (docs/rationale/chains.md).
static constexpr double kDispatchUs = 2.07;  ///< With its barrier.
static constexpr double kBytesPerUs = 4.2e6; ///< Of the device.
static constexpr double kMultiprocessors = 132;
// Estimated: 128 operations in each of 1.7e3 cycles a microsecond, the part of
// a step in which nobody computes, and four fifths of what one multiprocessor
// would get of the memory's speed if all of them shared it.
static constexpr double kGroupOpsPerUs = 128 * 1.7e3;
static constexpr double kStepUs = 0.03;
static constexpr double kGroupBytesPerUs = 2.5e4;

static double bytesOf(TypeRange types) {
  double bytes = 0;
  for (Type type : types)
    bytes += tensorBytes(cast<RankedTensorType>(type));
  return bytes;
}

ChainCost gpuvm::estimateChain(const ChainPlan &plan, KernelOp chain,
                               ArrayRef<KernelOp> kernels) {
  double lanes = plan.shape.lanes, instances = plan.shape.instances;
  double turns = std::ceil(instances / kMultiprocessors);
  double ops = 0;
  for (auto [i, step] : llvm::enumerate(plan.steps)) {
    ops += plan.stepOps[i];
    for (const SmallVector<HeldRead> &reads : plan.reads[step.kind])
      for (const HeldRead &read : reads)
        ops += read.anywhere ? 8 : read.lane != 0; // With its address.
    for (Value value : step.hold.getHeld())
      ops += plan.held.find(value)->second.shared.count();
  }
  double bytes =
      bytesOf(chain->getOperandTypes()) + bytesOf(chain->getResultTypes());
  ChainCost cost;
  cost.chained = kDispatchUs + turns * (ops * lanes / kGroupOpsPerUs +
                                        kStepUs * plan.steps.size() +
                                        bytes / instances / kGroupBytesPerUs);
  cost.apart = 0;
  for (KernelOp kernel : kernels)
    cost.apart += kDispatchUs + (bytesOf(kernel->getOperandTypes()) +
                                 bytesOf(kernel->getResultTypes())) /
                                    kBytesPerUs;
  cost.apart += ops * lanes * instances / (kGroupOpsPerUs * kMultiprocessors);
  return cost;
}

double gpuvm::estimateKernel(KernelOp kernel) {
  double bytes =
      bytesOf(kernel->getOperandTypes()) + bytesOf(kernel->getResultTypes());
  double ops = 0;
  kernel.walk([&](linalg::GenericOp op) {
    double elements = 1;
    for (int64_t range : op.getStaticLoopRanges())
      elements *= range;
    ops += elements * op.getBody()->getOperations().size();
  });
  return std::max(bytes / kBytesPerUs,
                  ops / (kGroupOpsPerUs * kMultiprocessors));
}
