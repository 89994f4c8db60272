//===- ScalarBody.cpp - queries on bodies of operations -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ScalarBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Words of a random block (GpuvmRandom.td).
static constexpr int64_t kSharing = 4;

llvm::SmallSetVector<Value, 4> gpuvm::getTables(Operation *op) {
  llvm::SmallSetVector<Value, 4> tables;
  for (mlir::Region &region : op->getRegions())
    region.walk([&](tensor::ExtractOp extract) {
      Value table = extract.getTensor();
      if (!region.isAncestor(table.getParentRegion()))
        tables.insert(table);
    });
  return tables;
}

SmallVector<Value> gpuvm::getOperandsAndTables(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, getTables(op));
  return values;
}

int64_t gpuvm::countScalarOps(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *inner) {
    count += inner != op && !inner->hasTrait<OpTrait::IsTerminator>();
  });
  return count;
}

bool gpuvm::hasLoops(Operation *op) {
  WalkResult result = op->walk([](Operation *inner) {
    bool isLoop = isa<scf::ForOp, scf::WhileOp>(inner);
    return isLoop && !inner->hasAttr(kSeldomAttr) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
  });
  return result.wasInterrupted();
}

int64_t gpuvm::costOf(Operation *op) {
  int64_t count = countScalarOps(op);
  return op->hasAttr(kSharesBlocksAttr) ? count / kSharing : count;
}
