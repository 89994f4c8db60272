//===- StoredValues.cpp - values made in the symbol they are stored to ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/StoredValues.h"

#include "kernels/InPlace.h"
#include "passes/Commands.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Whether `maker` may write the symbol's window itself: nothing between it and
/// the store touches those bytes, nothing changes them while the value is still
/// read, and `maker` reads them, if at all, where it writes them.
static bool canBeMadeIn(StoreOp store, KernelOp maker, const ValueHomes &homes,
                        bool inPlace) {
  WindowAttr target = getWindow(getSymbolBytes(store));
  unsigned result = cast<OpResult>(store.getValue()).getResultNumber();
  for (auto [i, input] : llvm::enumerate(maker.getInputs()))
    if (homes.contains(input) && intersect(homes.lookup(input), target) &&
        !(inPlace && homes.lookup(input) == target &&
          canUpdateInPlace(maker, i, result)))
      return false;
  Operation *lastReader = store;
  for (Operation *user : store.getValue().getUsers())
    if (lastReader->isBeforeInBlock(user))
      lastReader = user;
  bool isOutput = isa<ReturnOp>(lastReader);
  for (Operation *op = maker->getNextNode(); op; op = op->getNextNode()) {
    bool beforeStore = op->isBeforeInBlock(store);
    bool whileRead = isOutput || op->isBeforeInBlock(lastReader);
    if (op == store || !isCommand(op))
      continue;
    if (beforeStore || whileRead)
      for (Value result : op->getResults())
        if (homes.contains(result) && intersect(homes.lookup(result), target))
          return false;
    if (beforeStore)
      for (Value operand : op->getOperands())
        if (operand != store.getValue() && homes.contains(operand) &&
            intersect(homes.lookup(operand), target))
          return false;
    auto other = dyn_cast<StoreOp>(op);
    if (other && (beforeStore || whileRead) &&
        intersect(getWindow(getSymbolBytes(other)), target))
      return false;
    if (!beforeStore && !whileRead)
      break;
  }
  return true;
}

/// A value that is stored where it already is needs no command.
static LogicalResult dropStoresInPlace(ProgramOp program,
                                       const ValueHomes &homes) {
  for (auto store :
       llvm::make_early_inc_range(program.getBody().getOps<StoreOp>())) {
    WindowAttr source = homes.lookup(store.getValue());
    WindowAttr target = getWindow(getSymbolBytes(store));
    if (source == target)
      store.erase();
    else if (source && intersect(source, target))
      return store.emitOpError("stores a slice of a symbol over another slice "
                               "that overlaps it; compute the value first");
  }
  return success();
}

LogicalResult gpuvm::makeValuesInTheirSymbols(ProgramOp program,
                                              ValueHomes &homes, bool inPlace) {
  for (auto store :
       llvm::make_early_inc_range(program.getBody().getOps<StoreOp>())) {
    auto maker = store.getValue().getDefiningOp<KernelOp>();
    if (!maker || homes.contains(store.getValue()) ||
        getUpdatedInput(maker,
                        cast<OpResult>(store.getValue()).getResultNumber()) ||
        !canBeMadeIn(store, maker, homes, inPlace))
      continue;
    homes[store.getValue()] = getWindow(getSymbolBytes(store));
    store.erase();
  }
  return dropStoresInPlace(program, homes);
}
