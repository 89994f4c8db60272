//===- LongLoops.cpp - bodies whose loops run long ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/LongLoops.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Mesa's llvmpipe ends every loop of an invocation, silently, when its loops
/// have run so often together (LP_MAX_TGSI_LOOP_ITERATIONS, before version 25).
static constexpr int64_t kMaxIterations = 65535;

/// A number so large that it may be multiplied by another one of 32 bits.
static constexpr int64_t kMany = int64_t(1) << 31;

std::optional<int64_t> gpuvm::countIterations(Operation *op) {
  int64_t total = 0;
  for (mlir::Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      if (inner.hasAttr(kSeldomAttr))
        continue;
      std::optional<int64_t> each = countIterations(&inner);
      if (!each || isa<scf::WhileOp>(inner))
        return std::nullopt;
      if (auto loop = dyn_cast<scf::ForOp>(inner)) {
        std::optional<APInt> times = loop.getStaticTripCount();
        if (!times)
          return std::nullopt;
        *each = (1 + *each) * int64_t(times->getLimitedValue(kMany));
      }
      total = std::min(kMany, total + std::min(kMany, *each));
    }
  return total;
}

bool gpuvm::mayRunLong(Operation *op) {
  if (op->hasAttr(kSeldomAttr))
    return false;
  if (isa<scf::WhileOp>(op))
    return true;
  std::optional<int64_t> inside = countIterations(op);
  if (!inside)
    return true;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return *inside > kShortLoop;
  std::optional<APInt> times = loop.getStaticTripCount();
  return !times ||
         (1 + *inside) * int64_t(times->getLimitedValue(kShortLoop + 1)) >
             kShortLoop;
}

/// How many elements a lane takes.
static int64_t elementsPerLane(const KernelConfig &config) {
  int64_t lanes = config.lanes * config.groups;
  int64_t own = llvm::divideCeil(config.results, lanes);
  return config.order.sequential
             ? config.elements * own
             : llvm::divideCeil(config.elements * config.results, lanes);
}

/// What other roots do for an element, at most: a scan combines it with its
/// quad, its block and its group, and what lies before it.
static constexpr int64_t kBodiesPerElement = 8;

bool gpuvm::mayLoopLong(KernelOp kernel, const KernelConfig &config) {
  int64_t iterations = 0;
  bool loops = false;
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<linalg::GenericOp, RootOpInterface>(op))
      continue;
    std::optional<int64_t> own = countIterations(&op);
    if (!own)
      return true;
    loops |= hasLoops(&op);
    iterations += *own;
  }
  bool once = kernel.getRoot() == Root::map || kernel.getRoot() == Root::reduce;
  int64_t bodies = elementsPerLane(config) * (once ? 1 : kBodiesPerElement);
  return loops && (iterations + 1) * (1 + bodies) >= kMaxIterations;
}

/// So few that the others of a workgroup are many.
int64_t gpuvm::lanesOfResuming(int64_t elements) {
  constexpr int64_t kFew = 4096, kMedium = 1 << 17;
  return elements <= kFew ? 8 : elements <= kMedium ? 32 : 64;
}

LoopForm gpuvm::getLoopForm(KernelOp kernel, const KernelConfig &config) {
  if (kernel->hasAttr(kResumesAttr))
    return LoopForm::Resumed;
  bool isLimited = kernel.getRoot() == Root::map && !config.scratch.empty();
  return isLimited ? LoopForm::Limited : LoopForm::Plain;
}

void gpuvm::configureLoops(KernelOp kernel, KernelConfig &config) {
  int64_t lanes = config.groups * config.lanes;
  if (kernel->hasAttr(kResumesAttr))
    config.groups = lanes / lanesOfResuming(config.elements);
  else if (mayLoopLong(kernel, config))
    config.scratch.push_back({4 * uint64_t(lanes), /*keepsZero=*/true});
}
