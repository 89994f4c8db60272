//===- PlanMemory.cpp - a window for every value and symbol ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols and inputs have windows of their own; so have counters, which must
// keep their zero between executions. Everything else lives in Registers from
// the wave that makes it to the last wave that reads it.
//
//===----------------------------------------------------------------------===//

#include "kernels/KernelConfig.h"
#include "passes/Commands.h"
#include "passes/Passes.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-plan-memory"
ALWAYS_ENABLED_STATISTIC(numBytesReused, "Bytes of windows used again");

namespace {

constexpr unsigned kNumRegions = 5;

/// A window of Registers that may be used again after wave `lastUse`.
struct RegisterBlock {
  uint64_t offset, length;
  unsigned lastUse;
};

class MemoryPlanner {
public:
  MemoryPlanner(ProgramOp program, bool reuse)
      : program(program), reuse(reuse), b(program.getContext()) {}
  LogicalResult run();
  uint64_t bytesReused() const { return reusedBytes; }

private:
  void placeSymbolsAndInputs();
  void makeValuesInTheirSymbols();
  LogicalResult dropStoresInPlace();
  bool canBeMadeIn(StoreOp store, KernelOp maker) const;
  void countWaves();
  void placeValues();
  void placeScratch(KernelOp kernel);
  void annotate();
  LogicalResult checkSizes();

  WindowAttr place(gpuvm::Region region, uint64_t length);
  WindowAttr placeInRegisters(uint64_t length, unsigned wave, unsigned lastUse);
  WindowAttr windowOf(Value value) const;
  unsigned lastUse(Value value) const;
  ArrayAttr windowsOf(ValueRange values) const;

  ProgramOp program;
  bool reuse;
  mutable Builder b;
  std::array<uint64_t, kNumRegions> size = {};
  llvm::DenseMap<Value, WindowAttr> home;
  llvm::DenseMap<Operation *, unsigned> wave;
  SmallVector<RegisterBlock> blocks;
  uint64_t reusedBytes = 0;
};

struct PlanMemory : gpuvm::impl::PlanMemoryBase<PlanMemory> {
  using Base::Base;
  void runOnOperation() override {
    MemoryPlanner planner(getOperation(), reuse);
    if (failed(planner.run()))
      return signalPassFailure();
    numBytesReused += planner.bytesReused();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

WindowAttr MemoryPlanner::place(gpuvm::Region region, uint64_t length) {
  uint64_t &end = size[static_cast<unsigned>(region)];
  uint64_t offset = llvm::alignTo(end, kWindowAlignment);
  end = offset + length;
  return WindowAttr::get(b.getContext(), region, offset, length);
}

/// First fit among the windows that are dead; the whole window is taken.
WindowAttr MemoryPlanner::placeInRegisters(uint64_t length, unsigned from,
                                           unsigned lastUse) {
  auto region = gpuvm::Region::registers;
  if (reuse) {
    RegisterBlock *best = nullptr;
    for (RegisterBlock &block : blocks)
      if (block.lastUse < from && block.length >= length &&
          (!best || block.length < best->length))
        best = &block;
    if (best) {
      best->lastUse = lastUse;
      reusedBytes += length;
      return WindowAttr::get(b.getContext(), region, best->offset, length);
    }
  }
  WindowAttr window = place(region, length);
  blocks.push_back({window.getOffset(), length, lastUse});
  return window;
}

void MemoryPlanner::placeSymbolsAndInputs() {
  for (BlockArgument input : program.getBody().getArguments())
    home[input] = place(gpuvm::Region::registers,
                        windowLength(cast<RankedTensorType>(input.getType())));
  for (Operation &op : program.getBody().front()) {
    SymbolInfo symbol = getSymbolInfo(&op);
    if (symbol.op)
      op.setAttr("window", place(symbol.region, windowLength(symbol.type)));
  }
  for (auto load : program.getBody().getOps<LoadOp>())
    home[load.getValue()] = getWindow(getSymbolBytes(load));
}

//===----------------------------------------------------------------------===//
// Values that are stored
//===----------------------------------------------------------------------===//

/// Whether `maker` may write the symbol's window itself: nothing between it and
/// the store touches those bytes, nothing changes them while the value is still
/// read, and `maker` does not read them elsewhere than it writes.
bool MemoryPlanner::canBeMadeIn(StoreOp store, KernelOp maker) const {
  WindowAttr target = getWindow(getSymbolBytes(store));
  for (Value input : maker.getInputs())
    if (home.contains(input) && intersect(windowOf(input), target))
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
        if (home.contains(result) && intersect(windowOf(result), target))
          return false;
    if (beforeStore)
      for (Value operand : op->getOperands())
        if (operand != store.getValue() && home.contains(operand) &&
            intersect(windowOf(operand), target))
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

void MemoryPlanner::makeValuesInTheirSymbols() {
  for (auto store :
       llvm::make_early_inc_range(program.getBody().getOps<StoreOp>())) {
    auto maker = store.getValue().getDefiningOp<KernelOp>();
    if (!maker || home.contains(store.getValue()) || !canBeMadeIn(store, maker))
      continue;
    home[store.getValue()] = getWindow(getSymbolBytes(store));
    store.erase();
  }
}

/// A value that is stored where it already is needs no command.
LogicalResult MemoryPlanner::dropStoresInPlace() {
  for (auto store :
       llvm::make_early_inc_range(program.getBody().getOps<StoreOp>())) {
    WindowAttr source = windowOf(store.getValue());
    WindowAttr target = getWindow(getSymbolBytes(store));
    if (source == target)
      store.erase();
    else if (source && intersect(source, target))
      return store.emitOpError("stores a slice of a symbol over another slice "
                               "that overlaps it; compute the value first");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// The waves of the order as it stands: a command opens a new one if it depends
/// on a command of the current one. Loads and homes in symbols depend by bytes.
void MemoryPlanner::countWaves() {
  struct Touch {
    WindowAttr window;
    bool writes;
  };
  SmallVector<Touch> current;
  llvm::DenseSet<Operation *> inWave;
  unsigned now = 0;
  for (Operation *command : getCommands(program)) {
    SmallVector<Touch> touches;
    bool depends = false;
    for (Value operand : command->getOperands()) {
      depends |=
          operand.getDefiningOp() && inWave.contains(operand.getDefiningOp());
      if (home.contains(operand))
        touches.push_back({windowOf(operand), false});
    }
    for (Value result : command->getResults())
      if (home.contains(result))
        touches.push_back({windowOf(result), true});
    if (auto store = dyn_cast<StoreOp>(command))
      touches.push_back({getWindow(getSymbolBytes(store)), true});
    for (const Touch &a : touches)
      for (const Touch &before : current)
        depends |= (a.writes || before.writes) &&
                   intersect(a.window, before.window) != WindowAttr();
    if (depends) {
      ++now;
      current.clear();
      inWave.clear();
    }
    wave[command] = now;
    inWave.insert(command);
    llvm::append_range(current, touches);
  }
}

unsigned MemoryPlanner::lastUse(Value value) const {
  unsigned last = wave.lookup(value.getDefiningOp());
  for (Operation *user : value.getUsers()) {
    if (isa<ReturnOp>(user))
      return ~0u;
    if (isCommand(user))
      last = std::max(last, wave.lookup(user));
  }
  return last;
}

void MemoryPlanner::placeScratch(KernelOp kernel) {
  SmallVector<Attribute> windows;
  unsigned now = wave.lookup(kernel);
  for (const Scratch &scratch : configureKernel(kernel).scratch) {
    uint64_t length = llvm::alignTo(scratch.bytes, 4);
    windows.push_back(scratch.keepsZero
                          ? place(gpuvm::Region::registers, length)
                          : placeInRegisters(length, now, now));
  }
  if (!windows.empty())
    kernel.setScratchWindowsAttr(b.getArrayAttr(windows));
}

void MemoryPlanner::placeValues() {
  for (Operation *command : getCommands(program)) {
    for (Value result : command->getResults())
      if (!home.contains(result))
        home[result] = placeInRegisters(
            windowLength(cast<RankedTensorType>(result.getType())),
            wave.lookup(command), lastUse(result));
    if (auto kernel = dyn_cast<KernelOp>(command))
      placeScratch(kernel);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

WindowAttr MemoryPlanner::windowOf(Value value) const {
  return home.lookup(value);
}

ArrayAttr MemoryPlanner::windowsOf(ValueRange values) const {
  SmallVector<Attribute> windows;
  for (Value value : values)
    windows.push_back(windowOf(value));
  return b.getArrayAttr(windows);
}

void MemoryPlanner::annotate() {
  auto returnOp = cast<ReturnOp>(program.getBody().front().getTerminator());
  program.setInputWindowsAttr(windowsOf(program.getBody().getArguments()));
  program.setOutputWindowsAttr(windowsOf(returnOp.getValues()));
  SmallVector<int64_t> bytes;
  for (uint64_t region : size)
    bytes.push_back(llvm::alignTo(region, kWindowAlignment));
  program.setRegionBytes(bytes);
  for (Operation *command : getCommands(program)) {
    if (auto store = dyn_cast<StoreOp>(command)) {
      store.setInputWindowsAttr(windowsOf(store.getValue()));
      store.setOutputWindowsAttr(
          b.getArrayAttr(getWindow(getSymbolBytes(store))));
      continue;
    }
    command->setAttr("input_windows", windowsOf(command->getOperands()));
    command->setAttr("output_windows", windowsOf(command->getResults()));
  }
}

/// The largest range of a storage buffer that any device offers: 2^32 - 1.
static constexpr uint64_t kMaxWindowBytes = UINT32_MAX;

LogicalResult MemoryPlanner::checkSizes() {
  for (auto &[value, window] : home) {
    if (window.getLength() <= kMaxWindowBytes)
      continue;
    return mlir::emitError(value.getLoc())
           << "a value of " << window.getLength()
           << " bytes does not fit one window (" << kMaxWindowBytes
           << " bytes)";
  }
  return success();
}

LogicalResult MemoryPlanner::run() {
  placeSymbolsAndInputs();
  makeValuesInTheirSymbols();
  if (failed(dropStoresInPlace()))
    return failure();
  countWaves();
  placeValues();
  annotate();
  return checkSizes();
}
