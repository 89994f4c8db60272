//===- Effects.cpp - what commands read and write -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/Effects.h"

#include "dialects/gpuvm/SymbolLookup.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

WindowAttr Place::getWindow() const {
  WindowAttr whole = getSymbolInfo(symbol).window;
  return WindowAttr::get(whole.getContext(), whole.getRegion(),
                         whole.getOffset() + begin,
                         llvm::alignTo(end - begin, 4));
}

template <typename OpT>
static Place placeOfSlice(OpT op, const SymbolInfo &symbol) {
  uint64_t begin = 0;
  if (std::optional<int64_t> offset = op.getOffset())
    begin = *offset * (tensorBytes(symbol.type) / symbol.type.getDimSize(0));
  return {symbol.op, Value(), begin,
          begin + tensorBytes(typeOf(op.getValue()))};
}

Place gpuvm::getPlace(LoadOp op) {
  return placeOfSlice(op, lookupSymbol(op, op.getSymbol()));
}

Place gpuvm::getPlace(StoreOp op) {
  return placeOfSlice(op, lookupSymbol(op, op.getSymbol()));
}

Place gpuvm::getPlace(flow::PlaceOp op) {
  return placeOfSlice(op, lookupSymbol(op, op.getSymbol()));
}

bool gpuvm::overlap(ArrayRef<Place> a, ArrayRef<Place> b) {
  return llvm::any_of(a, [&](const Place &own) {
    return llvm::any_of(
        b, [&](const Place &other) { return own.overlaps(other); });
  });
}

SymbolAccesses::SymbolAccesses(ProgramOp program) {
  SymbolTableCollection tables;
  auto add = [&](auto op, auto &bySymbol) {
    Place bytes = placeOfSlice(op, lookupSymbol(tables, op, op.getSymbol()));
    bySymbol[bytes.symbol].push_back({op, bytes});
    bytesOfAll[op] = bytes;
  };
  for (Operation *op : listOps(program))
    if (auto load = dyn_cast<LoadOp>(op))
      add(load, loads);
    else if (auto store = dyn_cast<StoreOp>(op))
      add(store, stores);
}

template <typename OpT>
SmallVector<OpT> SymbolAccesses::find(const BySymbol<OpT> &all,
                                      const Place &bytes) {
  SmallVector<OpT> found;
  if (auto entry = all.find(bytes.symbol); entry != all.end())
    for (const Touch<OpT> &touch : entry->second)
      if (touch.bytes.overlaps(bytes))
        found.push_back(touch.op);
  return found;
}

SmallVector<LoadOp> SymbolAccesses::loadsOf(const Place &bytes) const {
  return find(loads, bytes);
}

SmallVector<StoreOp> SymbolAccesses::storesTo(const Place &bytes) const {
  return find(stores, bytes);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Effects::Effects(ProgramOp program)
    : program(program), parts(program), symbols(program) {
  orderSymbolAccesses();
  orderLoops();
  for (Operation *command : getCommands(program))
    for (Value operand : command->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (isa_and_present<CommandOpInterface>(source))
        predecessors[command].push_back(source);
      else if (isa_and_present<LoadOp>(source)) {
        SmallVector<Operation *> stores(before(source));
        llvm::append_range(predecessors[command], stores);
      }
    }
}

/// The load of the symbol that the kernel of `value` updates in place to
/// compute it; null if it computes it elsewhere.
static LoadOp getUpdatedLoad(Value value) {
  auto kernel = value.getDefiningOp<flow::DispatchOp>();
  std::optional<unsigned> tied =
      kernel ? kernel.getTiedOperand(cast<OpResult>(value).getResultNumber())
             : std::nullopt;
  return tied ? kernel.getInputs()[*tied].getDefiningOp<LoadOp>() : LoadOp();
}

/// A load sees the stores above it; a store waits for the readers of the loads
/// above it and for the stores above it. A kernel that updates the symbol for a
/// store waits as the store does.
void Effects::orderSymbolAccesses() {
  auto wait = [&](ArrayRef<Operation *> waiting, Operation *first) {
    if (isa<CommandOpInterface>(first) && !llvm::is_contained(waiting, first))
      for (Operation *second : waiting)
        predecessors[second].push_back(first);
  };
  for (Operation *op : listOps(program)) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      for (StoreOp store : symbols.storesTo(symbols.bytesOf(load)))
        if (isBefore(store, load))
          wait(op, store);
      continue;
    }
    auto store = dyn_cast<StoreOp>(op);
    if (!store)
      continue;
    SmallVector<Operation *> waiting = {op};
    if (getUpdatedLoad(store.getValue()))
      waiting.push_back(store.getValue().getDefiningOp());
    Place bytes = symbols.bytesOf(store);
    for (StoreOp other : symbols.storesTo(bytes))
      if (isBefore(other, store))
        wait(waiting, other);
    for (LoadOp load : symbols.loadsOf(bytes))
      if (isBefore(load, store))
        for (Operation *reader : load->getUsers())
          wait(waiting, reader);
  }
}

void Effects::orderLoops() {
  Operation *fence = nullptr;
  SmallVector<Operation *> since; ///< The fence, and all after it.
  for (Operation *op : listOps(program)) {
    auto command = dyn_cast<CommandOpInterface>(op);
    if (!command && !isa<LoadOp>(op))
      continue;
    if (command && command.isFence()) {
      llvm::append_range(predecessors[op], since);
      since.clear();
      fence = op;
    } else if (fence) {
      predecessors[op].push_back(fence);
    }
    since.push_back(op);
  }
}

ArrayRef<Operation *> Effects::before(Operation *op) const {
  auto entry = predecessors.find(op);
  return entry == predecessors.end() ? ArrayRef<Operation *>()
                                     : ArrayRef(entry->second);
}

llvm::DenseSet<Operation *>
Effects::withAllBefore(ArrayRef<Operation *> ops) const {
  llvm::DenseSet<Operation *> all;
  SmallVector<Operation *> open(ops);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (all.insert(op).second)
      llvm::append_range(open, before(op));
  }
  return all;
}

bool Effects::dependsOn(Operation *op, Operation *on) const {
  return withAllBefore(op).contains(on);
}

/// Whether all that `op` waits for, or reads, of its block is in `placed`.
bool Effects::isReady(Operation *op,
                      const llvm::DenseSet<Operation *> &placed) const {
  auto isPlaced = [&](Operation *before) {
    before = before ? op->getBlock()->findAncestorOpInBlock(*before) : nullptr;
    return !before || before == op || placed.contains(before);
  };
  auto isMade = [&](Value operand) {
    return isPlaced(operand.getDefiningOp());
  };
  bool isRead = llvm::all_of(op->getOperands(), isMade);
  if (auto loop = dyn_cast<flow::LoopOp>(op))
    loop->walk([&](Operation *inner) {
      isRead &= llvm::all_of(inner->getOperands(), isMade);
    });
  return isRead && llvm::all_of(before(op), isPlaced);
}

void Effects::orderBlock(Block &block) const {
  llvm::DenseSet<Operation *> placed;
  SmallVector<Operation *> rest;
  for (Operation &op : block)
    rest.push_back(&op);
  Operation *terminator = block.getTerminator();
  while (!rest.empty()) {
    SmallVector<Operation *> waiting;
    for (Operation *op : rest) {
      if (op == terminator || !isReady(op, placed)) {
        waiting.push_back(op);
        continue;
      }
      placed.insert(op);
      op->moveBefore(terminator);
    }
    bool progress = waiting.size() < rest.size();
    rest = std::move(waiting);
    if (!progress)
      break; // Only the terminator is left.
  }
}

void Effects::orderProgram() {
  orderBlock(program.getBody().front());
  for (auto loop : listOps<flow::LoopOp>(program))
    orderBlock(loop.getBody().front());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Places::Places(ProgramOp program) {
  SymbolTableCollection tables;
  auto add = [&](auto op) {
    known[op.getValue()] =
        placeOfSlice(op, lookupSymbol(tables, op, op.getSymbol()));
  };
  for (Operation *op : listOps(program))
    if (auto load = dyn_cast<LoadOp>(op))
      add(load);
    else if (auto place = dyn_cast<flow::PlaceOp>(op))
      add(place);
    else if (auto dispatch = dyn_cast<flow::DispatchOp>(op))
      for (OpResult result : dispatch->getResults())
        if (auto number = dispatch.getTiedOperand(result.getResultNumber())) {
          Place place = of(dispatch.getInputs()[*number]);
          known[result] = place;
          if (place.value)
            tied.insert(place.value);
        }
}

Place Places::of(Value value) const {
  if (auto entry = known.find(value); entry != known.end())
    return entry->second;
  return {nullptr, value, 0, tensorBytes(typeOf(value))};
}

SmallVector<PlaceAccess> Places::access(Operation *command) const {
  SmallVector<PlaceAccess> accesses;
  for (Value value : command->getOperands())
    accesses.push_back({of(value), /*writes=*/false});
  for (Value value : command->getResults())
    accesses.push_back({of(value), /*writes=*/true});
  if (auto store = dyn_cast<StoreOp>(command))
    accesses.push_back({getPlace(store), /*writes=*/true});
  return accesses;
}

SmallVector<PlaceAccess> Places::accessShared(Operation *command) const {
  SmallVector<PlaceAccess> accesses = access(command);
  llvm::erase_if(accesses, [&](const PlaceAccess &own) {
    return !own.place.symbol && !tied.contains(own.place.value);
  });
  return accesses;
}

bool gpuvm::conflicts(ArrayRef<PlaceAccess> a, ArrayRef<PlaceAccess> b) {
  return llvm::any_of(a, [&](const PlaceAccess &own) {
    return llvm::any_of(b, [&](const PlaceAccess &other) {
      return (own.writes || other.writes) && own.place.overlaps(other.place);
    });
  });
}

bool gpuvm::writesTo(ArrayRef<PlaceAccess> accesses, const Place &place) {
  return llvm::any_of(accesses, [&](const PlaceAccess &access) {
    return access.writes && access.place.overlaps(place);
  });
}

unsigned gpuvm::countBarriers(ArrayRef<SmallVector<PlaceAccess>> commands) {
  SmallVector<PlaceAccess> current;
  unsigned barriers = 0;
  for (ArrayRef<PlaceAccess> accesses : commands) {
    if (conflicts(accesses, current)) {
      ++barriers;
      current.clear();
    }
    llvm::append_range(current, accesses);
  }
  return barriers;
}
