//===- ForwardStores.cpp - stores that are forwarded or dead --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/ForwardStores.h"

#include "dialects/flow/Flow.h"
#include "passes/analysis/Effects.h"

using namespace mlir;
using namespace mlir::gpuvm;

static bool isBetween(Operation *first, Operation *op, Operation *last) {
  return isBefore(first, op) && isBefore(op, last);
}

/// Whether what is stored is computed of what the symbol held: then it is best
/// updated where it is, and read there.
static bool isUpdate(StoreOp store, const SymbolAccesses &symbols) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> open = {store.getValue()};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<LoadOp>(op) && symbols.bytesOf(op).overlaps(symbols.bytesOf(store)))
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

void gpuvm::forwardStores(ProgramOp program,
                          MutableArrayRef<Exposure> exposures) {
  SymbolAccesses symbols(program);
  for (auto load : listOps<LoadOp>(program)) {
    Place place = symbols.bytesOf(load);
    StoreOp last;
    for (StoreOp store : symbols.storesTo(place))
      if (isBefore(store, load) && (!last || isBefore(last, store)))
        last = store;
    if (!last || last->getBlock() != load->getBlock() ||
        symbols.bytesOf(last) != place ||
        last.getValue().getType() != load.getType() || isUpdate(last, symbols))
      continue;
    for (Exposure &exposure : exposures)
      if (exposure.value == load.getValue())
        exposure.value = last.getValue();
    load.getValue().replaceAllUsesWith(last.getValue());
  }
}

void gpuvm::eraseDeadStores(ProgramOp program) {
  SymbolAccesses symbols(program);
  SmallVector<StoreOp> dead;
  for (auto store : listOps<StoreOp>(program)) {
    Place place = symbols.bytesOf(store);
    auto isLoaded = [&](StoreOp next) {
      return llvm::any_of(symbols.loadsOf(place), [&](LoadOp load) {
        return isBetween(store, load, next);
      });
    };
    for (StoreOp next : symbols.storesTo(place))
      if (isBefore(store, next) && store->getBlock() == next->getBlock() &&
          symbols.bytesOf(next) == place && !isLoaded(next)) {
        dead.push_back(store);
        break;
      }
  }
  for (StoreOp store : dead)
    store.erase();
}
