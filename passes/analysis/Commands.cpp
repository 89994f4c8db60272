//===- Commands.cpp - accesses of a program's commands --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/Commands.h"

#include "kernels/analysis/Updates.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

bool gpuvm::isCommand(Operation *op) {
  return isa<KernelOp, InvokeOp, CopyOp, StoreOp, ClockOp, LoopOp, EndTurnOp>(
      op);
}

SmallVector<Operation *> gpuvm::getCommands(ProgramOp program) {
  SmallVector<Operation *> commands = listOps(program);
  llvm::erase_if(commands, [](Operation *op) { return !isCommand(op); });
  return commands;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

static SymbolBytes sliceBytes(Operation *op, StringRef name, Type type,
                              std::optional<int64_t> offset) {
  SymbolInfo symbol = lookupSymbol(op, name);
  uint64_t begin = 0;
  if (offset)
    begin = *offset * (tensorBytes(symbol.type) / symbol.type.getDimSize(0));
  return {symbol.op, begin, begin + tensorBytes(cast<RankedTensorType>(type))};
}

SymbolBytes gpuvm::getSymbolBytes(LoadOp op) {
  return sliceBytes(op, op.getSymbol(), op.getValue().getType(),
                    op.getOffset());
}

SymbolBytes gpuvm::getSymbolBytes(StoreOp op) {
  return sliceBytes(op, op.getSymbol(), op.getValue().getType(),
                    op.getOffset());
}

LoadOp gpuvm::getUpdatedLoad(Value value) {
  auto kernel = value.getDefiningOp<KernelOp>();
  std::optional<unsigned> updated =
      kernel ? getUpdatedInput(kernel, cast<OpResult>(value).getResultNumber())
             : std::nullopt;
  return updated ? kernel.getInputs()[*updated].getDefiningOp<LoadOp>()
                 : LoadOp();
}

WindowAttr gpuvm::getWindow(const SymbolBytes &bytes) {
  WindowAttr whole = getSymbolInfo(bytes.symbol).window;
  return WindowAttr::get(whole.getContext(), whole.getRegion(),
                         whole.getOffset() + bytes.begin,
                         llvm::alignTo(bytes.end - bytes.begin, 4));
}

WindowAttr gpuvm::getWindow(ProgramOp program, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return cast<WindowAttr>(
        (*program.getInputWindows())[argument.getArgNumber()]);
  if (auto load = value.getDefiningOp<LoadOp>())
    return getWindow(getSymbolBytes(load));
  auto windows =
      value.getDefiningOp()->getAttrOfType<ArrayAttr>("output_windows");
  return cast<WindowAttr>(windows[cast<OpResult>(value).getResultNumber()]);
}

uint64_t gpuvm::windowLength(RankedTensorType type) {
  return std::max<uint64_t>(llvm::alignTo(tensorBytes(type), 4), 4);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static void append(SmallVectorImpl<Access> &accesses,
                   std::optional<ArrayAttr> windows, bool writes) {
  if (windows)
    for (auto window : windows->getAsRange<WindowAttr>())
      accesses.push_back({window, writes});
}

SmallVector<Access> gpuvm::getAccesses(Operation *command) {
  SmallVector<Access> accesses;
  TypeSwitch<Operation *>(command)
      .Case<KernelOp>([&](KernelOp op) {
        append(accesses, op.getInputWindows(), false);
        append(accesses, op.getOutputWindows(), true);
        append(accesses, op.getScratchWindows(), false);
        append(accesses, op.getScratchWindows(), true);
        if (op.getCountsWindow())
          accesses.push_back({*op.getCountsWindow(), false});
      })
      .Case<InvokeOp, CopyOp, StoreOp>([&](auto op) {
        append(accesses, op.getInputWindows(), false);
        append(accesses, op.getOutputWindows(), true);
      })
      .Case<ClockOp>([&](ClockOp op) { // It waits for its operand in any case.
        append(accesses, op.getOutputWindows(), true);
      });
  return accesses;
}

WindowAttr gpuvm::intersect(WindowAttr a, WindowAttr b) {
  if (a.getRegion() != b.getRegion())
    return WindowAttr();
  uint64_t begin = std::max(a.getOffset(), b.getOffset());
  uint64_t end =
      std::min(a.getOffset() + a.getLength(), b.getOffset() + b.getLength());
  if (begin >= end)
    return WindowAttr();
  return WindowAttr::get(a.getContext(), a.getRegion(), begin, end - begin);
}

bool gpuvm::conflicts(ArrayRef<Access> a, ArrayRef<Access> b) {
  return llvm::any_of(a, [&](const Access &own) {
    return llvm::any_of(b, [&](const Access &other) {
      return (own.writes || other.writes) &&
             intersect(own.window, other.window);
    });
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

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Rotations gpuvm::getRotations(LoopOp op) {
  Rotations rotations;
  if (op.getRotations())
    for (auto symbols : op.getRotations()->getAsRange<ArrayAttr>())
      rotations.push_back(llvm::map_to_vector(
          symbols.getAsRange<FlatSymbolRefAttr>(), [&](auto symbol) {
            return lookupSymbol(op, symbol.getValue()).window;
          }));
  return rotations;
}

WindowAttr gpuvm::rotate(WindowAttr window, const Rotations &rotations,
                         int64_t turns) {
  for (const SmallVector<WindowAttr> &rotation : rotations)
    for (auto [i, place] : llvm::enumerate(rotation)) {
      if (!intersect(place, window))
        continue;
      int64_t length = rotation.size();
      WindowAttr then =
          rotation[((int64_t(i) - turns) % length + length) % length];
      return WindowAttr::get(window.getContext(), window.getRegion(),
                             window.getOffset() - place.getOffset() +
                                 then.getOffset(),
                             window.getLength());
    }
  return window;
}

Operation *gpuvm::lastRun(Operation *user, Operation *maker) {
  Operation *last = user;
  for (auto loop = user->getParentOfType<LoopOp>();
       loop && !(maker && loop->isProperAncestor(maker));
       loop = loop->getParentOfType<LoopOp>())
    last = loop.getEnd();
  return last;
}

bool gpuvm::stayTogether(Operation *a, Operation *b) {
  if (a->getBlock() != b->getBlock())
    return false;
  if (b->isBeforeInBlock(a))
    std::swap(a, b);
  for (Operation *op = a; op != b; op = op->getNextNode())
    if (isa<LoopOp>(op))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

DataDependences::DataDependences(ProgramOp program) {
  orderSymbolAccesses(program);
  orderLoops(program);
  for (Operation *command : getCommands(program))
    for (Value operand : command->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && isCommand(source))
        predecessors[command].push_back(source);
      else if (source && isa<LoadOp>(source)) {
        SmallVector<Operation *> stores(before(source));
        llvm::append_range(predecessors[command], stores);
      }
    }
}

/// A load sees the stores above it; a store waits for the readers of the loads
/// above it and for the stores above it. A kernel that updates the symbol for a
/// store waits as the store does.
void DataDependences::orderSymbolAccesses(ProgramOp program) {
  struct Touch {
    Operation *op;
    SymbolBytes bytes;
  };
  llvm::DenseMap<Operation *, SmallVector<Touch>> history;
  for (Operation *op : listOps(program)) {
    auto store = dyn_cast<StoreOp>(op);
    auto load = dyn_cast<LoadOp>(op);
    if (!store && !load)
      continue;
    SymbolBytes bytes = store ? getSymbolBytes(store) : getSymbolBytes(load);
    SmallVector<Operation *> waiting = {op};
    if (store && getUpdatedLoad(store.getValue()))
      waiting.push_back(store.getValue().getDefiningOp());
    for (const Touch &earlier : history[bytes.symbol]) {
      if (!earlier.bytes.overlaps(bytes))
        continue;
      SmallVector<Operation *> before = {earlier.op};
      if (!isa<StoreOp>(earlier.op))
        before = store ? llvm::to_vector(earlier.op->getUsers())
                       : SmallVector<Operation *>();
      for (Operation *first : before)
        if (isCommand(first) && !llvm::is_contained(waiting, first))
          for (Operation *second : waiting)
            predecessors[second].push_back(first);
    }
    history[bytes.symbol].push_back({op, bytes});
  }
}

void DataDependences::orderLoops(ProgramOp program) {
  Operation *fence = nullptr;
  SmallVector<Operation *> since; ///< The fence, and all after it.
  for (Operation *op : listOps(program)) {
    if (!isCommand(op) && !isa<LoadOp>(op))
      continue;
    if (isa<LoopOp, EndTurnOp>(op)) {
      llvm::append_range(predecessors[op], since);
      since.clear();
      fence = op;
    } else if (fence) {
      predecessors[op].push_back(fence);
    }
    since.push_back(op);
  }
}

ArrayRef<Operation *> DataDependences::before(Operation *op) const {
  auto entry = predecessors.find(op);
  return entry == predecessors.end() ? ArrayRef<Operation *>()
                                     : ArrayRef(entry->second);
}

/// Whether all that `op` waits for, or reads, of its block is in `placed`.
static bool isReady(Operation *op, const DataDependences &dependences,
                    const llvm::DenseSet<Operation *> &placed) {
  auto isPlaced = [&](Operation *before) {
    before = before ? op->getBlock()->findAncestorOpInBlock(*before) : nullptr;
    return !before || before == op || placed.contains(before);
  };
  auto isMade = [&](Value operand) {
    return isPlaced(operand.getDefiningOp());
  };
  bool isRead = llvm::all_of(op->getOperands(), isMade);
  if (auto loop = dyn_cast<LoopOp>(op))
    loop->walk([&](Operation *inner) {
      isRead &= llvm::all_of(inner->getOperands(), isMade);
    });
  return isRead && llvm::all_of(dependences.before(op), isPlaced);
}

static void orderBlock(Block &block, const DataDependences &dependences) {
  llvm::DenseSet<Operation *> placed;
  SmallVector<Operation *> rest;
  for (Operation &op : block)
    rest.push_back(&op);
  Operation *terminator = block.getTerminator();
  while (!rest.empty()) {
    SmallVector<Operation *> waiting;
    for (Operation *op : rest) {
      if (op == terminator || !isReady(op, dependences, placed)) {
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

void gpuvm::orderByDependence(ProgramOp program) {
  DataDependences dependences(program);
  orderBlock(program.getBody().front(), dependences);
  for (auto loop : listOps<LoopOp>(program))
    orderBlock(loop.getBody().front(), dependences);
}

StringAttr gpuvm::freeName(ProgramOp program, const Twine &wanted) {
  SymbolTable names(program);
  auto isTaken = [&](StringRef name) { return names.lookup(name) != nullptr; };
  auto name = StringAttr::get(program.getContext(), wanted);
  unsigned number = 0;
  if (isTaken(name))
    name = StringAttr::get(
        program.getContext(),
        SymbolTable::generateSymbolName<64>(name.getValue(), isTaken, number));
  return name;
}

std::string gpuvm::stageLabel(Operation *command) {
  auto stages = command->getAttrOfType<ArrayAttr>("stages");
  if (!stages)
    return "";
  constexpr size_t kNames = 8;
  std::string label =
      llvm::join(ArrayAttr::get(command->getContext(),
                                stages.getValue().take_front(kNames))
                     .getAsValueRange<StringAttr>(),
                 "+");
  if (stages.size() > kNames)
    label += " and " + std::to_string(stages.size() - kNames) + " more";
  return label;
}
