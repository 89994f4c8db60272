//===- StageUnits.cpp - epochs of a stage ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/StageUnits.h"

using namespace mlir;
using namespace mlir::gpuvm;

StageUnits::StageUnits(StageOp stage) {
  for (Operation &op : stage.getBody().front()) {
    if (isa<linalg::GenericOp, RootOpInterface>(op)) {
      ops.push_back(&op);
      epoch[&op] = numEpochs - 1;
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      Place bytes = getPlace(load);
      reads.push_back(bytes);
      numEpochs += overlap(writes, bytes);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      writes.push_back(getPlace(store));
    } else if (isa<InvokeOp>(op)) {
      ++numEpochs;
    }
  }
}
