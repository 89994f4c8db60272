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

WindowAttr SymbolBytes::getWindow() const {
  WindowAttr whole = getSymbolInfo(symbol).window;
  return WindowAttr::get(whole.getContext(), whole.getRegion(),
                         whole.getOffset() + begin,
                         llvm::alignTo(end - begin, 4));
}

template <typename OpT>
static SymbolBytes sliceBytes(OpT op, const SymbolInfo &symbol) {
  uint64_t begin = 0;
  if (std::optional<int64_t> offset = op.getOffset())
    begin = *offset * (tensorBytes(symbol.type) / symbol.type.getDimSize(0));
  auto type = cast<RankedTensorType>(op.getValue().getType());
  return {symbol.op, begin, begin + tensorBytes(type)};
}

SymbolBytes gpuvm::getSymbolBytes(LoadOp op) {
  return sliceBytes(op, lookupSymbol(op, op.getSymbol()));
}

SymbolBytes gpuvm::getSymbolBytes(StoreOp op) {
  return sliceBytes(op, lookupSymbol(op, op.getSymbol()));
}

bool gpuvm::overlap(ArrayRef<SymbolBytes> a, ArrayRef<SymbolBytes> b) {
  return llvm::any_of(a, [&](const SymbolBytes &own) {
    return llvm::any_of(
        b, [&](const SymbolBytes &other) { return own.overlaps(other); });
  });
}

SymbolAccesses::SymbolAccesses(ProgramOp program) {
  SymbolTableCollection tables;
  auto add = [&](auto op, auto &bySymbol) {
    SymbolBytes bytes =
        sliceBytes(op, lookupSymbol(tables, op, op.getSymbol()));
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
                                      const SymbolBytes &bytes) {
  SmallVector<OpT> found;
  if (auto entry = all.find(bytes.symbol); entry != all.end())
    for (const Touch<OpT> &touch : entry->second)
      if (touch.bytes.overlaps(bytes))
        found.push_back(touch.op);
  return found;
}

SmallVector<LoadOp> SymbolAccesses::loadsOf(const SymbolBytes &bytes) const {
  return find(loads, bytes);
}

SmallVector<StoreOp> SymbolAccesses::storesTo(const SymbolBytes &bytes) const {
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
    SymbolBytes bytes = symbols.bytesOf(store);
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
// Windows
//===----------------------------------------------------------------------===//

WindowAttr gpuvm::getWindow(ProgramOp program, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return cast<WindowAttr>(
        (*program.getInputWindows())[argument.getArgNumber()]);
  if (auto load = value.getDefiningOp<LoadOp>())
    return getSymbolBytes(load).getWindow();
  auto command = value.getDefiningOp<CommandOpInterface>();
  return cast<WindowAttr>(
      command.getOutputWindowsAttr()[cast<OpResult>(value).getResultNumber()]);
}

SmallVector<Access> gpuvm::getAccesses(Operation *command,
                                       const ValueHomes &homes) {
  SmallVector<Access> accesses;
  auto add = [&](ValueRange values, bool writes) {
    for (Value value : values)
      if (WindowAttr window = homes.lookup(value))
        accesses.push_back({window, writes});
  };
  add(command->getOperands(), /*writes=*/false);
  add(command->getResults(), /*writes=*/true);
  if (auto store = dyn_cast<StoreOp>(command))
    accesses.push_back({getSymbolBytes(store).getWindow(), /*writes=*/true});
  return accesses;
}

bool gpuvm::conflicts(ArrayRef<Access> a, ArrayRef<Access> b) {
  return llvm::any_of(a, [&](const Access &own) {
    return llvm::any_of(b, [&](const Access &other) {
      return (own.writes || other.writes) &&
             intersect(own.window, other.window);
    });
  });
}

bool gpuvm::writesTo(ArrayRef<Access> accesses, WindowAttr window) {
  return llvm::any_of(accesses, [&](const Access &access) {
    return access.writes && intersect(access.window, window);
  });
}

unsigned gpuvm::countBarriers(ArrayRef<SmallVector<Access>> commands) {
  SmallVector<Access> current;
  unsigned barriers = 0;
  for (ArrayRef<Access> accesses : commands) {
    if (conflicts(accesses, current)) {
      ++barriers;
      current.clear();
    }
    llvm::append_range(current, accesses);
  }
  return barriers;
}
