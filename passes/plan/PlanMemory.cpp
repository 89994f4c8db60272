//===- PlanMemory.cpp - a window for every value and symbol ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols have windows of their own, which values may be in (Places). Inputs,
// messages and scratch live in Registers from the command that makes them to
// the last one that reads them; a result may take over the window of an operand
// that dies (canUpdateInPlace), or has to (getTiedOperand). Counters must keep
// their zero between executions: they share windows among themselves only.
// Counts of workgroups are in Control. docs/rationale/memory-reuse.md says why.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Target.h"
#include "kernels/InPlace.h"
#include "kernels/Launches.h"
#include "kernels/analysis/Bindings.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/Lifetimes.h"
#include "passes/plan/Bundles.h"
#include "passes/plan/WindowPacking.h"
#include "schema/Limits.h"

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
      : program(program), options(options), b(program.getContext()),
        commands(getCommands(program)), places(program),
        lifetimes(commands, places), steps(lifetimes.getSteps()) {}
  /// False if operands have been copied, so that all is to be planned again.
  FailureOr<bool> run();

private:
  void placeSymbols(ArrayRef<Operation *> order);
  void placeInSymbols();
  bool placeTogether();
  void findLiveRanges();
  void addResult(Operation *command, OpResult result);
  bool isTaken(flow::DispatchOp kernel, Value operand) const;
  std::optional<unsigned> rangeToTakeOver(flow::DispatchOp kernel,
                                          OpResult result);
  void addScratch(flow::DispatchOp kernel);
  void placeRanges();
  Packing pack(ArrayRef<LiveRange> live, ArrayRef<Bundle> bundles,
               ArrayRef<unsigned> steps);
  void count(uint64_t bytes);
  void annotate();
  LogicalResult checkExternalKernels();

  /// Something of Registers that gets an offset when all ranges are known.
  struct Waiting {
    uint64_t length; ///< Of the window.
    unsigned range;
    bool keepsZero;
    bool inControl; ///< Instead, at the end of Control.
  };
  unsigned addRange(uint64_t length, unsigned first, unsigned last,
                    bool keepsZero = false);
  WindowAttr window(gpuvm::Region region, uint64_t offset, uint64_t length);
  WindowAttr place(gpuvm::Region region, uint64_t length);
  WindowAttr windowOf(Value value) const { return home.lookup(value); }
  ArrayAttr windowsOf(ValueRange values) const;

  ProgramOp program;
  PlanMemoryOptions options;
  mutable Builder b;
  SmallVector<CommandOpInterface> commands;
  Places places;
  Lifetimes lifetimes;
  Steps steps; ///< Those of `lifetimes`, and some more.
  std::array<uint64_t, kNumRegions> size = {};
  SmallVector<Operation *> symbols; ///< That are placed here.
  llvm::DenseMap<Value, WindowAttr> home;
  SmallVector<LiveRange> values, counters;
  llvm::MapVector<Value, unsigned> rangeOf; ///< Among `values`.
  SmallVector<Bundle> bundles;              ///< Of `values`.
  llvm::MapVector<flow::DispatchOp, SmallVector<Waiting>> scratch;
};

struct PlanMemory : gpuvm::impl::PlanMemoryBase<PlanMemory> {
  using Base::Base;
  void runOnOperation() override {
    PlanMemoryOptions options = {reuse, inPlace, barrierPrice, maxWindowBytes};
    FailureOr<bool> placed = false;
    while (succeeded(placed) && !*placed)
      placed = MemoryPlanner(getOperation(), options).run();
    if (failed(placed))
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

void MemoryPlanner::placeSymbols(ArrayRef<Operation *> order) {
  size.fill(0);
  if (std::optional<ArrayRef<int64_t>> shared = program.getSharedBytes())
    llvm::copy(*shared, size.begin());
  for (Operation *op : order) {
    SymbolInfo symbol = getSymbolInfo(op);
    symbol.window = place(symbol.region, windowLength(symbol.type));
    setSymbolInfo(symbol);
  }
}

/// The windows of values that are in symbols.
void MemoryPlanner::placeInSymbols() {
  auto add = [&](Value value) {
    if (Place place = places.of(value); place.symbol)
      home[value] = place.getWindow();
  };
  for (Operation *op : listOps(program))
    if (isa<LoadOp, flow::DispatchOp>(op))
      llvm::for_each(op->getResults(), add);
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

unsigned MemoryPlanner::addRange(uint64_t length, unsigned first, unsigned last,
                                 bool keepsZero) {
  SmallVector<LiveRange> &ranges = keepsZero ? counters : values;
  ranges.push_back({llvm::alignTo(length, kWindowAlignment), first, last});
  return ranges.size() - 1;
}

/// Whether a result of `kernel` has the range of `operand`, or is tied to it. A
/// step of a chain may read a result that no command does, so it keeps its
/// range until the kernel ends.
bool MemoryPlanner::isTaken(flow::DispatchOp kernel, Value operand) const {
  unsigned range = rangeOf.find(operand)->second;
  return llvm::any_of(kernel->getResults(), [&](OpResult result) {
    const auto *own = rangeOf.find(result);
    std::optional<unsigned> tied =
        kernel.getTiedOperand(result.getResultNumber());
    return (own != rangeOf.end() && own->second == range) ||
           (tied && kernel.getInputs()[*tied] == operand);
  });
}

/// The range of an operand whose window `result` can take over.
std::optional<unsigned> MemoryPlanner::rangeToTakeOver(flow::DispatchOp kernel,
                                                       OpResult result) {
  unsigned number = result.getResultNumber();
  for (Value operand : kernel.getInputs()) {
    auto range = rangeOf.find(operand);
    if (range != rangeOf.end() &&
        values[range->second].last == lifetimes.numberOf(kernel) &&
        !isTaken(kernel, operand) &&
        lifetimes.canTakeOver(kernel, operand, number))
      return range->second;
  }
  return std::nullopt;
}

/// Whether `value` counts workgroups.
static bool isOfGroups(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto reader = dyn_cast<flow::DispatchOp>(use.getOwner());
    return reader && reader.getGroups() == use.get();
  });
}

void MemoryPlanner::addResult(Operation *command, OpResult result) {
  if (isOfGroups(result)) {
    home[result] = place(gpuvm::Region::control, windowLength(typeOf(result)));
    return;
  }
  unsigned last = lifetimes.lastUse(result);
  auto kernel = dyn_cast<flow::DispatchOp>(command);
  std::optional<unsigned> taken, updated;
  if (kernel)
    updated = kernel.getTiedOperand(result.getResultNumber());
  if (updated) // Made for that alone, or dies here.
    taken = rangeOf.find(kernel.getInputs()[*updated])->second;
  else if (kernel && options.reuse && options.inPlace)
    taken = rangeToTakeOver(kernel, result);
  if (!taken) {
    auto type = cast<RankedTensorType>(result.getType());
    rangeOf[result] =
        addRange(windowLength(type), lifetimes.numberOf(command), last);
    return;
  }
  values[*taken].last = last;
  rangeOf[result] = *taken;
  ++numInPlace;
}

void MemoryPlanner::addScratch(flow::DispatchOp kernel) {
  unsigned now = lifetimes.numberOf(kernel);
  for (const Scratch &wanted : getScratch(kernel)) {
    uint64_t length = llvm::alignTo(wanted.bytes, 4);
    if (wanted.inControl) {
      scratch[kernel].push_back({length, 0, false, true});
      continue;
    }
    unsigned first = wanted.keepsAll ? 0 : now;
    unsigned last = wanted.keepsAll ? lifetimes.getLast() : now;
    scratch[kernel].push_back({length,
                               addRange(length, first, last, wanted.keepsZero),
                               wanted.keepsZero, /*inControl=*/false});
  }
}

void MemoryPlanner::findLiveRanges() {
  for (BlockArgument input : program.getBody().getArguments())
    rangeOf[input] =
        addRange(windowLength(cast<RankedTensorType>(input.getType())), 0,
                 lifetimes.lastUse(input));
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
          addRange(windowLength(typeOf(value)), 0, lifetimes.getLast());
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// What dispatches with too many windows use alike comes to lie next to each
/// other; false if operands had to be copied for that.
bool MemoryPlanner::placeTogether() {
  uint64_t most = vm::bindingsToPlace(getMainTarget(program).getBindings());
  auto scratchOf = [&](flow::DispatchOp dispatch) {
    return scratch.lookup(dispatch).size();
  };
  Bundler bundler(program, symbols, home, rangeOf);
  SmallVector<flow::DispatchOp> crowded =
      bundler.findCrowded(most, options.maxWindowBytes, scratchOf);
  if (crowded.empty())
    return true;
  bundler.bundle(crowded, values);
  if (llvm::any_of(crowded, [&](flow::DispatchOp dispatch) {
        return bundler.countBindings(dispatch) + scratchOf(dispatch) > most;
      }))
    bundler.bundle(crowded);
  bool copies = false;
  for (flow::DispatchOp dispatch : crowded)
    copies |= bundler.copyOperands(dispatch, most, scratchOf(dispatch));
  if (copies)
    return false;
  bundles = bundler.getRangeBundles();
  std::array<uint64_t, kNumRegions> ends = size; // With counts in Control.
  placeSymbols(bundler.orderSymbols());
  for (auto [end, before] : llvm::zip(size, ends))
    end = std::max(end, before);
  placeInSymbols();
  return true;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// Without reuse everything lives all the time.
Packing MemoryPlanner::pack(ArrayRef<LiveRange> live, ArrayRef<Bundle> bundles,
                            ArrayRef<unsigned> steps) {
  SmallVector<LiveRange> ranges(live);
  if (!options.reuse)
    for (LiveRange &range : ranges) {
      range.first = 0;
      range.last = steps.size() - 1;
    }
  return packBundles(ranges, bundles, steps);
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
  Packing packing = pack(values, bundles, steps);
  uint64_t countersBegin = valuesBegin + packing.bytes;
  Packing counterPacking = pack(counters, {}, steps);
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
          w.inControl
              ? place(gpuvm::Region::control, w.length)
              : window(region,
                       w.keepsZero
                           ? countersBegin + counterPacking.offsets[w.range]
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
      all += w.inControl ? 0 : llvm::alignTo(w.length, kWindowAlignment);
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
    auto dispatch = dyn_cast<flow::DispatchOp>(*command);
    command.setInputWindowsAttr(
        windowsOf(dispatch ? ValueRange(dispatch.getInputs())
                           : ValueRange(command->getOperands())));
    auto store = dyn_cast<StoreOp>(*command);
    command.setOutputWindowsAttr(
        store ? b.getArrayAttr(getPlace(store).getWindow())
              : windowsOf(command->getResults()));
    if (!dispatch)
      continue;
    dispatch.removeTiesAttr(); // The windows say it now.
    if (dispatch.getGroups())
      dispatch.setGroupsWindowAttr(
          window(gpuvm::Region::control,
                 windowOf(dispatch.getGroups()).getOffset() +
                     *dispatch.getGroupsRow() * kTripletBytes,
                 kTripletBytes));
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

FailureOr<bool> MemoryPlanner::run() {
  if (options.maxWindowBytes < kWindowAlignment)
    return program.emitError("windows of ")
           << options.maxWindowBytes << " bytes are too short (at least "
           << kWindowAlignment << " are needed: --max-window-bytes)";
  setMaxWindowBytes(program, options.maxWindowBytes);
  // What programs share has its windows for all of them, if there are several.
  bool isPlaced = program.getSharedBytes().has_value();
  for (Operation &op : program.getBody().front())
    if (SymbolInfo symbol = getSymbolInfo(&op);
        symbol.op && !(symbol.isShared && isPlaced))
      symbols.push_back(&op);
  placeSymbols(symbols);
  placeInSymbols();
  findLiveRanges();
  if (!placeTogether())
    return false;
  placeRanges();
  annotate();
  if (failed(checkExternalKernels()))
    return failure();
  return true;
}
