//===- KernelConfig.cpp - how a kernel is laid over the device ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/KernelConfig.h"
#include "kernels/analysis/BodyTraits.h"
#include "kernels/chain/ChainPlan.h"
#include "kernels/loops/LongLoops.h"

using namespace mlir;
using namespace mlir::gpuvm;

SmallVector<linalg::GenericOp> gpuvm::getReductions(KernelOp kernel) {
  SmallVector<linalg::GenericOp> reductions;
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    if (isReduction(op))
      reductions.push_back(op);
  return reductions;
}

//===----------------------------------------------------------------------===//
// The roots
//===----------------------------------------------------------------------===//

static void configureMap(KernelOp kernel, const BodyTraits &traits,
                         KernelConfig &config) {
  config.elements =
      cast<RankedTensorType>(kernel.getResultTypes().front()).getNumElements();
  config.flat = true;
  auto isCrowded = [&](int64_t elements) {
    return elements * traits.gathers > KernelConfig::kMaxGathers;
  };
  int64_t preferred = preferredVector(kernel);
  while (preferred > 4 && isCrowded(preferred))
    preferred /= 2;
  for (int64_t vector : {preferred, traits.run})
    if (vector > config.vector && keepsNeighbours(kernel, traits, vector))
      config.vector = vector;
  config.unroll = std::clamp<int64_t>(KernelConfig::kMaxUnrolledOps /
                                          (config.vector * traits.ops),
                                      1, traits.maxUnroll());
  while (config.unroll > 1 && isCrowded(config.vector * config.unroll))
    config.unroll /= 2;
  int64_t tile = KernelConfig::kLanes * config.vector * config.unroll;
  int64_t work = config.elements >= tile ? tile : KernelConfig::kLanes;
  config.groups = std::min<int64_t>(llvm::divideCeil(config.elements, work),
                                    KernelConfig::kMaxGroups);
  configureLoops(kernel, config);
}

/// A chain that cannot be planned cannot be emitted either, which says so.
static void configureChain(KernelOp kernel, KernelConfig &config) {
  FailureOr<ChainPlan> plan = planChain(kernel);
  if (failed(plan))
    return;
  config.lanes = plan->shape.lanes;
  config.groups = plan->shape.instances;
}

KernelConfig gpuvm::configurePlain(KernelOp kernel) {
  KernelConfig config;
  BodyTraits traits = inspectBody(kernel);
  switch (kernel.getRoot()) {
  case Root::chain:
    configureChain(kernel, config);
    break;
  case Root::map:
    configureMap(kernel, traits, config);
    break;
  case Root::reduce:
    configureReduce(kernel, traits, config);
    break;
  case Root::attention:
    config.vectorizes = keepsLoopNeighbours(kernel, traits, /*vector=*/16);
    configureAttention(kernel, config);
    break;
  case Root::scan:
    config.vectorizes = keepsNeighbours(kernel, traits, ScanOrder::kQuad);
    configureScan(kernel, config);
    break;
  case Root::fft:
    config.vectorizes = keepsLoopNeighbours(kernel, traits, /*vector=*/2);
    configureFft(kernel, config);
    break;
  case Root::sort:
    config.vectorizes = keepsNeighbours(kernel, traits, SortLayout::kVector);
    configureSort(kernel, KernelConfig::kMaxGroups, config);
    break;
  case Root::scatter:
    config.vectorizes = keepsNeighbours(kernel, traits, /*vector=*/4);
    configureScatter(kernel, config);
    break;
  }
  return config;
}
