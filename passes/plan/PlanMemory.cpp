//===- PlanMemory.cpp - a window for every value and symbol ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols have windows of their own, and what is stored is made there where
// that is safe. Inputs, messages and scratch live in Registers from the command
// that makes them to the last one that reads them; a result may take over the
// window of an operand that dies (canUpdateInPlace), or has to
// (getTiedOperand). Counters must keep their zero between executions: they
// share windows among themselves only.
// docs/rationale/memory-reuse.md says why.
//
//===----------------------------------------------------------------------===//

#include "kernels/InPlace.h"
#include "kernels/Launches.h"
#include "kernels/analysis/Alternative.h"
#include "kernels/analysis/Bindings.h"
#include "passes/Passes.h"
#include "passes/plan/StoredValues.h"
#include "passes/plan/Waves.h"
#include "passes/plan/WindowPacking.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-plan-memory"
ALWAYS_ENABLED_STATISTIC(numValueBytes, "Bytes of Registers for values");
ALWAYS_ENABLED_STATISTIC(numLiveBytes,
                         "Bytes of values alive at once (no plan needs less)");
ALWAYS_ENABLED_STATISTIC(numBytesReused, "Bytes of windows used again");
ALWAYS_ENABLED_STATISTIC(numInPlace, "Results made in place of an operand");
ALWAYS_ENABLED_STATISTIC(numStepsCut, "Barriers added to use windows again");

namespace {

class MemoryPlanner {
public:
  MemoryPlanner(ProgramOp program, const PlanMemoryOptions &options)
      : program(program), options(options), b(program.getContext()) {}
  LogicalResult run();

private:
  void placeSymbols();
  void numberCommands();
  Waves findWaves() const;
  void scheduleAgain();
  void findLiveRanges();
  void addResult(Operation *command, OpResult result);
  std::optional<unsigned> rangeToTakeOver(flow::DispatchOp kernel,
                                          OpResult result);
  bool diesIn(Value value, flow::DispatchOp kernel) const;
  void addScratch(flow::DispatchOp kernel);
  void placeRanges();
  Packing pack(ArrayRef<LiveRange> live, ArrayRef<unsigned> steps);
  void count(uint64_t bytes);
  void annotate();
  LogicalResult checkExternalKernels();

  /// Something of Registers that gets an offset when all ranges are known.
  struct Waiting {
    uint64_t length; ///< Of the window.
    unsigned range;
    bool keepsZero;
  };
  unsigned addRange(uint64_t length, unsigned first, unsigned last,
                    bool keepsZero = false);
  WindowAttr window(gpuvm::Region region, uint64_t offset, uint64_t length);
  WindowAttr place(gpuvm::Region region, uint64_t length);
  WindowAttr windowOf(Value value) const { return home.lookup(value); }
  unsigned lastUse(Value value) const;
  ArrayAttr windowsOf(ValueRange values) const;

  ProgramOp program;
  PlanMemoryOptions options;
  mutable Builder b;
  SmallVector<CommandOpInterface> commands;
  std::array<uint64_t, kNumRegions> size = {};
  ValueHomes home;
  /// Uploads are number 0, downloads the last; commands have those between.
  llvm::DenseMap<Operation *, unsigned> number;
  Steps steps; ///< Of each number: without a barrier inside.
  SmallVector<LiveRange> values, counters;
  llvm::MapVector<Value, unsigned> rangeOf; ///< Among `values`.
  llvm::MapVector<flow::DispatchOp, SmallVector<Waiting>> scratch;
};

struct PlanMemory : gpuvm::impl::PlanMemoryBase<PlanMemory> {
  using Base::Base;
  void runOnOperation() override {
    MemoryPlanner planner(getOperation(),
                          {reuse, inPlace, barrierPrice, maxWindowBytes});
    if (failed(planner.run()))
      signalPassFailure();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

WindowAttr MemoryPlanner::window(gpuvm::Region region, uint64_t offset,
                                 uint64_t length) {
  return WindowAttr::get(b.getContext(), region, offset, length);
}

WindowAttr MemoryPlanner::place(gpuvm::Region region, uint64_t length) {
  uint64_t &end = size[static_cast<unsigned>(region)];
  uint64_t offset = llvm::alignTo(end, kWindowAlignment);
  end = offset + length;
  return window(region, offset, length);
}

void MemoryPlanner::placeSymbols() {
  if (std::optional<ArrayRef<int64_t>> shared = program.getSharedBytes())
    llvm::copy(*shared, size.begin());
  for (Operation &op : program.getBody().front()) {
    SymbolInfo symbol = getSymbolInfo(&op);
    if (symbol.op && !(symbol.isShared && symbol.window))
      op.setAttr("window", place(symbol.region, windowLength(symbol.type)));
  }
  for (auto load : listOps<LoadOp>(program))
    home[load.getValue()] = getSymbolBytes(load).getWindow();
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// The steps of the order as it stands: a command opens a new one if it depends
/// on a command of the current one. Loads and homes in symbols depend by bytes.
void MemoryPlanner::numberCommands() {
  SmallVector<Access> current;
  llvm::DenseSet<Operation *> inStep;
  steps.assign({0});
  unsigned now = 1;
  for (CommandOpInterface command : commands) {
    SmallVector<Access> accesses = getAccesses(command, home);
    bool depends = command.isFence() || conflicts(accesses, current);
    for (Value operand : command->getOperands())
      depends |=
          operand.getDefiningOp() && inStep.contains(operand.getDefiningOp());
    if (depends) {
      ++now;
      current.clear();
      inStep.clear();
    }
    number[command] = steps.size();
    steps.push_back(now);
    inStep.insert(command);
    llvm::append_range(current, accesses);
  }
  steps.push_back(now + 1);
}

/// The symbols that say how many rows `command` makes, which it reads if
/// gpuvm-size-kernels gives it as many workgroups as that takes.
static SmallVector<WindowAttr> findCounts(Operation *command) {
  SmallVector<WindowAttr> counts;
  if (auto kernel = dyn_cast<flow::DispatchOp>(command))
    for (Operation &op : kernel.getBody().front())
      if (auto rows = op.getAttrOfType<StringAttr>(kRowsAttr))
        counts.push_back(lookupSymbol(kernel, rows.getValue()).window);
  return counts;
}

/// The waves of the commands (gpuvm-schedule), where windows of symbols keep
/// the order that they are touched in.
Waves MemoryPlanner::findWaves() const {
  struct After { ///< The first waves after all that read or write a window.
    unsigned reads = 0, writes = 0;
  };
  llvm::MapVector<WindowAttr, After> touched;
  Waves waves;
  unsigned fence = 0, end = 0;
  for (CommandOpInterface command : commands) {
    unsigned wave = command.isFence() ? end : fence;
    for (Value operand : command->getOperands())
      if (auto maker = waves.find(operand.getDefiningOp());
          maker != waves.end())
        wave = std::max(wave, maker->second + 1);
    SmallVector<Access> accesses = getAccesses(command, home);
    for (WindowAttr count : findCounts(command))
      accesses.push_back({count, /*writes=*/false});
    for (const Access &own : accesses)
      for (const auto &[window, after] : touched)
        if (intersect(window, own.window))
          wave = std::max({wave, after.writes, own.writes ? after.reads : 0});
    for (const Access &own : accesses) {
      After &after = touched[own.window];
      unsigned &last = own.writes ? after.writes : after.reads;
      last = std::max(last, wave + 1);
    }
    waves[command] = wave;
    end = std::max(end, wave + 1);
    if (command.isFence())
      fence = wave + 1;
  }
  return waves;
}

/// gpuvm-schedule cannot know which stores need no command, nor which kernels
/// write where another one still reads.
void MemoryPlanner::scheduleAgain() {
  SmallVector<CommandOpInterface> before = commands;
  unsigned stepsBefore = steps.back();
  sortByWaves(commands, findWaves());
  numberCommands();
  if (steps.back() >= stepsBefore) {
    commands = before;
    numberCommands();
    return;
  }
  placeCommands(program, commands);
}

unsigned MemoryPlanner::lastUse(Value value) const {
  unsigned last = number.lookup(value.getDefiningOp());
  for (Operation *user : value.getUsers()) {
    if (isa<ReturnOp>(user))
      return steps.size() - 1;
    if (isa<CommandOpInterface>(user))
      last =
          std::max(last, number.lookup(lastRun(user, value.getDefiningOp())));
  }
  return last;
}

unsigned MemoryPlanner::addRange(uint64_t length, unsigned first, unsigned last,
                                 bool keepsZero) {
  SmallVector<LiveRange> &ranges = keepsZero ? counters : values;
  ranges.push_back({llvm::alignTo(length, kWindowAlignment), first, last});
  return ranges.size() - 1;
}

/// Whether `kernel` is the last to read `value`, all other readers being behind
/// a barrier.
bool MemoryPlanner::diesIn(Value value, flow::DispatchOp kernel) const {
  unsigned now = number.lookup(kernel);
  return lastUse(value) == now &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return !isa<CommandOpInterface>(user) || user == kernel ||
                  steps[number.lookup(user)] < steps[now];
         });
}

/// The range of an operand whose window `result` can take over.
std::optional<unsigned> MemoryPlanner::rangeToTakeOver(flow::DispatchOp kernel,
                                                       OpResult result) {
  unsigned now = number.lookup(kernel);
  // What is chosen while the kernel need not run is best left where it is.
  auto choice = getAlternative(kernel, result.getResultNumber());
  Value best = !choice              ? Value()
               : kernel.getUnless() ? choice->yes
                                    : choice->no;
  for (Value operand :
       llvm::concat<Value>(best ? SmallVector{best} : SmallVector<Value>(),
                           SmallVector<Value>(kernel.getInputs()))) {
    auto range = rangeOf.find(operand);
    if (range == rangeOf.end() || values[range->second].last != now ||
        !diesIn(operand, kernel))
      continue;
    bool canTakeOver = true;
    for (auto [i, other] : llvm::enumerate(kernel.getInputs()))
      canTakeOver &= other != operand ||
                     canUpdateInPlace(kernel, i, result.getResultNumber());
    if (canTakeOver)
      return range->second;
  }
  return std::nullopt;
}

void MemoryPlanner::addResult(Operation *command, OpResult result) {
  unsigned last = lastUse(result);
  auto kernel = dyn_cast<flow::DispatchOp>(command);
  std::optional<unsigned> taken, updated;
  if (kernel)
    updated = kernel.getTiedOperand(result.getResultNumber());
  if (updated) // Made for that alone (materializeEscapes).
    taken = rangeOf.find(kernel.getInputs()[*updated])->second;
  else if (kernel && options.reuse && options.inPlace)
    taken = rangeToTakeOver(kernel, result);
  if (!taken) {
    auto type = cast<RankedTensorType>(result.getType());
    rangeOf[result] =
        addRange(windowLength(type), number.lookup(command), last);
    return;
  }
  values[*taken].last = last;
  rangeOf[result] = *taken;
  ++numInPlace;
}

void MemoryPlanner::addScratch(flow::DispatchOp kernel) {
  unsigned now = number.lookup(kernel);
  for (const Scratch &wanted : getScratch(kernel)) {
    uint64_t length = llvm::alignTo(wanted.bytes, 4);
    unsigned first = wanted.keepsAll ? 0 : now;
    unsigned last = wanted.keepsAll ? steps.size() - 1 : now;
    scratch[kernel].push_back({length,
                               addRange(length, first, last, wanted.keepsZero),
                               wanted.keepsZero});
  }
}

void MemoryPlanner::findLiveRanges() {
  for (BlockArgument input : program.getBody().getArguments())
    rangeOf[input] =
        addRange(windowLength(cast<RankedTensorType>(input.getType())), 0,
                 lastUse(input));
  for (Operation *command : commands) {
    for (OpResult result : command->getResults())
      if (!home.contains(result))
        addResult(command, result);
    if (auto kernel = dyn_cast<flow::DispatchOp>(command))
      addScratch(kernel);
  }
  // Outputs without elements, which nothing makes.
  for (Value value : program.getBody().front().getTerminator()->getOperands())
    if (hasNoElements(value.getType()) && !rangeOf.contains(value))
      rangeOf[value] =
          addRange(windowLength(typeOf(value)), 0, steps.size() - 1);
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// Without reuse everything lives all the time.
Packing MemoryPlanner::pack(ArrayRef<LiveRange> live,
                            ArrayRef<unsigned> steps) {
  SmallVector<LiveRange> ranges(live);
  if (!options.reuse)
    for (LiveRange &range : ranges) {
      range.first = 0;
      range.last = steps.size() - 1;
    }
  return packWindows(ranges, steps);
}

void MemoryPlanner::placeRanges() {
  constexpr auto region = gpuvm::Region::registers;
  uint64_t &end = size[static_cast<unsigned>(region)];
  if (options.reuse) {
    Steps cut = cutSteps(values, steps, options.barrierPrice);
    numStepsCut += cut.back() - steps.back();
    steps = std::move(cut);
  }
  uint64_t valuesBegin = llvm::alignTo(end, kWindowAlignment);
  Packing packing = pack(values, steps);
  uint64_t countersBegin = valuesBegin + packing.bytes;
  Packing counterPacking = pack(counters, steps);
  end = countersBegin + counterPacking.bytes;
  if (program.getSharedBytes())
    program.setTransient(
        ArrayRef<int64_t>{static_cast<int64_t>(valuesBegin),
                          static_cast<int64_t>(countersBegin)});
  for (auto [value, range] : rangeOf)
    home[value] = window(region, valuesBegin + packing.offsets[range],
                         windowLength(cast<RankedTensorType>(value.getType())));
  for (auto &[kernel, windows] : scratch) {
    SmallVector<Attribute> attributes;
    for (const Waiting &w : windows)
      attributes.push_back(
          window(region,
                 w.keepsZero ? countersBegin + counterPacking.offsets[w.range]
                             : valuesBegin + packing.offsets[w.range],
                 w.length));
    flow::DispatchOp(kernel).setScratchWindowsAttr(b.getArrayAttr(attributes));
  }
  count(end - valuesBegin);
}

/// Statistics; counters are in use all the time.
void MemoryPlanner::count(uint64_t bytes) {
  Steps each(llvm::to_vector(llvm::seq<unsigned>(0, steps.size())));
  uint64_t all = 0;
  for (auto [value, range] : rangeOf)
    all += llvm::alignTo(windowLength(cast<RankedTensorType>(value.getType())),
                         kWindowAlignment);
  for (auto &[kernel, windows] : scratch)
    for (const Waiting &w : windows)
      all += llvm::alignTo(w.length, kWindowAlignment);
  numValueBytes += bytes;
  numLiveBytes += countLiveBytes(values, each) + countLiveBytes(counters, each);
  numBytesReused += all - bytes;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

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
  for (CommandOpInterface command : commands) {
    command.setInputWindowsAttr(windowsOf(command->getOperands()));
    auto store = dyn_cast<StoreOp>(*command);
    command.setOutputWindowsAttr(
        store ? b.getArrayAttr(getSymbolBytes(store).getWindow())
              : windowsOf(command->getResults()));
  }
}

/// Our kernels find their way in pieces of a value; a kernel of the user's does
/// not.
LogicalResult MemoryPlanner::checkExternalKernels() {
  for (auto invoke : listOps<InvokeOp>(program))
    for (Value value :
         llvm::concat<Value>(llvm::to_vector_of<Value>(invoke->getOperands()),
                             llvm::to_vector_of<Value>(invoke->getResults())))
      if (uint64_t length = windowOf(value).getLength();
          length > options.maxWindowBytes)
        return invoke.emitOpError("binds a value of ")
               << length << " bytes in one window (at most "
               << options.maxWindowBytes << " are allowed: --max-window-bytes)";
  return success();
}

LogicalResult MemoryPlanner::run() {
  if (options.maxWindowBytes < kWindowAlignment)
    return program.emitError("windows of ")
           << options.maxWindowBytes << " bytes are too short (at least "
           << kWindowAlignment << " are needed: --max-window-bytes)";
  setMaxWindowBytes(program, options.maxWindowBytes);
  placeSymbols();
  makeValuesInTheirSymbols(program, home, options.inPlace);
  commands = getCommands(program); // Some stores are gone.
  numberCommands();
  if (program->removeAttr(kScheduledAttr))
    scheduleAgain();
  findLiveRanges();
  placeRanges();
  annotate();
  return checkExternalKernels();
}
