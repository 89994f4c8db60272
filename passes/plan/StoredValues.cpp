//===- StoredValues.cpp - values in the symbol they are stored to ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/plan/StoredValues.h"

#include "kernels/InPlace.h"
#include "kernels/analysis/Alternative.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Whether `maker` may write the symbol's window itself. No command between it
/// and the store accesses those bytes, and none changes them while the value is
/// still read. `maker` reads them, if at all, at the index it writes, and has
/// no other result there.
static bool canBeMadeIn(StoreOp store, flow::DispatchOp maker,
                        const ValueHomes &homes, const Parts &parts,
                        bool inPlace) {
  if (!parts.areTogether(store, maker))
    return false;
  WindowAttr target = getSymbolBytes(store).getWindow();
  unsigned result = cast<OpResult>(store.getValue()).getResultNumber();
  for (auto [i, input] : llvm::enumerate(maker.getInputs()))
    if (homes.contains(input) && intersect(homes.lookup(input), target) &&
        !(inPlace && homes.lookup(input) == target &&
          canUpdateInPlace(maker, i, result)))
      return false;
  if (writesTo(getAccesses(maker, homes), target))
    return false; // All results are written at once.
  Operation *lastReader = store;
  for (Operation *user : store.getValue().getUsers()) {
    Operation *last = lastRun(user, maker);
    if (isBefore(lastReader, last))
      lastReader = last;
  }
  bool isOutput = isa<ReturnOp>(lastReader);
  for (Operation *op = getNextOp(maker); op; op = getNextOp(op)) {
    bool beforeStore = isBefore(op, store);
    bool whileRead = isOutput || isBefore(op, lastReader);
    if (auto loop = dyn_cast<flow::LoopOp>(op);
        loop && (beforeStore || whileRead) &&
        llvm::any_of(getRotations(loop), [&](const auto &rotation) {
          return llvm::is_contained(rotation, target);
        }))
      return false; // Other values are there in its iterations.
    if (op == store || !isa<CommandOpInterface>(op))
      continue;
    if (!beforeStore && !whileRead)
      break;
    for (const Access &access : getAccesses(op, homes))
      if ((access.writes || beforeStore) && intersect(access.window, target))
        return false;
  }
  return true;
}

/// Stores what `store` stores from a copy of it: the value is in a part of the
/// symbol that the store itself overwrites while it reads it.
static void storeFromCopy(StoreOp store) {
  OpBuilder b(store);
  Value value = store.getValue();
  auto copy =
      flow::CopyOp::create(b, store.getLoc(), value.getType(), value,
                           *store.getStages(), ArrayAttr(), ArrayAttr());
  store.getValueMutable().assign(copy.getResult());
}

/// A value that is stored where it already is needs no command.
static void dropStoresInPlace(ProgramOp program, const ValueHomes &homes) {
  for (auto store : listOps<StoreOp>(program)) {
    WindowAttr source = homes.lookup(store.getValue());
    WindowAttr target = getSymbolBytes(store).getWindow();
    if (source == target)
      store.erase();
    else if (source && intersect(source, target))
      storeFromCopy(store);
  }
}

/// Whether nothing between `maker` and `store` writes to `window`.
static bool staysBetween(flow::DispatchOp maker, StoreOp store,
                         WindowAttr window, const ValueHomes &homes) {
  for (Operation *op = getNextOp(maker); op != store; op = getNextOp(op))
    if (isa<CommandOpInterface>(op) && writesTo(getAccesses(op, homes), window))
      return false;
  return true;
}

/// Stores by a kernel that waits for the condition, as the maker of the value
/// does: then neither need run for a symbol that stays as it is. Both are read
/// here once more.
static void storeOnCondition(StoreOp store, flow::DispatchOp maker,
                             ValueHomes &homes, const Parts &parts) {
  WindowAttr target = getSymbolBytes(store).getWindow();
  Value made = store.getValue(), condition = maker.getConditionValue();
  std::optional<Alternative> choice =
      getAlternative(maker, cast<OpResult>(made).getResultNumber());
  if (!condition || !choice || choice->condition != condition || !choice->no ||
      homes.lookup(choice->no) != target || !parts.areTogether(maker, store))
    return;
  WindowAttr held = homes.lookup(condition);
  if (!staysBetween(maker, store, target, homes) ||
      (held && !staysBetween(maker, store, held, homes)))
    return;
  OpBuilder b(store);
  Location loc = store.getLoc();
  auto type = cast<RankedTensorType>(made.getType());
  Value inputs[] = {condition, made, choice->no};
  std::string name = (maker.getSymName() + "_to_" + store.getSymbol()).str();
  if (std::optional<int64_t> offset = store.getOffset())
    name.append("_").append(std::to_string(*offset));
  auto program = maker->getParentOfType<ProgramOp>();
  auto kernel = flow::DispatchOp::create(
      b, loc, TypeRange{type}, freeName(program, name), Root::map,
      *store.getStages(), ValueRange(inputs));
  kernel.setCondition(0);
  Block *body = b.createBlock(&kernel.getBody());
  for (Value input : inputs)
    body->addArgument(input.getType(), loc);
  YieldOp::create(b, loc,
                  chooseElements(b, loc, body->getArgument(0),
                                 body->getArgument(1), body->getArgument(2)));
  homes[kernel->getResult(0)] = target;
  store.erase();
}

//===----------------------------------------------------------------------===//
// After long loops
//===----------------------------------------------------------------------===//

/// The most commands of a loop that is recorded iteration by iteration, with
/// barriers (RecordLimits of the runtime): one whose end the device decides,
/// and one of a fixed number of iterations. There are at most as many barriers
/// as commands.
static constexpr uint64_t kMostUntil = 1024 / 2, kMostFixed = 16384 / 2;

static uint64_t countCommands(flow::LoopOp loop) {
  uint64_t commands = 0;
  for (Operation &op : loop.getBody().front())
    if (auto inner = dyn_cast<flow::LoopOp>(op))
      commands = llvm::SaturatingAdd(commands, countCommands(inner));
    else
      commands += isa<CommandOpInterface>(op) && !isa<flow::NextOp>(op);
  return llvm::SaturatingMultiply(commands, uint64_t(loop.getTimes()));
}

static bool mayBeLong(flow::LoopOp loop) {
  return countCommands(loop) > (loop.getCondition() ? kMostUntil : kMostFixed);
}

/// A kernel in the place of `op`, which copies `value`.
static flow::DispatchOp addCopyingKernel(Operation *op, Value value,
                                         ArrayAttr stages, const Twine &name) {
  OpBuilder b(op);
  auto program = op->getParentOfType<ProgramOp>();
  auto kernel = flow::DispatchOp::create(b, op->getLoc(), value.getType(),
                                         freeName(program, name), Root::map,
                                         stages, value);
  Block *body = b.createBlock(&kernel.getBody());
  YieldOp::create(b, op->getLoc(),
                  body->addArgument(value.getType(), op->getLoc()));
  return kernel;
}

/// Whether the host has to look at a loop in this one, in each iteration.
static bool needsHost(flow::LoopOp loop) {
  return llvm::any_of(
      loop.getBody().getOps<flow::LoopOp>(), [](flow::LoopOp inner) {
        return (inner.getCondition() && mayBeLong(inner)) || needsHost(inner);
      });
}

/// Where loops may take several submits until the device has found their ends,
/// what is after the first of them need not wait for the host if it is kernels
/// alone (docs/rationale/repeats.md).
static void copyByKernels(ProgramOp program, ValueHomes &homes) {
  flow::LoopOp first;
  for (auto loop : program.getBody().getOps<flow::LoopOp>()) {
    if (needsHost(loop))
      first = {};
    if (!first && loop.getCondition() && mayBeLong(loop))
      first = loop;
  }
  if (!first)
    return;
  for (Operation *op : listOps(program)) {
    if (!isBefore(first.getEnd(), op))
      continue;
    if (auto store = dyn_cast<StoreOp>(op)) {
      flow::DispatchOp kernel =
          addCopyingKernel(store, store.getValue(), *store.getStages(),
                           store.getSymbol() + "_stored");
      homes[kernel->getResult(0)] = getSymbolBytes(store).getWindow();
      store.erase();
    } else if (auto copy = dyn_cast<flow::CopyOp>(op)) {
      flow::DispatchOp kernel =
          addCopyingKernel(copy, copy.getSource(), copy.getStages(), "copy");
      copy.getResult().replaceAllUsesWith(kernel->getResult(0));
      copy.erase();
    }
  }
}

/// The symbols that kernels update in place (gpuvm-update-in-place).
static void findUpdatedSymbols(ProgramOp program, ValueHomes &homes) {
  for (auto kernel : listOps<flow::DispatchOp>(program))
    for (OpResult result : kernel->getResults())
      if (auto tied = kernel.getTiedOperand(result.getResultNumber()))
        if (Value source = kernel.getInputs()[*tied];
            source.getDefiningOp<LoadOp>())
          homes[result] = homes.lookup(source);
}

void gpuvm::makeValuesInTheirSymbols(ProgramOp program, ValueHomes &homes,
                                     bool inPlace) {
  findUpdatedSymbols(program, homes);
  Parts parts(program);
  for (auto store : listOps<StoreOp>(program)) {
    auto maker = store.getValue().getDefiningOp<flow::DispatchOp>();
    if (!maker || homes.contains(store.getValue()))
      continue;
    unsigned result = cast<OpResult>(store.getValue()).getResultNumber();
    if (maker.getTiedOperand(result) ||
        !canBeMadeIn(store, maker, homes, parts, inPlace)) {
      storeOnCondition(store, maker, homes, parts);
      continue;
    }
    homes[store.getValue()] = getSymbolBytes(store).getWindow();
    store.erase();
  }
  dropStoresInPlace(program, homes);
  copyByKernels(program, homes);
}
