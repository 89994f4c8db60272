//===- ToPlan.cpp - from programs with windows to a plan ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation of the programs is written down once more in the words of the
// plan. Decided is only where in the regions of the plan each program has its
// bytes: what all of them share comes first, then what each one keeps; what
// they do not keep is in one place, since only one of them runs at a time.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Target.h"
#include "dialects/plan/Plan.h"
#include "kernels/Launches.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/analysis/Rotations.h"
#include "kernels/loops/LongLoops.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

namespace mlir::gpuvm {
#define GEN_PASS_DEF_TOPLAN
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// Where in the regions of the plan a program has what gpuvm-plan-memory gave
/// it a window for.
struct ProgramPlace {
  SmallVector<int64_t> bytes;  ///< Of each region.
  SmallVector<int64_t> shared; ///< Those at its start.
  /// In Registers nothing between these is kept for the next execution.
  int64_t transientBegin, transientEnd;
  /// Where what is kept, and what is not, begins in the plan.
  SmallVector<int64_t> kept;
  int64_t transient = 0;

  explicit ProgramPlace(ProgramOp program);
  bool isShared(WindowAttr window) const {
    return int64_t(window.getOffset()) < shared[unsigned(window.getRegion())];
  }
  WindowAttr at(WindowAttr window) const;
};

struct Emitted {
  plan::KernelOp kernel;
  /// The bindings in the plan of those that gpuvm-emit-kernels laid out.
  llvm::DenseMap<unsigned, unsigned> bindings;
};

/// What is known of the plan while its programs are added.
struct PlanContext {
  plan::ModuleOp plan;
  bool hasSeveral = false; ///< Programs, each with names of its own.
  llvm::DenseMap<Attribute, Emitted> emitted; ///< By name.
  llvm::DenseMap<Operation *, plan::KernelOp> external;
  SymbolTableCollection symbols;
  llvm::DenseSet<WindowAttr> initialized;
  int32_t numStages = 0;
};

class ProgramBuilder {
public:
  ProgramBuilder(ProgramOp program, const ProgramPlace &place,
                 PlanContext &context)
      : program(program), place(place), context(context),
        commands(getCommands(program)),
        b(OpBuilder::atBlockEnd(&context.plan.getBody().front())),
        loc(program.getLoc()) {}
  LogicalResult run();

private:
  WindowAttr at(WindowAttr window) const { return place.at(window); }
  ArrayAttr allAt(ArrayRef<WindowAttr> windows);
  StringAttr nameOf(StringRef name, bool isShared = false);
  StringAttr nameOfRows(StringAttr symbol);
  void addInputsAndOutputs();
  void addData(Location loc, ElementsAttr value, WindowAttr window);
  void addAllData();
  void addSymbols();
  void addRegisters();
  void addStages();
  SmallVector<int32_t> stagesOf(CommandOpInterface command);
  plan::KernelOp kernelOf(CommandOpInterface command);
  ArrayAttr windowsFor(flow::DispatchOp op, const Emitted &emitted);
  LogicalResult addCommands(Block &block);
  LogicalResult addDispatch(flow::DispatchOp op);
  void addResumed(flow::DispatchOp op);
  LogicalResult addLoop(flow::LoopOp op);
  void addInvoke(InvokeOp op);
  void addExchange(flow::ExchangeOp op);
  unsigned countMeanwhile(flow::ExchangeOp op);
  bool isOverwritten(flow::ExposeOp op);

  ProgramOp program;
  const ProgramPlace &place;
  PlanContext &context;
  SmallVector<CommandOpInterface> commands;
  OpBuilder b;
  Location loc;
  llvm::DenseMap<Attribute, int32_t> stageNumber; ///< By name.
};

struct ToPlan : gpuvm::impl::ToPlanBase<ToPlan> {
  void runOnOperation() override;
  LogicalResult addKernels(ArrayRef<ProgramOp> programs, PlanContext &context);
};

} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

ProgramPlace::ProgramPlace(ProgramOp program) {
  llvm::append_range(bytes, *program.getRegionBytes());
  bool isAlone = !program.getSharedBytes();
  llvm::append_range(shared,
                     isAlone ? ArrayRef(bytes) : *program.getSharedBytes());
  transientBegin = isAlone ? bytes[0] : (*program.getTransient())[0];
  transientEnd = isAlone ? bytes[0] : (*program.getTransient())[1];
}

WindowAttr ProgramPlace::at(WindowAttr window) const {
  if (isShared(window))
    return window;
  gpuvm::Region region = window.getRegion();
  int64_t offset = window.getOffset();
  if (region == gpuvm::Region::registers && offset >= transientBegin) {
    if (offset < transientEnd)
      return WindowAttr::get(window.getContext(), region,
                             offset - transientBegin + transient,
                             window.getLength());
    offset -= transientEnd - transientBegin;
  }
  return WindowAttr::get(window.getContext(), region,
                         offset - shared[unsigned(region)] +
                             kept[unsigned(region)],
                         window.getLength());
}

/// Places of programs, and the sizes of the regions of the plan.
static SmallVector<ProgramPlace>
placePrograms(ArrayRef<ProgramOp> programs, SmallVectorImpl<int64_t> &regions) {
  SmallVector<ProgramPlace> places;
  for (ProgramOp program : programs)
    places.emplace_back(program);
  regions = places.front().shared;
  int64_t transient = 0;
  for (ProgramPlace &place : places) {
    place.kept = llvm::to_vector(regions);
    for (unsigned region = 0; region < kNumRegions; ++region)
      regions[region] += place.bytes[region] - place.shared[region];
    regions[0] -= place.transientEnd - place.transientBegin;
    transient = std::max(transient, place.transientEnd - place.transientBegin);
  }
  for (ProgramPlace &place : places)
    place.transient = regions[0];
  regions[0] += transient;
  return places;
}

//===----------------------------------------------------------------------===//
// What the regions hold
//===----------------------------------------------------------------------===//

ArrayAttr ProgramBuilder::allAt(ArrayRef<WindowAttr> windows) {
  SmallVector<Attribute> placed;
  for (WindowAttr window : windows)
    placed.push_back(at(window));
  return b.getArrayAttr(placed);
}

StringAttr ProgramBuilder::nameOf(StringRef name, bool isShared) {
  return b.getStringAttr(context.hasSeveral && !isShared
                             ? program.getSymName() + "." + name
                             : name);
}

StringAttr ProgramBuilder::nameOfRows(StringAttr symbol) {
  if (!symbol)
    return symbol;
  Operation *op = context.symbols.lookupSymbolIn(program, symbol);
  return nameOf(symbol, getSymbolInfo(op).isShared);
}

void ProgramBuilder::addInputsAndOutputs() {
  FunctionType type = program.getProgramType();
  auto add = [&](ArrayAttr names, ArrayRef<Type> types, ArrayAttr windows,
                 std::optional<ArrayAttr> counts, auto make) {
    for (auto [i, name, t, window] :
         llvm::enumerate(names, types, windows.getAsRange<WindowAttr>()))
      make(nameOf(cast<StringAttr>(name)), cast<RankedTensorType>(t),
           at(window), nameOfRows(program.getCount(counts, i)));
  };
  add(program.getInputNames(), type.getInputs(), *program.getInputWindows(),
      program.getInputCounts(),
      [&](StringAttr name, RankedTensorType t, WindowAttr window,
          StringAttr rows) {
        plan::InputOp::create(b, loc, name, t, window,
                              plan::Residency::execution, rows);
      });
  for (auto heap : program.getBody().getOps<HeapOp>()) {
    SymbolInfo symbol = getSymbolInfo(heap);
    FlatSymbolRefAttr rows = heap.getRowsAttr();
    if (!symbol.initial)
      plan::InputOp::create(
          b, heap.getLoc(), nameOf(heap.getSymName(), symbol.isShared),
          symbol.type, at(symbol.window), plan::Residency::load,
          nameOfRows(rows ? rows.getAttr() : StringAttr()));
  }
  add(program.getOutputNames(), type.getResults(), *program.getOutputWindows(),
      program.getOutputCounts(),
      [&](StringAttr name, RankedTensorType t, WindowAttr window,
          StringAttr rows) {
        plan::OutputOp::create(b, loc, name, t, window, rows);
      });
}

void ProgramBuilder::addSymbols() {
  for (Operation &op : program.getBody().front()) {
    SymbolInfo symbol = getSymbolInfo(&op);
    if (symbol.op && symbol.region != gpuvm::Region::heap)
      plan::SymbolOp::create(
          b, op.getLoc(),
          nameOf(SymbolTable::getSymbolName(&op), symbol.isShared), symbol.type,
          at(symbol.window),
          symbol.bound ? b.getI64IntegerAttr(*symbol.bound) : IntegerAttr());
  }
}

/// Adds what a window holds at first, if no other program has.
void ProgramBuilder::addData(Location loc, ElementsAttr value,
                             WindowAttr window) {
  if (context.initialized.insert(at(window)).second)
    plan::DataOp::create(b, loc, value, at(window));
}

/// Where a kernel says how much it leaves unfinished.
static WindowAttr getLoopWords(flow::DispatchOp kernel) {
  return cast<WindowAttr>(kernel.getScratchWindows()->getValue().back());
}

void ProgramBuilder::addAllData() {
  for (Operation &op : program.getBody().front())
    if (SymbolInfo symbol = getSymbolInfo(&op); symbol.op && symbol.initial)
      addData(op.getLoc(), symbol.initial, symbol.window);
  // The words of kernels that resume.
  SmallVector<int32_t> words(kNumLoopWords);
  words[kOtherGroups] = words[kMoreGroups] = 1;
  auto type = RankedTensorType::get({kNumLoopWords}, b.getI32Type());
  for (auto kernel : listOps<flow::DispatchOp>(program))
    if (kernel.getResumed())
      addData(kernel.getLoc(), DenseIntElementsAttr::get(type, words),
              getLoopWords(kernel));
}

/// The window of a value.
static WindowAttr getWindow(ProgramOp program, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return cast<WindowAttr>(
        (*program.getInputWindows())[argument.getArgNumber()]);
  if (auto load = value.getDefiningOp<LoadOp>())
    return getPlace(load).getWindow();
  auto command = value.getDefiningOp<CommandOpInterface>();
  return cast<WindowAttr>(
      command.getOutputWindowsAttr()[cast<OpResult>(value).getResultNumber()]);
}

/// Whether a later command uses the register's window for something else.
bool ProgramBuilder::isOverwritten(flow::ExposeOp op) {
  WindowAttr window = getWindow(program, op.getValue());
  Operation *maker = op.getValue().getDefiningOp();
  for (CommandOpInterface command : llvm::reverse(commands)) {
    if (command == maker || (maker && isBefore(command, maker)))
      return false;
    if (auto end = dyn_cast<flow::NextOp>(*command))
      for (const auto &rotation :
           getRotations(cast<flow::LoopOp>(end->getParentOp())))
        for (WindowAttr place : rotation)
          if (intersect(place, window))
            return true;
    for (const Access &access : command.getAccesses())
      if (access.writes && intersect(access.window, window))
        return true;
  }
  return false;
}

void ProgramBuilder::addRegisters() {
  for (auto expose : listOps<flow::ExposeOp>(program)) {
    WindowAttr window = getWindow(program, expose.getValue());
    if (window.getRegion() == gpuvm::Region::registers &&
        !isOverwritten(expose))
      plan::RegisterOp::create(b, loc, expose.getReg(),
                               context.plan.getInstances() +
                                   expose.getInstance(),
                               expose.getValue().getType(), at(window));
  }
}

//===----------------------------------------------------------------------===//
// Kernels and stages
//===----------------------------------------------------------------------===//

/// What a dispatch runs; null for any other command.
plan::KernelOp ProgramBuilder::kernelOf(CommandOpInterface command) {
  if (auto kernel = dyn_cast<flow::DispatchOp>(*command))
    return context.emitted.find(kernel.getEmittedAttr().getAttr())
        ->second.kernel;
  if (auto invoke = dyn_cast<InvokeOp>(*command))
    return context.external.lookup(
        context.symbols.lookupSymbolIn(program, invoke.getCalleeAttr()));
  return {};
}

void ProgramBuilder::addStages() {
  if (!program.getStages())
    return;
  llvm::DenseMap<Attribute, llvm::SmallSetVector<Attribute, 4>> kernelsOf;
  for (CommandOpInterface command : commands) {
    ArrayAttr stages = command.getStagesAttr();
    plan::KernelOp kernel = kernelOf(command);
    if (!stages || !kernel)
      continue;
    auto dispatch = dyn_cast<flow::DispatchOp>(*command);
    for (Attribute stage : stages) {
      kernelsOf[stage].insert(FlatSymbolRefAttr::get(kernel));
      if (dispatch && dispatch.getResumed())
        kernelsOf[stage].insert(dispatch.getResumedAttr());
    }
  }
  for (auto [instance, stage] : llvm::enumerate(*program.getStages())) {
    std::optional<ArrayAttr> locations = program.getStageLocations();
    Location where =
        locations ? Location(cast<LocationAttr>((*locations)[instance])) : loc;
    plan::StageOp::create(b, where, nameOf(cast<StringAttr>(stage)),
                          context.plan.getInstances() + instance,
                          b.getArrayAttr(kernelsOf[stage].getArrayRef()));
    stageNumber[stage] = context.numStages++;
  }
}

/// The numbers of the stages that a command works for, ascending.
SmallVector<int32_t> ProgramBuilder::stagesOf(CommandOpInterface command) {
  SmallVector<int32_t> numbers;
  if (ArrayAttr stages = command.getStagesAttr())
    for (Attribute stage : stages)
      if (auto known = stageNumber.find(stage); known != stageNumber.end())
        numbers.push_back(known->second);
  llvm::sort(numbers);
  return numbers;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// What `emitted`, which runs for `op`, binds.
ArrayAttr ProgramBuilder::windowsFor(flow::DispatchOp op,
                                     const Emitted &emitted) {
  BindingLayout layout = layOutBindings(op);
  std::map<unsigned, WindowAttr> byBinding;
  for (auto [binding, window] :
       llvm::zip_equal(layout.bindings, layout.windows))
    if (auto bound = emitted.bindings.find(binding);
        bound != emitted.bindings.end())
      byBinding[bound->second] = window;
  return allAt(llvm::to_vector(llvm::make_second_range(byBinding)));
}

LogicalResult ProgramBuilder::addDispatch(flow::DispatchOp op) {
  const Emitted &emitted =
      context.emitted.find(op.getEmittedAttr().getAttr())->second;
  StringRef kernel = plan::KernelOp(emitted.kernel).getSymName();
  int32_t groups = layOutKernel(op)->groups;
  std::optional<WindowAttr> counts = op.getGroupsWindow();
  if (counts && op.getMostGroups() != groups)
    return op.emitOpError("has ")
           << groups << " workgroups, not " << *op.getMostGroups();
  if (counts)
    plan::DispatchIndirectOp::create(
        b, op.getLoc(), kernel, at(*counts).getOffset(),
        windowsFor(op, emitted), stagesOf(op), /*unless=*/StringAttr());
  else
    plan::DispatchOp::create(b, op.getLoc(), kernel,
                             ArrayRef<int32_t>{groups, 1, 1},
                             windowsFor(op, emitted), stagesOf(op));
  if (op.getResumed())
    addResumed(op);
  return success();
}

/// Adds the dispatch of what goes on with the loops of `op`, as many workgroups
/// of it as `op` says. Devices that never end loops do not need it.
void ProgramBuilder::addResumed(flow::DispatchOp op) {
  const Emitted &emitted =
      context.emitted.find(op.getResumedAttr().getAttr())->second;
  plan::DispatchIndirectOp::create(
      b, op.getLoc(), plan::KernelOp(emitted.kernel).getSymName(),
      at(getLoopWords(op)).getOffset() + kGroups * kWordBytes,
      windowsFor(op, emitted), stagesOf(op),
      b.getStringAttr("unlimited_loops"));
}

void ProgramBuilder::addInvoke(InvokeOp op) {
  auto windows =
      llvm::to_vector(op.getInputWindows()->getAsRange<WindowAttr>());
  llvm::append_range(windows, op.getOutputWindows()->getAsRange<WindowAttr>());
  auto kernel = cast<ExternKernelOp>(
      context.symbols.lookupSymbolIn(program, op.getCalleeAttr()));
  plan::DispatchOp::create(b, op.getLoc(), kernelOf(op).getSymName(),
                           kernel.getGroups(), allAt(windows), stagesOf(op));
}

/// The bytes of a tensor in its window, which has whole words.
static WindowAttr getBytes(Attribute window, RankedTensorType type) {
  auto whole = cast<WindowAttr>(window);
  return WindowAttr::get(whole.getContext(), whole.getRegion(),
                         whole.getOffset(), tensorBytes(type));
}

void ProgramBuilder::addExchange(flow::ExchangeOp op) {
  SmallVector<Attribute> transfers;
  auto source = [&](unsigned number) {
    return at(getBytes((*op.getInputWindows())[number],
                       typeOf(op.getInputs()[number])));
  };
  auto destination = [&](unsigned number) {
    return at(getBytes((*op.getOutputWindows())[number],
                       typeOf(op.getOutputs()[number])));
  };
  for (unsigned i = 0; i < op.getTransfers().size(); ++i) {
    TransferAttr transfer = op.getTransfer(i);
    unsigned number = op.getNumberOf(i);
    int64_t offset = transfer.getOffset(), rowBytes = 0;
    WindowAttr counts, received;
    plan::TransferKind kind = plan::TransferKind::all_gather;
    if (transfer.getKind() == TransferKind::all_to_all)
      kind = plan::TransferKind::all_to_all;
    else if (transfer.getKind() == TransferKind::shift)
      kind = offset > 0 ? plan::TransferKind::shift_up
                        : plan::TransferKind::shift_down;
    if (transfer.getCounted()) {
      RankedTensorType type = typeOf(op.getInputs()[number]);
      rowBytes = tensorBytes(type) / type.getDimSize(0);
      counts = source(number + 1);
      received = destination(number + 1);
    }
    transfers.push_back(plan::TransferAttr::get(
        b.getContext(), kind, source(number), destination(number),
        std::abs(offset), transfer.getRotate(), rowBytes, counts, received));
  }
  plan::ExchangeOp::create(b, op.getLoc(), b.getArrayAttr(transfers),
                           stagesOf(op));
}

/// How many operations after an exchange are of commands that run while it
/// does: all that touch none of its windows, if they take long enough to be
/// worth a submit of their own.
unsigned ProgramBuilder::countMeanwhile(flow::ExchangeOp op) {
  TargetAttr target = getMainTarget(op);
  SmallVector<Access> moved = CommandOpInterface(op).getAccesses();
  auto touches = [&](const Access &own) {
    return llvm::any_of(moved, [&](const Access &other) {
      return (own.writes || other.writes) &&
             intersect(own.window, other.window);
    });
  };
  unsigned count = 0;
  int64_t commands = 0, bytes = 0;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (auto command = dyn_cast<CommandOpInterface>(next)) {
      SmallVector<Access> accesses = command.getAccesses();
      if (command.isFence() || isa<flow::ExchangeOp>(next) ||
          llvm::any_of(accesses, touches))
        break;
      ++commands;
      for (const Access &access : accesses)
        bytes += access.window.getLength();
    }
    count += !next->hasTrait<OpTrait::IsTerminator>();
  }
  constexpr int64_t kNsPerUs = 1000;
  // A submit more costs a quarter of the least exchange
  // (docs/rationale/exchanges.md).
  int64_t ns = commands * target.getDispatchNs() +
               bytes * kNsPerUs / target.getBytesPerUs();
  return commands > 0 && ns >= target.getExchangeNs() / 4 ? count : 0;
}

LogicalResult ProgramBuilder::addLoop(flow::LoopOp op) {
  SmallVector<WindowAttr> bound;
  op->walk([&](CommandOpInterface command) {
    if (auto dispatch = dyn_cast<flow::DispatchOp>(*command))
      llvm::append_range(bound, layOutBindings(dispatch).windows);
    else if (isa<flow::ExchangeOp>(*command))
      for (const Access &access : command.getAccesses())
        bound.push_back(access.window);
  });
  Rotations places = getRotations(op);
  joinRotations(places, bound);
  SmallVector<Attribute> rotations;
  for (const SmallVector<WindowAttr> &rotation : places)
    rotations.push_back(allAt(rotation));
  WindowAttr condition;
  if (std::optional<StringRef> name = op.getCondition()) {
    WindowAttr window = at(lookupSymbol(op, *name).window);
    condition = WindowAttr::get(op.getContext(), window.getRegion(),
                                window.getOffset(), /*length=*/1);
  }
  auto repeat = plan::RepeatOp::create(
      b, op.getLoc(), op.getTimes(), condition,
      rotations.empty() ? ArrayAttr() : b.getArrayAttr(rotations),
      op.getPhase());
  b.createBlock(&repeat.getBody());
  if (failed(addCommands(op.getBody().front())))
    return failure();
  b.setInsertionPointAfter(repeat);
  if (repeat.getBody().front().empty())
    repeat.erase();
  return success();
}

LogicalResult ProgramBuilder::addCommands(Block &block) {
  auto copy = [&](auto op) {
    plan::CopyOp::create(
        b, op.getLoc(), at(cast<WindowAttr>((*op.getInputWindows())[0])),
        at(cast<WindowAttr>((*op.getOutputWindows())[0])), stagesOf(op));
  };
  std::optional<unsigned> meanwhile; ///< Operations up to an exchange's end.
  for (Operation &op : block) {
    if (meanwhile == 0u) {
      plan::AwaitOp::create(b, op.getLoc());
      meanwhile.reset();
    } else if (meanwhile) {
      --*meanwhile;
    }
    auto kernel = dyn_cast<flow::DispatchOp>(op);
    auto loop = dyn_cast<flow::LoopOp>(op);
    if ((kernel && failed(addDispatch(kernel))) ||
        (loop && failed(addLoop(loop))))
      return failure();
    TypeSwitch<Operation *>(&op)
        .Case<ClockOp>([&](ClockOp clock) {
          plan::ClockOp::create(
              b, clock.getLoc(),
              at(cast<WindowAttr>((*clock.getOutputWindows())[0])),
              stagesOf(clock));
        })
        .Case<InvokeOp>([&](auto invoke) { addInvoke(invoke); })
        .Case<flow::ExchangeOp>([&](auto exchange) {
          addExchange(exchange);
          meanwhile = countMeanwhile(exchange);
        })
        .Case<flow::CopyOp>([&](auto c) { copy(c); })
        .Case<StoreOp>([&](auto store) { copy(store); });
  }
  return success();
}

LogicalResult ProgramBuilder::run() {
  addAllData();
  auto to = plan::ProgramOp::create(b, loc, program.getSymName());
  b.setInsertionPointToStart(&to.getBody().emplaceBlock());
  addInputsAndOutputs();
  addSymbols();
  addRegisters();
  addStages();
  if (failed(addCommands(program.getBody().front())))
    return failure();
  if (program.getStages())
    context.plan.setInstances(context.plan.getInstances() +
                              program.getStages()->size());
  return success();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Adds an external kernel, or finds the same one of another program.
static plan::KernelOp addExternal(ExternKernelOp op, PlanContext &context) {
  auto b = OpBuilder::atBlockEnd(&context.plan.getBody().front());
  auto type = cast<FunctionType>(op.getFunctionType());
  SmallVector<Type> elements;
  for (Type tensor :
       llvm::concat<const Type>(type.getInputs(), type.getResults()))
    elements.push_back(cast<RankedTensorType>(tensor).getElementType());
  SmallVector<Attribute> bindings;
  for (unsigned i = 0; i < type.getNumInputs() + type.getNumResults(); ++i)
    bindings.push_back(plan::BindingAttr::get(
        b.getContext(), i * kNumRegions,
        i < type.getNumInputs() ? plan::Access::read : plan::Access::write));
  auto named = SymbolTable::lookupSymbolIn(context.plan, op.getSymName());
  auto kernel = plan::KernelOp::create(
      b, op.getLoc(), op.getSymName(), op.getLocalSize(), 0,
      b.getStrArrayAttr({}), b.getArrayAttr(bindings), op.getEntryPoint(),
      b.getDenseI32ArrayAttr(*op.getSpirv()), b.getTypeArrayAttr(elements),
      /*variants=*/ArrayAttr(), /*device=*/gpuvm::DeviceKindAttr(),
      /*groups=*/IntegerAttr(), /*unfinished=*/IntegerAttr());
  kernel.getBody().emplaceBlock();
  if (named && named->getAttrDictionary() == kernel->getAttrDictionary()) {
    kernel.erase();
    return cast<plan::KernelOp>(named);
  }
  if (named)
    kernel.setSymName(
        (op->getParentOfType<ProgramOp>().getSymName() + "." + op.getSymName())
            .str());
  return kernel;
}

static void renumberBindings(plan::KernelOp kernel,
                             const llvm::DenseMap<unsigned, unsigned> &to) {
  Builder b(kernel.getContext());
  std::map<unsigned, Attribute> bindings;
  for (auto binding : kernel.getBindings().getAsRange<plan::BindingAttr>()) {
    unsigned number = to.lookup(binding.getIndex());
    bindings[number] =
        plan::BindingAttr::get(b.getContext(), number, binding.getAccess());
  }
  kernel.setBindingsAttr(
      b.getArrayAttr(llvm::to_vector(llvm::make_second_range(bindings))));
  if (kernel.getUnfinished())
    kernel.setUnfinished(to.lookup(*kernel.getUnfinished()));
  kernel.walk([&](spirv::GlobalVariableOp variable) {
    if (std::optional<uint32_t> binding = variable.getBinding())
      variable.setBinding(to.lookup(*binding));
  });
}

/// Numbers the windows that a kernel and its variants bind in each region
/// without the gaps that operands have left which no code reads.
static llvm::DenseMap<unsigned, unsigned>
closeGaps(plan::KernelOp kernel, SymbolTableCollection &symbols) {
  llvm::DenseMap<unsigned, unsigned> to;
  unsigned next[kNumRegions] = {};
  bool hasGaps = false;
  for (plan::BindingAttr binding : plan::getDispatchBindings(kernel, symbols)) {
    unsigned region = binding.getIndex() % kNumRegions;
    unsigned number = region + kNumRegions * next[region]++;
    hasGaps |= number != binding.getIndex();
    to[binding.getIndex()] = number;
  }
  if (!hasGaps)
    return to;
  renumberBindings(kernel, to);
  if (kernel.getVariants())
    for (auto name : kernel.getVariants()->getAsRange<FlatSymbolRefAttr>())
      renumberBindings(symbols.lookupSymbolIn<plan::KernelOp>(
                           kernel->getParentOp(), name.getAttr()),
                       to);
  return to;
}

/// Kernels that commands name, and then their variants.
LogicalResult ToPlan::addKernels(ArrayRef<ProgramOp> programs,
                                 PlanContext &context) {
  Block &body = context.plan.getBody().front();
  SymbolTableCollection symbols;
  SmallVector<plan::KernelOp> kernels;
  auto add = [&](FlatSymbolRefAttr name) {
    auto kernel =
        symbols.lookupSymbolIn<plan::KernelOp>(getOperation(), name.getAttr());
    Emitted &emitted = context.emitted[name.getAttr()];
    if (!kernel || emitted.kernel)
      return success(kernel);
    emitted = {kernel, closeGaps(kernel, symbols)};
    kernels.push_back(kernel);
    return success();
  };
  for (ProgramOp program : programs)
    for (auto kernel : listOps<flow::DispatchOp>(program))
      if (!kernel.getEmitted() || failed(add(kernel.getEmittedAttr())) ||
          (kernel.getResumed() && failed(add(kernel.getResumedAttr()))))
        return kernel.emitOpError(
            "has not been emitted: run gpuvm-emit-kernels first");
  auto move = [&](plan::KernelOp kernel) {
    kernel->moveBefore(&body, body.end());
  };
  llvm::for_each(kernels, move);
  for (ProgramOp program : programs)
    for (auto kernel : program.getBody().getOps<ExternKernelOp>())
      context.external[kernel] = addExternal(kernel, context);
  for (plan::KernelOp kernel : kernels)
    if (kernel.getVariants())
      for (auto name : kernel.getVariants()->getAsRange<FlatSymbolRefAttr>())
        move(symbols.lookupSymbolIn<plan::KernelOp>(getOperation(),
                                                    name.getAttr()));
  return success();
}

/// The ranks of a plan: all programs have the same number of them, or any.
static IntegerAttr getRanks(ArrayRef<ProgramOp> programs) {
  IntegerAttr ranks;
  for (ProgramOp program : programs)
    if (IntegerAttr own = program.getRanksAttr())
      ranks = own;
  return ranks;
}

void ToPlan::runOnOperation() {
  SmallVector<ProgramOp> programs(getOperation().getOps<ProgramOp>());
  if (programs.empty())
    return;
  bool hasSeveral = programs.size() > 1;
  for (ProgramOp program : programs)
    if (!program.getRegionBytes() || (hasSeveral && !program.getTransient())) {
      program.emitOpError("has no windows: run gpuvm-place-shared and "
                          "gpuvm-plan-memory first");
      return signalPassFailure();
    }
  for (ProgramOp program : programs)
    if (IntegerAttr own = program.getRanksAttr();
        own && own != getRanks(programs)) {
      program.emitOpError("is one of ")
          << own.getInt()
          << " ranks, and another program of the plan is one of "
          << getRanks(programs).getInt();
      return signalPassFailure();
    }
  SmallVector<int64_t> regions;
  SmallVector<ProgramPlace> places = placePrograms(programs, regions);
  auto b = OpBuilder::atBlockEnd(getOperation().getBody());
  StringRef name = hasSeveral ? getOperation().getName().value_or("module")
                              : programs.front().getSymName();
  PlanContext context;
  context.hasSeveral = hasSeveral;
  context.plan = plan::ModuleOp::create(b, programs.front().getLoc(), name,
                                        regions, 0, getRanks(programs));
  context.plan.getBody().emplaceBlock();
  if (failed(addKernels(programs, context)))
    return signalPassFailure();
  for (auto [program, place] : llvm::zip_equal(programs, places))
    if (failed(ProgramBuilder(program, place, context).run()))
      return signalPassFailure();
  for (ProgramOp program : programs)
    program.erase();
}
