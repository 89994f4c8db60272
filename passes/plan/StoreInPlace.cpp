//===- StoreInPlace.cpp - values computed in the symbol they are stored to ===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is stored to a symbol is computed there if no command in between
// accesses those bytes.
//
//===----------------------------------------------------------------------===//

#include "dialects/flow/Flow.h"
#include "kernels/InPlace.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/family/Family.h"
#include "passes/Passes.h"
#include "passes/analysis/AddMap.h"
#include "passes/analysis/Effects.h"
#include "passes/fusion/FuseScalars.h"
#include "passes/fusion/KernelGroups.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_STOREINPLACE
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct StoreInPlace : gpuvm::impl::StoreInPlaceBase<StoreInPlace> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values in symbols
//===----------------------------------------------------------------------===//

/// Whether a rotation of `loop` has the register that `place` is.
static bool rotates(flow::LoopOp loop, const Place &place) {
  std::optional<ArrayAttr> rotations = loop.getRotations();
  return rotations && place.symbol &&
         llvm::any_of(rotations->getAsRange<ArrayAttr>(), [&](ArrayAttr all) {
           return llvm::is_contained(
               all, FlatSymbolRefAttr::get(
                        SymbolTable::getSymbolName(place.symbol)));
         });
}

/// Whether `maker` may write the symbol, too: no command between it and the
/// store accesses those bytes, and it reads them, if at all, at the index it
/// writes, and has no other result there.
static bool canWrite(StoreOp store, flow::DispatchOp maker,
                     const Places &places, const Parts &parts, bool inPlace) {
  if (!parts.areTogether(store, maker))
    return false;
  Place target = getPlace(store);
  unsigned result = cast<OpResult>(store.getValue()).getResultNumber();
  for (auto [i, input] : llvm::enumerate(maker.getInputs()))
    if (Place source = places.of(input);
        source.overlaps(target) &&
        !(inPlace && source == target && canUpdateInPlace(maker, i, result)))
      return false;
  if (writesTo(places.access(maker), target))
    return false; // All results are written at once.
  for (Operation *op = getNextOp(maker); op != store; op = getNextOp(op)) {
    if (!isa<CommandOpInterface>(op))
      continue;
    for (const PlaceAccess &access : places.access(op))
      if (access.place.overlaps(target))
        return false;
  }
  return true;
}

/// Whether nothing changes the symbol while the value that `store` stores is
/// still read, so that all readers find it there.
static bool staysUntilRead(StoreOp store, flow::DispatchOp maker,
                           const Places &places) {
  Place target = getPlace(store);
  Operation *lastReader = store;
  for (Operation *user : store.getValue().getUsers()) {
    Operation *last = lastRun(user, maker);
    if (isBefore(lastReader, last))
      lastReader = last;
  }
  bool isOutput = isa<ReturnOp>(lastReader);
  for (Operation *op = getNextOp(maker); op; op = getNextOp(op)) {
    if (!isOutput && !isBefore(op, lastReader))
      return true;
    if (auto loop = dyn_cast<flow::LoopOp>(op); loop && rotates(loop, target))
      return false; // Other values are there in its iterations.
    if (op != store && isa<CommandOpInterface>(op) &&
        writesTo(places.access(op), target))
      return false;
  }
  return true;
}

/// `old` with one more result, equal to result `number`; the latter.
static Value addResult(flow::DispatchOp old, unsigned number, Places &places) {
  OpBuilder b(old);
  OperationState state(old.getLoc(), flow::DispatchOp::getOperationName());
  state.addOperands(old->getOperands());
  state.addTypes(old->getResultTypes());
  state.addTypes(old->getResult(number).getType());
  state.addAttributes(old->getAttrs());
  state.addRegion();
  auto whole = cast<flow::DispatchOp>(b.create(state));
  whole.getBody().takeBody(old.getBody());
  auto yield = cast<YieldOp>(whole.getBody().front().getTerminator());
  yield.getValuesMutable().append(yield.getValues()[number]);
  for (auto [before, now] : llvm::zip(old->getResults(), whole->getResults())) {
    if (places.isInSymbol(before))
      places.set(now, places.of(before));
    before.replaceAllUsesWith(now);
  }
  old.erase();
  return whole->getResults().back();
}

/// Whether `maker` may run only where `store` does, after all that reads the
/// symbol before: nothing waits for it, and what it reads is still there.
static bool canRunAt(StoreOp store, flow::DispatchOp maker,
                     const Places &places, const Parts &parts) {
  if (!parts.areTogether(store, maker))
    return false;
  for (OpResult result : maker->getResults())
    if (places.isInSymbol(result) ||
        maker.getTiedOperand(result.getResultNumber()) ||
        llvm::any_of(result.getUsers(), [&](Operation *user) {
          return user != store && isa<CommandOpInterface>(user) &&
                 isBefore(user, store);
        }))
      return false;
  SmallVector<Place> reads;
  for (Value operand : maker->getOperands())
    if (Place place = places.of(operand); place.symbol)
      reads.push_back(place);
  for (Operation *op = getNextOp(maker); op != store; op = getNextOp(op))
    if (isa<CommandOpInterface>(op) &&
        llvm::any_of(reads, [&](const Place &place) {
          return writesTo(places.access(op), place);
        }))
      return false;
  return true;
}

/// Whether `dispatch` can write result `number` to two places, and bind both.
static bool canWriteTwice(flow::DispatchOp dispatch, unsigned number,
                          uint64_t maxWindowBytes) {
  return !dispatch.getPredicate() && getFamily(dispatch).writesTwice() &&
         countWindows(ArrayRef(dispatch), maxWindowBytes) +
                 countWindows(typeOf(dispatch->getResult(number)),
                              maxWindowBytes) <=
             GroupingLimits(dispatch, maxWindowBytes).windows;
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
static void dropStoresInPlace(ProgramOp program, const Places &places) {
  for (auto store : listOps<StoreOp>(program)) {
    Place source = places.of(store.getValue()), target = getPlace(store);
    if (source == target)
      store.erase();
    else if (source.overlaps(target))
      storeFromCopy(store);
  }
}

/// `value` is computed where `store`, which is erased, would store it.
static void place(StoreOp store, Value value, Places &places) {
  places.set(value, getPlace(store));
  OpBuilder b(store);
  flow::PlaceOp::create(b, store.getLoc(), value, store.getSymbolAttr(),
                        store.getOffsetAttr());
  store.erase();
}

/// Whether nothing between `maker` and `store` writes to `bytes`.
static bool staysBetween(flow::DispatchOp maker, StoreOp store,
                         const Place &bytes, const Places &places) {
  for (Operation *op = getNextOp(maker); op != store; op = getNextOp(op))
    if (isa<CommandOpInterface>(op) && writesTo(places.access(op), bytes))
      return false;
  return true;
}

/// Stores by a dispatch with the predicate that the maker of the value has:
/// then neither runs for a symbol that stays as it is. Both operands are read
/// here once more.
static void storeOnCondition(StoreOp store, flow::DispatchOp maker,
                             Places &places, const Parts &parts) {
  Place target = getPlace(store);
  Value made = store.getValue(), predicate = maker.getPredicate();
  std::optional<unsigned> otherwise =
      maker.getOtherwiseOperand(cast<OpResult>(made).getResultNumber());
  if (!otherwise || places.of(maker.getInputs()[*otherwise]) != target ||
      !parts.areTogether(maker, store))
    return;
  Place held = places.of(predicate);
  if (!staysBetween(maker, store, target, places) ||
      (held.symbol && !staysBetween(maker, store, held, places)))
    return;
  std::string name = (maker.getSymName() + "_to_" + store.getSymbol()).str();
  if (std::optional<int64_t> offset = store.getOffset())
    name.append("_").append(std::to_string(*offset));
  OpBuilder b(store);
  flow::DispatchOp dispatch =
      addCopies(b, store.getLoc(), name, *store.getStages(), made);
  dispatch.getInputsMutable().append(maker.getInputs()[*otherwise]);
  dispatch.getBody().addArgument(made.getType(), store.getLoc());
  dispatch.getPredicateMutable().assign(predicate);
  dispatch.setUnless(maker.getUnless());
  dispatch.setOtherwise(ArrayRef<int64_t>(1));
  place(store, dispatch->getResult(0), places);
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

/// `first` and the stores of the same stage that follow it, of as many elements
/// each, to symbols that no other one of them reads or writes.
static SmallVector<StoreOp> storesFrom(StoreOp first, const Places &places) {
  SmallVector<StoreOp> stores;
  for (Operation *op = first; op; op = op->getNextNode()) {
    if (isa<flow::PlaceOp>(op))
      continue; // A store that needs no command.
    auto store = dyn_cast<StoreOp>(op);
    if (!store || store.getStages() != first.getStages() ||
        typeOf(store.getValue()).getNumElements() !=
            typeOf(first.getValue()).getNumElements())
      break;
    SmallVector<PlaceAccess> own = places.access(store);
    if (llvm::any_of(stores, [&](StoreOp other) {
          return conflicts(places.access(other), own);
        }))
      break;
    stores.push_back(store);
  }
  return stores;
}

/// Whether the host has to look at a loop in this one, in each iteration.
static bool needsHost(flow::LoopOp loop) {
  return llvm::any_of(
      loop.getBody().getOps<flow::LoopOp>(), [](flow::LoopOp inner) {
        return (inner.getCondition() && mayBeLong(inner)) || needsHost(inner);
      });
}

/// So many stores of a stage, of `bytes` each, are one dispatch. A copy takes a
/// GPU as long as a small dispatch does, its barriers longer, and many bytes
/// five times as long as a kernel; a CPU device copies several times as fast as
/// it runs one (docs/rationale/memory-reuse.md).
static size_t countManyStores(ProgramOp program, uint64_t bytes) {
  constexpr uint64_t kFewBytes = 1 << 16;
  auto isCpu = [](TargetAttr target) {
    return target.getKind() == DeviceKind::cpu;
  };
  SmallVector<TargetAttr> targets =
      getTargets(program->getParentOfType<ModuleOp>());
  if (isCpu(targets.front()))
    return 4;
  if (bytes <= kFewBytes)
    return 2;
  return llvm::any_of(targets, isCpu) ? 4 : 1;
}

/// Many stores of a stage are one dispatch. Where loops may take several
/// submits until the device has found their ends, what is after the first of
/// them need not wait for the host if it is kernels alone
/// (docs/rationale/repeats.md).
static void copyByKernels(ProgramOp program, Places &places) {
  flow::LoopOp first;
  for (auto loop : program.getBody().getOps<flow::LoopOp>()) {
    if (needsHost(loop))
      first = {};
    if (!first && loop.getCondition() && mayBeLong(loop))
      first = loop;
  }
  llvm::DenseSet<Operation *> stored;
  for (Operation *op : listOps(program)) {
    if (stored.contains(op))
      continue;
    bool isAfter = first && isBefore(first.getEnd(), op);
    OpBuilder b(op);
    if (auto store = dyn_cast<StoreOp>(op)) {
      SmallVector<StoreOp> stores = storesFrom(store, places);
      uint64_t bytes = tensorBytes(typeOf(store.getValue()));
      if (!isAfter && stores.size() < countManyStores(program, bytes))
        continue;
      auto values = llvm::map_to_vector(
          stores, [](StoreOp own) -> Value { return own.getValue(); });
      flow::DispatchOp dispatch =
          addCopies(b, store.getLoc(), store.getSymbol() + "_stored",
                    *store.getStages(), values);
      for (auto [own, result] :
           llvm::zip_equal(stores, dispatch.getOutputs())) {
        stored.insert(own);
        place(own, result, places);
      }
    } else if (auto copy = dyn_cast<flow::CopyOp>(op);
               copy &&
               (isAfter ||
                countManyStores(program,
                                tensorBytes(typeOf(copy.getSource()))) == 1)) {
      flow::DispatchOp dispatch = addCopies(b, copy.getLoc(), "copy",
                                            copy.getStages(), copy.getSource());
      copy.getResult().replaceAllUsesWith(dispatch->getResult(0));
      copy.erase();
    }
  }
}

static void placeValues(ProgramOp program, Places &places, bool inPlace,
                        uint64_t maxWindowBytes) {
  Parts parts(program);
  for (auto store : listOps<StoreOp>(program)) {
    auto maker = store.getValue().getDefiningOp<flow::DispatchOp>();
    if (!maker || places.of(store.getValue()) == getPlace(store))
      continue;
    unsigned result = cast<OpResult>(store.getValue()).getResultNumber();
    bool isWritable = canWrite(store, maker, places, parts, inPlace);
    if (!isWritable && canRunAt(store, maker, places, parts)) {
      Operation *next = maker->getNextNode();
      maker->moveBefore(store);
      isWritable = canWrite(store, maker, places, parts, inPlace);
      if (!isWritable)
        maker->moveBefore(next);
    }
    if (maker.getTiedOperand(result) || !isWritable)
      storeOnCondition(store, maker, places, parts);
    else if (!places.isInSymbol(store.getValue()) &&
             staysUntilRead(store, maker, places))
      place(store, store.getValue(), places);
    else if (canWriteTwice(maker, result, maxWindowBytes))
      place(store, addResult(maker, result, places), places);
  }
  dropStoresInPlace(program, places);
  copyByKernels(program, places);
}

void StoreInPlace::runOnOperation() {
  ProgramOp program = getOperation();
  Places places(program);
  placeValues(program, places, inPlace, maxWindowBytes);
}
