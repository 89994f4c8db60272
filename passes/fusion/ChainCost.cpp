//===- ChainCost.cpp - cost model of chains -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/ChainCost.h"

#include "kernels/family/Layout.h"
#include "kernels/loops/LongLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// What a target says, in microseconds. The shares were measured or estimated
/// on an H200 (docs/rationale/chains.md). A unit does 4 operations of a
/// subgroup in each of 1.7e3 cycles a microsecond, and gets 4/5 of its part of
/// the memory's speed. A step of a chain in which nothing is computed takes
/// 1/69 of a dispatch, one that is emitted by its family, through workgroup
/// memory, 1/8.
struct Speed {
  explicit Speed(TargetAttr target)
      : units(target.getUnits()), dispatchUs(target.getDispatchNs() / 1e3),
        stepUs(dispatchUs / 69), familyStepUs(dispatchUs / 8),
        bytesPerUs(target.getBytesPerUs()),
        unitBytesPerUs(0.8 * bytesPerUs / units),
        unitOpsPerUs(4.0 * target.getSubgroup() * 1.7e3) {}
  double units;
  double dispatchUs; ///< With its barrier.
  double stepUs;
  double familyStepUs;
  double bytesPerUs;
  double unitBytesPerUs;
  double unitOpsPerUs;
};
} // namespace

static double elementsOf(linalg::GenericOp op) {
  double elements = 1;
  for (int64_t range : op.getStaticLoopRanges())
    elements *= range;
  return elements;
}

/// How many elements of `table` a user of it looks at; nothing if all of them.
static std::optional<double> countLooks(Operation *user, Value table) {
  if (isa<tensor::ExtractOp>(user)) {
    if (auto op = user->getParentOfType<linalg::GenericOp>())
      return elementsOf(op);
  }
  auto gather = dyn_cast<GatherOp>(user);
  if (gather && gather.getSource() == table)
    return cast<RankedTensorType>(gather.getType()).getNumElements();
  return std::nullopt;
}

/// What a kernel reads of an operand.
static double bytesRead(Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  double looks = 0;
  for (Operation *user : operand.getUsers()) {
    std::optional<double> own = countLooks(user, operand);
    if (!own)
      return tensorBytes(type);
    looks += *own;
  }
  double all = std::max<double>(type.getNumElements(), 1);
  return tensorBytes(type) * std::min(looks / all, 1.0);
}

static double bytesOf(flow::DispatchOp kernel) {
  double bytes = 0;
  for (Value operand : kernel.getBody().getArguments())
    bytes += bytesRead(operand);
  for (Type type : kernel->getResultTypes())
    bytes += tensorBytes(cast<RankedTensorType>(type));
  return bytes;
}

ChainCost gpuvm::estimateChain(const ChainPlan &plan, flow::DispatchOp chain,
                               ArrayRef<flow::DispatchOp> kernels,
                               TargetAttr target) {
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
  double bytes = bytesOf(chain);
  ChainCost cost;
  cost.chained =
      speed.dispatchUs + turns * (ops * lanes / speed.unitOpsPerUs +
                                  speed.stepUs * plan.steps.size() +
                                  bytes / instances / speed.unitBytesPerUs);
  cost.apart = 0;
  for (flow::DispatchOp kernel : kernels)
    cost.apart += speed.dispatchUs + bytesOf(kernel) / speed.bytesPerUs;
  cost.apart += ops * lanes * instances / (speed.unitOpsPerUs * speed.units);
  return cost;
}

static double opsOf(flow::DispatchOp kernel) {
  double ops = 0;
  kernel.walk([&](linalg::GenericOp op) {
    ops += elementsOf(op) * op.getBody()->getOperations().size();
  });
  return ops;
}

/// Lanes that keep a unit busy, and operations of an iteration.
static constexpr double kBusyLanes = 512, kIterationOps = 8;

static double opsOfLoops(flow::DispatchOp kernel) {
  double ops = 0;
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    ops += elementsOf(op) * kIterationOps * countIterations(op).value_or(0);
  return ops;
}

/// What steps for `kernels` cost, with `bytes` in all and a workgroup for each
/// of `instances`.
static ChainCost estimateRun(double bytes, double instances,
                             ArrayRef<flow::DispatchOp> kernels,
                             TargetAttr target) {
  Speed speed(target);
  double opsPerUs = speed.unitOpsPerUs * KernelLayout::kLanes / kBusyLanes;
  double each = bytes / instances / speed.unitBytesPerUs;
  ChainCost cost = {speed.dispatchUs, 0};
  for (flow::DispatchOp kernel : kernels) {
    double loops = opsOfLoops(kernel), ops = opsOf(kernel) + loops;
    each += speed.familyStepUs + ops / instances / opsPerUs;
    cost.apart += speed.dispatchUs + estimateKernel(kernel, target) +
                  loops / (speed.unitOpsPerUs * speed.units);
  }
  cost.chained += each * std::ceil(instances / speed.units);
  return cost;
}

ChainCost gpuvm::estimateSteps(flow::DispatchOp chain, int64_t instances,
                               ArrayRef<flow::DispatchOp> kernels,
                               TargetAttr target) {
  return estimateRun(bytesOf(chain), instances, kernels, target);
}

bool gpuvm::maySaveTime(ArrayRef<flow::DispatchOp> kernels, TargetAttr target) {
  // As many workgroups as run at once are the fastest.
  ChainCost least =
      estimateRun(/*bytes=*/0, Speed(target).units, kernels, target);
  return least.chained < least.apart;
}

double gpuvm::getOpsPerUs(TargetAttr target) {
  Speed speed(target);
  return speed.unitOpsPerUs * speed.units;
}

double gpuvm::estimateKernel(flow::DispatchOp kernel, TargetAttr target) {
  Speed speed(target);
  double bytes = bytesOf(kernel), ops = opsOf(kernel);
  return std::max(bytes / speed.bytesPerUs,
                  ops / (speed.unitOpsPerUs * speed.units));
}
