//===- ToPlan.cpp - from programs with windows to plans -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is decided here: every operation of the program is written down once
// more in the words of the plan.
//
//===----------------------------------------------------------------------===//

#include "dialects/plan/Plan.h"
#include "kernels/Launches.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/loops/LongLoops.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_TOPLAN
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

class PlanBuilder {
public:
  /// `modules` has what the kernels were emitted as, which the program is the
  /// last to need if it `isLast`.
  PlanBuilder(ProgramOp program, SymbolTable &modules, bool isLast)
      : program(program), commands(getCommands(program)), modules(modules),
        isLast(isLast), b(program), loc(program.getLoc()) {}
  LogicalResult run();

private:
  void addInputsAndOutputs();
  void addSymbols();
  void addRegisters();
  LogicalResult addKernels();
  void addEmitted(Location loc, spirv::ModuleOp module,
                  LaunchAttr base = LaunchAttr());
  void addExternal(ExternKernelOp op);
  void addStages();
  SmallVector<int32_t> stagesOf(CommandOpInterface command);
  LogicalResult addCommands(Block &block);
  llvm::SmallDenseSet<unsigned> bindingsOf(StringRef emitted);
  LogicalResult addDispatch(flow::DispatchOp op);
  void leaveOut(Operation *command);
  void addLoopWords();
  LogicalResult addLoop(flow::LoopOp op);
  void addInvoke(InvokeOp op);
  bool isOverwritten(flow::ExposeOp op);

  spirv::ModuleOp moduleOf(StringRef emitted) {
    return modules.lookup<spirv::ModuleOp>(emitted);
  }

  ProgramOp program;
  SmallVector<CommandOpInterface> commands;
  SymbolTable &modules;
  bool isLast;
  OpBuilder b;
  Location loc;
  llvm::MapVector<StringRef, unsigned> kernelNumber;
  llvm::DenseMap<Attribute, int32_t> stageNumber; ///< By name.
};

struct ToPlan : gpuvm::impl::ToPlanBase<ToPlan> {
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// What the regions hold
//===----------------------------------------------------------------------===//

void PlanBuilder::addInputsAndOutputs() {
  FunctionType type = program.getProgramType();
  auto add = [&](ArrayAttr names, ArrayRef<Type> types, ArrayAttr windows,
                 std::optional<ArrayAttr> counts, auto make) {
    for (auto [i, name, t, window] :
         llvm::enumerate(names, types, windows.getAsRange<WindowAttr>()))
      make(cast<StringAttr>(name), cast<RankedTensorType>(t), window,
           program.getCount(counts, i));
  };
  add(program.getInputNames(), type.getInputs(), *program.getInputWindows(),
      program.getInputCounts(),
      [&](StringAttr name, RankedTensorType t, WindowAttr window,
          StringAttr rows) {
        plan::InputOp::create(b, loc, name, t, window,
                              plan::Residency::execution, rows);
      });
  for (auto heap : program.getBody().getOps<HeapOp>())
    if (!heap.getInitial())
      plan::InputOp::create(
          b, heap.getLoc(), heap.getSymName(), getSymbolInfo(heap).type,
          heap.getWindowAttr(), plan::Residency::load,
          heap.getRowsAttr() ? heap.getRowsAttr().getAttr() : StringAttr());
  add(program.getOutputNames(), type.getResults(), *program.getOutputWindows(),
      program.getOutputCounts(),
      [&](StringAttr name, RankedTensorType t, WindowAttr window,
          StringAttr rows) {
        plan::OutputOp::create(b, loc, name, t, window, rows);
      });
}

void PlanBuilder::addSymbols() {
  for (Operation &op : program.getBody().front()) {
    SymbolInfo symbol = getSymbolInfo(&op);
    if (!symbol.op)
      continue;
    if (symbol.region != gpuvm::Region::heap)
      plan::SymbolOp::create(
          b, op.getLoc(), SymbolTable::getSymbolName(&op).getValue(),
          symbol.type, symbol.window,
          symbol.bound ? b.getI64IntegerAttr(*symbol.bound) : IntegerAttr());
    if (symbol.initial)
      plan::DataOp::create(b, op.getLoc(), symbol.initial, symbol.window);
  }
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
bool PlanBuilder::isOverwritten(flow::ExposeOp op) {
  WindowAttr window = getWindow(program, op.getValue());
  Operation *maker = op.getValue().getDefiningOp();
  for (CommandOpInterface command : llvm::reverse(commands)) {
    if (command == maker || (maker && isBefore(command, maker)))
      return false;
    if (auto kernel = dyn_cast<flow::DispatchOp>(*command);
        kernel && kernel->hasAttr(kResumesAttr))
      continue; // It makes what the kernel before it makes.
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

void PlanBuilder::addRegisters() {
  for (auto expose : listOps<flow::ExposeOp>(program)) {
    WindowAttr window = getWindow(program, expose.getValue());
    if (window.getRegion() == gpuvm::Region::registers &&
        !isOverwritten(expose))
      plan::RegisterOp::create(b, loc, expose.getReg(), expose.getInstance(),
                               expose.getValue().getType(), window);
  }
}

//===----------------------------------------------------------------------===//
// Kernels and stages
//===----------------------------------------------------------------------===//

/// Adds the kernel of an emitted module: a variant of one with launch `base`,
/// if that is given.
void PlanBuilder::addEmitted(Location loc, spirv::ModuleOp module,
                             LaunchAttr base) {
  auto launch = module->getAttrOfType<LaunchAttr>("gpuvm.launch");
  gpuvm::DeviceKindAttr device;
  if (launch.getDevice() != DeviceKind::any)
    device = gpuvm::DeviceKindAttr::get(b.getContext(), launch.getDevice());
  IntegerAttr groups;
  if (base && base.getGroups() != launch.getGroups())
    groups = b.getI64IntegerAttr(launch.getGroups());
  int32_t lanes = module->getAttrOfType<IntegerAttr>("gpuvm.lanes").getInt();
  auto op = plan::KernelOp::create(
      b, loc, *module.getName(), ArrayRef<int32_t>{lanes, 1, 1},
      module->getAttrOfType<IntegerAttr>("gpuvm.workgroup_bytes").getInt(),
      module->getAttrOfType<ArrayAttr>("gpuvm.features"),
      module->getAttrOfType<ArrayAttr>("gpuvm.bindings"), "main",
      DenseI32ArrayAttr(), ArrayAttr(),
      module->getAttrOfType<ArrayAttr>("gpuvm.variants"), device, groups);
  if (Attribute binding = module->getAttr(kUnfinishedAttr))
    op->setAttr(kUnfinishedAttr, binding);
  OpBuilder body = OpBuilder::atBlockEnd(&op.getBody().emplaceBlock());
  auto copy = cast<spirv::ModuleOp>(body.insert(module->cloneWithoutRegions()));
  if (isLast) {
    copy.getRegion().takeBody(module.getRegion());
  } else {
    IRMapping mapping;
    module.getRegion().cloneInto(&copy.getRegion(), mapping);
  }
  copy->removeAttr(kUnfinishedAttr);
  for (StringRef attribute :
       {"gpuvm.bindings", "gpuvm.features", "gpuvm.lanes", "gpuvm.launch",
        "gpuvm.variants", "gpuvm.workgroup_bytes"})
    copy->removeAttr(attribute);
}

LogicalResult PlanBuilder::addKernels() {
  struct Variant {
    Location loc;
    StringRef name;
    LaunchAttr base;
  };
  SmallVector<Variant> variants;
  for (auto kernel : listOps<flow::DispatchOp>(program)) {
    if (!kernel.getEmitted())
      return kernel.emitOpError(
          "has not been emitted: run gpuvm-emit-kernels first");
    StringRef name = *kernel.getEmitted();
    if (!kernelNumber.insert({name, kernelNumber.size()}).second)
      continue;
    spirv::ModuleOp module = moduleOf(name);
    addEmitted(kernel.getLoc(), module);
    if (auto names = module->getAttrOfType<ArrayAttr>("gpuvm.variants"))
      for (auto variant : names.getAsRange<StringAttr>())
        variants.push_back({kernel.getLoc(), variant.getValue(),
                            module->getAttrOfType<LaunchAttr>("gpuvm.launch")});
  }
  for (auto kernel : program.getBody().getOps<ExternKernelOp>()) {
    kernelNumber.insert({kernel.getSymName(), kernelNumber.size()});
    addExternal(kernel);
  }
  // Behind all kernels that commands and stages refer to.
  for (const Variant &variant : variants)
    addEmitted(variant.loc, moduleOf(variant.name), variant.base);
  return success();
}

void PlanBuilder::addExternal(ExternKernelOp op) {
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
  auto kernel = plan::KernelOp::create(
      b, op.getLoc(), op.getSymName(), op.getLocalSize(), 0,
      b.getStrArrayAttr({}), b.getArrayAttr(bindings), op.getEntryPoint(),
      b.getDenseI32ArrayAttr(*op.getSpirv()), b.getTypeArrayAttr(elements),
      /*variants=*/ArrayAttr(), /*device=*/gpuvm::DeviceKindAttr(),
      /*groups=*/IntegerAttr());
  kernel.getBody().emplaceBlock();
}

void PlanBuilder::addStages() {
  if (!program.getStages())
    return;
  llvm::DenseMap<Attribute, llvm::SmallSetVector<int64_t, 4>> kernelsOf;
  for (CommandOpInterface command : commands) {
    ArrayAttr stages = command.getStagesAttr();
    StringRef name;
    if (auto kernel = dyn_cast<flow::DispatchOp>(*command))
      name = *kernel.getEmitted();
    else if (auto invoke = dyn_cast<InvokeOp>(*command))
      name = invoke.getCallee();
    if (stages && !name.empty())
      for (Attribute stage : stages)
        kernelsOf[stage].insert(kernelNumber.lookup(name));
  }
  for (auto [instance, stage] : llvm::enumerate(*program.getStages())) {
    auto locations = program->getAttrOfType<ArrayAttr>("gpuvm.stage_locations");
    Location where =
        locations ? Location(cast<LocationAttr>(locations[instance])) : loc;
    plan::StageOp::create(b, where, cast<StringAttr>(stage).getValue(),
                          instance, kernelsOf[stage].getArrayRef());
    stageNumber[stage] = instance;
  }
}

/// The numbers of the stages that a command works for, ascending.
SmallVector<int32_t> PlanBuilder::stagesOf(CommandOpInterface command) {
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

/// Devices that never end loops need nothing that resumes them.
void PlanBuilder::leaveOut(Operation *command) {
  command->setAttr(kUnlessAttr, b.getStringAttr("unlimited_loops"));
}

/// What the words of kernels that resume are before the first execution.
void PlanBuilder::addLoopWords() {
  SmallVector<int32_t> words(kNumLoopWords);
  words[kOtherGroups] = words[kMoreGroups] = 1;
  auto type = RankedTensorType::get({kNumLoopWords}, b.getI32Type());
  for (auto kernel : listOps<flow::DispatchOp>(program))
    if (kernel->hasAttr(kResumesAttr))
      plan::DataOp::create(
          b, kernel.getLoc(), DenseIntElementsAttr::get(type, words),
          cast<WindowAttr>(kernel.getScratchWindows()->getValue().back()));
}

/// The bindings of an emitted module and of its variants.
llvm::SmallDenseSet<unsigned> PlanBuilder::bindingsOf(StringRef emitted) {
  llvm::SmallDenseSet<unsigned> bound;
  auto add = [&](spirv::ModuleOp module) {
    for (auto binding : module->getAttrOfType<ArrayAttr>("gpuvm.bindings")
                            .getAsRange<plan::BindingAttr>())
      bound.insert(binding.getIndex());
  };
  spirv::ModuleOp module = moduleOf(emitted);
  add(module);
  if (auto variants = module->getAttrOfType<ArrayAttr>("gpuvm.variants"))
    for (auto name : variants.getAsRange<StringAttr>())
      add(moduleOf(name.getValue()));
  return bound;
}

LogicalResult PlanBuilder::addDispatch(flow::DispatchOp op) {
  BindingLayout layout = layOutBindings(op);
  int32_t groups = layOutKernel(op)->groups;
  llvm::SmallDenseSet<unsigned> bound = bindingsOf(*op.getEmitted());
  SmallVector<Attribute> windows;
  for (auto [binding, window] :
       llvm::zip_equal(layout.bindings, layout.windows))
    if (bound.contains(binding))
      windows.push_back(window);
  if (auto counts = op.getGroupsWindow()) {
    if (op.getMostGroups() != groups)
      return op.emitOpError("has ")
             << groups << " workgroups, not " << *op.getMostGroups();
    auto dispatch = plan::DispatchIndirectOp::create(
        b, op.getLoc(), *op.getEmitted(), counts->getOffset(),
        b.getArrayAttr(windows), stagesOf(op));
    if (op->hasAttr(kResumesAttr))
      leaveOut(dispatch);
    return success();
  }
  plan::DispatchOp::create(b, op.getLoc(), *op.getEmitted(),
                           ArrayRef<int32_t>{groups, 1, 1},
                           b.getArrayAttr(windows), stagesOf(op));
  return success();
}

void PlanBuilder::addInvoke(InvokeOp op) {
  auto kernel = cast<ExternKernelOp>(
      SymbolTable::lookupSymbolIn(program, op.getCallee()));
  SmallVector<Attribute> windows(op.getInputWindows()->getValue());
  llvm::append_range(windows, op.getOutputWindows()->getValue());
  plan::DispatchOp::create(b, op.getLoc(), op.getCallee(), kernel.getGroups(),
                           b.getArrayAttr(windows), stagesOf(op));
}

LogicalResult PlanBuilder::addLoop(flow::LoopOp op) {
  SmallVector<Attribute> rotations;
  for (const SmallVector<WindowAttr> &rotation : getRotations(op))
    rotations.push_back(b.getArrayAttr(
        SmallVector<Attribute>(rotation.begin(), rotation.end())));
  WindowAttr condition;
  if (std::optional<StringRef> name = op.getCondition()) {
    WindowAttr window = lookupSymbol(op, *name).window;
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

LogicalResult PlanBuilder::addCommands(Block &block) {
  auto copy = [&](auto op) {
    plan::CopyOp::create(
        b, op.getLoc(), cast<WindowAttr>((*op.getInputWindows())[0]),
        cast<WindowAttr>((*op.getOutputWindows())[0]), stagesOf(op));
  };
  for (Operation &op : block) {
    auto kernel = dyn_cast<flow::DispatchOp>(op);
    auto loop = dyn_cast<flow::LoopOp>(op);
    if ((kernel && failed(addDispatch(kernel))) ||
        (loop && failed(addLoop(loop))))
      return failure();
    TypeSwitch<Operation *>(&op)
        .Case<ClockOp>([&](ClockOp clock) {
          plan::ClockOp::create(
              b, clock.getLoc(),
              cast<WindowAttr>((*clock.getOutputWindows())[0]),
              stagesOf(clock));
        })
        .Case<InvokeOp>([&](auto invoke) { addInvoke(invoke); })
        .Case<flow::CopyOp>([&](auto c) { copy(c); })
        .Case<StoreOp>([&](auto store) { copy(store); })
        .Case<flow::BarrierOp>([&](auto barrier) {
          auto wait = plan::BarrierOp::create(b, barrier.getLoc(),
                                              barrier.getReasons());
          if (barrier->hasAttr(kResumesAttr))
            leaveOut(wait);
        });
  }
  return success();
}

LogicalResult PlanBuilder::run() {
  if (!program.getRegionBytes())
    return program.emitOpError("has no windows: run gpuvm-plan-memory first");
  auto plan = plan::ProgramOp::create(
      b, loc, program.getSymName(), *program.getRegionBytes(),
      program.getStages() ? program.getStages()->size() : 0, StringAttr(),
      program.getSharedBytesAttr(), program.getTransientAttr());
  b.setInsertionPointToStart(&plan.getBody().emplaceBlock());
  addInputsAndOutputs();
  addSymbols();
  addRegisters();
  addLoopWords();
  if (failed(addKernels()))
    return failure();
  addStages();
  return addCommands(program.getBody().front());
}

void ToPlan::runOnOperation() {
  SmallVector<ProgramOp> programs(getOperation().getOps<ProgramOp>());
  SymbolTable modules(getOperation());
  for (ProgramOp program : programs) {
    bool isLast = program == programs.back();
    if (failed(PlanBuilder(program, modules, isLast).run()))
      return signalPassFailure();
    program.erase();
  }
  for (auto module :
       llvm::make_early_inc_range(getOperation().getOps<spirv::ModuleOp>()))
    if (module->hasAttr("gpuvm.bindings"))
      module.erase();
}
