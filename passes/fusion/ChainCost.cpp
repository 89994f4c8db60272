//===- ChainCost.cpp - cost model of chains -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/ChainCost.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// What a target says, in microseconds. The shares were measured or estimated
/// on an H200 (docs/rationale/chains.md). A unit does 4 operations of a
/// subgroup in each of 1.7e3 cycles a microsecond, and gets 4/5 of its part of
/// the memory's speed. A step of a chain in which nothing is computed takes
/// 1/69 of a dispatch.
struct Speed {
  explicit Speed(TargetAttr target)
      : units(target.getUnits()), dispatchUs(target.getDispatchNs() / 1e3),
        stepUs(dispatchUs / 69), bytesPerUs(target.getBytesPerUs()),
        unitBytesPerUs(0.8 * bytesPerUs / units),
        unitOpsPerUs(4.0 * target.getSubgroup() * 1.7e3) {}
  double units;
  double dispatchUs; ///< With its barrier.
  double stepUs;
  double bytesPerUs;
  double unitBytesPerUs;
  double unitOpsPerUs;
};
} // namespace

static double bytesOf(TypeRange types) {
  double bytes = 0;
  for (Type type : types)
    bytes += tensorBytes(cast<RankedTensorType>(type));
  return bytes;
}

ChainCost gpuvm::estimateChain(const ChainPlan &plan, KernelOp chain,
                               ArrayRef<KernelOp> kernels, TargetAttr target) {
  Speed speed(target);
  double lanes = plan.shape.lanes, instances = plan.shape.instances;
  double turns = std::ceil(instances / speed.units);
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
  cost.chained =
      speed.dispatchUs + turns * (ops * lanes / speed.unitOpsPerUs +
                                  speed.stepUs * plan.steps.size() +
                                  bytes / instances / speed.unitBytesPerUs);
  cost.apart = 0;
  for (KernelOp kernel : kernels)
    cost.apart += speed.dispatchUs + (bytesOf(kernel->getOperandTypes()) +
                                      bytesOf(kernel->getResultTypes())) /
                                         speed.bytesPerUs;
  cost.apart += ops * lanes * instances / (speed.unitOpsPerUs * speed.units);
  return cost;
}

double gpuvm::estimateKernel(KernelOp kernel, TargetAttr target) {
  Speed speed(target);
  double bytes =
      bytesOf(kernel->getOperandTypes()) + bytesOf(kernel->getResultTypes());
  double ops = 0;
  kernel.walk([&](linalg::GenericOp op) {
    double elements = 1;
    for (int64_t range : op.getStaticLoopRanges())
      elements *= range;
    ops += elements * op.getBody()->getOperations().size();
  });
  return std::max(bytes / speed.bytesPerUs,
                  ops / (speed.unitOpsPerUs * speed.units));
}
