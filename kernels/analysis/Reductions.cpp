//===- Reductions.cpp - the reductions of a kernel ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Reductions.h"

using namespace mlir;
using namespace mlir::gpuvm;

SmallVector<linalg::GenericOp> gpuvm::getReductions(flow::DispatchOp kernel) {
  SmallVector<linalg::GenericOp> reductions;
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    if (isReduction(op))
      reductions.push_back(op);
  return reductions;
}

SmallVector<Type> gpuvm::getPartialTypes(linalg::GenericOp op) {
  SmallVector<Type> types(TypeRange(op.getRegionOutputArgs()));
  std::optional<Combiner> combiner = matchCombiner(op);
  types.append(combiner->choices.size(), IntegerType::get(op.getContext(), 32));
  types.append(combiner->claims.size(), IntegerType::get(op.getContext(), 1));
  return types;
}
