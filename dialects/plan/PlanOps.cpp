//===- PlanOps.cpp - verification of plans --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/plan/Plan.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace mlir::plan;
using gpuvm::WindowAttr;

//===----------------------------------------------------------------------===//
// What commands read and write
//===----------------------------------------------------------------------===//

/// `bindings` and those of `kernel`, with what any of them does.
static void addBindings(KernelOp kernel, std::map<uint32_t, Access> &bindings) {
  for (auto binding : kernel.getBindings().getAsRange<BindingAttr>()) {
    Access &access =
        bindings.try_emplace(binding.getIndex(), binding.getAccess())
            .first->second;
    access = static_cast<Access>(static_cast<uint32_t>(access) |
                                 static_cast<uint32_t>(binding.getAccess()));
  }
}

SmallVector<BindingAttr>
plan::getDispatchBindings(KernelOp kernel, SymbolTableCollection &symbols) {
  std::map<uint32_t, Access> all;
  addBindings(kernel, all);
  if (std::optional<ArrayAttr> variants = kernel.getVariants())
    for (auto name : variants->getAsRange<FlatSymbolRefAttr>())
      if (auto variant = symbols.lookupSymbolIn<KernelOp>(kernel->getParentOp(),
                                                          name.getAttr()))
        addBindings(variant, all);
  SmallVector<BindingAttr> bindings;
  for (auto [index, access] : all)
    bindings.push_back(BindingAttr::get(kernel.getContext(), index, access));
  return bindings;
}

template <typename DispatchLike>
static KernelOp lookupKernel(DispatchLike op, SymbolTableCollection &symbols) {
  auto module = op->template getParentOfType<plan::ModuleOp>();
  return symbols.lookupSymbolIn<KernelOp>(module, op.getKernelAttr().getAttr());
}

template <typename DispatchLike>
static void addAccesses(DispatchLike op, SymbolTableCollection &symbols,
                        SmallVectorImpl<gpuvm::Access> &accesses) {
  SmallVector<BindingAttr> bindings =
      getDispatchBindings(lookupKernel(op, symbols), symbols);
  for (bool writes : {false, true})
    for (auto [binding, window] : llvm::zip_equal(
             bindings, op.getWindows().template getAsRange<WindowAttr>()))
      if (binding.getAccess() != (writes ? Access::read : Access::write))
        accesses.push_back({window, writes});
}

SmallVector<gpuvm::Access> plan::getAccesses(Operation *command,
                                             SymbolTableCollection &symbols) {
  SmallVector<gpuvm::Access> accesses;
  TypeSwitch<Operation *>(command)
      .Case<DispatchOp>([&](auto op) { addAccesses(op, symbols, accesses); })
      .Case<DispatchIndirectOp>([&](auto op) {
        addAccesses(op, symbols, accesses);
        accesses.push_back(
            {WindowAttr::get(op.getContext(), gpuvm::Region::control,
                             op.getControlOffset(), vm::kTripletBytes),
             /*writes=*/false});
      })
      .Case<plan::CopyOp>([&](auto op) {
        accesses.push_back({op.getSource(), /*writes=*/false});
        accesses.push_back({op.getDestination(), /*writes=*/true});
      })
      .Case<FillOp, plan::ClockOp>([&](auto op) {
        accesses.push_back({op.getWindow(), /*writes=*/true});
      })
      .Case<ExchangeOp>([&](auto op) {
        for (auto transfer :
             op.getTransfers().template getAsRange<TransferAttr>()) {
          accesses.push_back({transfer.getSource(), /*writes=*/false});
          accesses.push_back({transfer.getDestination(), /*writes=*/true});
          if (WindowAttr counts = transfer.getCounts())
            accesses.push_back({counts, /*writes=*/false});
          if (WindowAttr received = transfer.getReceived())
            accesses.push_back({received, /*writes=*/true});
        }
      });
  return accesses;
}

//===----------------------------------------------------------------------===//
// plan.module
//===----------------------------------------------------------------------===//

namespace {
/// Verifies what operations say of the module that they are in.
class ModuleVerifier {
public:
  explicit ModuleVerifier(plan::ModuleOp module) : module(module) {}
  LogicalResult verify();

private:
  LogicalResult verify(ProgramOp program);
  LogicalResult verify(Operation *op);
  LogicalResult verifyWindows(Operation *op, Attribute attribute);
  template <typename DispatchLike>
  LogicalResult verifyDispatch(DispatchLike op);
  LogicalResult verifyIndirect(DispatchIndirectOp op);
  LogicalResult verifyInstance(Operation *op, int64_t instance);
  LogicalResult verifyStages(Operation *command);
  LogicalResult verifyShared(Operation *slot);

  plan::ModuleOp module;
  SymbolTableCollection symbols;
  llvm::StringMap<Operation *> slots; ///< By kind and name.
  int32_t firstStage = 0;             ///< Of the program.
  int32_t endStage = 0;
};
} // namespace

LogicalResult ModuleVerifier::verifyWindows(Operation *op,
                                            Attribute attribute) {
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute element : array)
      if (failed(verifyWindows(op, element)))
        return failure();
    return success();
  }
  if (auto transfer = dyn_cast<TransferAttr>(attribute)) {
    for (WindowAttr part : {transfer.getSource(), transfer.getDestination(),
                            transfer.getCounts(), transfer.getReceived()})
      if (part && failed(verifyWindows(op, part)))
        return failure();
    return success();
  }
  auto window = dyn_cast<WindowAttr>(attribute);
  if (!window)
    return success();
  uint64_t size =
      module.getRegions()[static_cast<unsigned>(window.getRegion())];
  if (window.getOffset() % gpuvm::kWindowAlignment != 0 ||
      window.getOffset() > size ||
      window.getLength() > size - window.getOffset()) // C2
    return op->emitOpError("C2: window ")
           << window << " does not fit region "
           << gpuvm::stringifyRegion(window.getRegion()) << " (" << size
           << " bytes)";
  return success();
}

template <typename DispatchLike>
LogicalResult ModuleVerifier::verifyDispatch(DispatchLike op) {
  KernelOp kernel = lookupKernel(op, symbols);
  if (!kernel) // C3
    return op.emitOpError("C3: the plan has no kernel ") << op.getKernelAttr();
  SmallVector<BindingAttr> bindings = getDispatchBindings(kernel, symbols);
  if (bindings.size() != op.getWindows().size()) // C3
    return op.emitOpError("C3: kernel ")
           << op.getKernelAttr() << " has " << bindings.size()
           << " bindings, not " << op.getWindows().size();
  for (auto [binding, window] : llvm::zip_equal(
           bindings, op.getWindows().template getAsRange<WindowAttr>()))
    if (binding.getIndex() % vm::kNumRegions !=
        static_cast<unsigned>(window.getRegion())) // C3
      return op.emitOpError("C3: binding ")
             << binding.getIndex() << " is not in region "
             << gpuvm::stringifyRegion(window.getRegion());
  return success();
}

LogicalResult ModuleVerifier::verifyIndirect(DispatchIndirectOp op) {
  int64_t control =
      module.getRegions()[static_cast<unsigned>(gpuvm::Region::control)];
  int64_t offset = op.getControlOffset();
  if (offset < 0 || offset % 4 != 0 ||
      offset > control - int64_t(vm::kTripletBytes)) // C1
    return op.emitOpError("C1: the triplet at byte ")
           << offset << " is not inside Control (" << control << " bytes)";
  return success();
}

LogicalResult ModuleVerifier::verifyInstance(Operation *op, int64_t instance) {
  auto instances = static_cast<int64_t>(module.getInstances());
  if (instance < 0 || instance >= instances) // C5
    return op->emitOpError("C5: the plan has no instance ")
           << instance << " (it has " << instances << ")";
  return success();
}

static ArrayRef<int32_t> getStages(Operation *command) {
  return TypeSwitch<Operation *, ArrayRef<int32_t>>(command)
      .Case<DispatchOp, DispatchIndirectOp, plan::CopyOp, FillOp, plan::ClockOp,
            ExchangeOp>([](auto op) { return op.getStages(); })
      .Default(ArrayRef<int32_t>());
}

LogicalResult ModuleVerifier::verifyStages(Operation *command) {
  int32_t before = -1;
  for (int32_t stage : getStages(command)) {
    if (stage < firstStage || stage >= endStage) // C5
      return command->emitOpError("C5: the program has no stage ")
             << stage << " (it has " << endStage - firstStage << ", from "
             << firstStage << " on)";
    if (stage <= before) // C5
      return command->emitOpError("C5: stage ")
             << stage << " stands after stage " << before;
    before = stage;
  }
  return success();
}

/// The name an operation must not share with another of its kind; a program
/// may name registers, dispatches and so on as often as it likes.
static StringRef getUniqueName(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<InputOp, OutputOp, SymbolOp, StageOp>(
          [](auto named) { return named.getName(); })
      .Default([](Operation *) { return StringRef(); });
}

static std::string getKindAndName(Operation *op) {
  return (op->getName().getStringRef() + " " + getUniqueName(op)).str();
}

LogicalResult ModuleVerifier::verifyShared(Operation *slot) {
  auto [known, isNew] = slots.try_emplace(getKindAndName(slot), slot);
  if (isNew ||
      (isa<InputOp, SymbolOp>(slot) &&
       known->second->getAttrDictionary() == slot->getAttrDictionary())) // C6
    return success();
  InFlightDiagnostic error = slot->emitOpError("C6: \"")
                             << getUniqueName(slot)
                             << "\" is something else in another program";
  error.attachNote(known->second->getLoc()) << "here";
  return error;
}

/// C2, C3, C5 and C6 of an operation, and of those in a repeat.
LogicalResult ModuleVerifier::verify(Operation *op) {
  for (NamedAttribute attribute : op->getAttrs())
    if (failed(verifyWindows(op, attribute.getValue())))
      return failure();
  if (failed(verifyStages(op)))
    return failure();
  if (!getUniqueName(op).empty() && failed(verifyShared(op)))
    return failure();
  if (auto reg = dyn_cast<plan::RegisterOp>(op))
    return verifyInstance(reg, reg.getInstance());
  if (auto stage = dyn_cast<StageOp>(op)) {
    for (auto name : stage.getKernels().getAsRange<FlatSymbolRefAttr>())
      if (!symbols.lookupSymbolIn<KernelOp>(module, name.getAttr())) // C5
        return stage.emitOpError("C5: the plan has no kernel ") << name;
    return verifyInstance(stage, stage.getInstance());
  }
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    return verifyDispatch(dispatch);
  if (auto indirect = dyn_cast<DispatchIndirectOp>(op))
    return success(succeeded(verifyDispatch(indirect)) &&
                   succeeded(verifyIndirect(indirect)));
  if (auto repeat = dyn_cast<plan::RepeatOp>(op))
    for (Operation &inner : repeat.getBody().front())
      if (failed(verify(&inner)))
        return failure();
  return success();
}

LogicalResult ModuleVerifier::verify(ProgramOp program) {
  firstStage = endStage;
  endStage += llvm::range_size(program.getBody().getOps<StageOp>());
  for (Operation &op : program.getBody().front())
    if (failed(verify(&op)))
      return failure();
  return success();
}

LogicalResult ModuleVerifier::verify() {
  llvm::StringSet<> programs;
  for (Operation &op : module.getBody().front()) {
    auto program = dyn_cast<ProgramOp>(op);
    if (!program && !isa<KernelOp, DataOp>(op)) // C4
      return op.emitOpError("C4: cannot stand in a plan");
    if (program && !programs.insert(program.getName()).second) // C4
      return program.emitOpError("C4: \"")
             << program.getName() << "\" is there twice";
    if (failed(program ? verify(program) : verify(&op)))
      return failure();
  }
  if (programs.empty()) // C4
    return module.emitOpError("C4: has no program");
  return success();
}

LogicalResult plan::ModuleOp::verifyRegions() {
  if (getRegions().size() != vm::kNumRegions) // C1
    return emitOpError("C1: there are five region sizes, not ")
           << getRegions().size();
  for (int64_t size : getRegions())
    if (size < 0) // C1
      return emitOpError("C1: a region has ") << size << " bytes";
  return ModuleVerifier(*this).verify();
}

LogicalResult ProgramOp::verifyRegions() {
  llvm::StringSet<> names;
  for (Operation &op : getBody().front()) {
    if (!isa_and_nonnull<PlanDialect>(op.getDialect())) // C1
      return op.emitOpError("C1: cannot stand in a program");
    if (!getUniqueName(&op).empty() &&
        !names.insert(getKindAndName(&op)).second) // C1
      return op.emitOpError("C1: \"")
             << getUniqueName(&op) << "\" is there twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The other operations
//===----------------------------------------------------------------------===//

static bool isPositiveTriple(ArrayRef<int32_t> values) {
  return values.size() == 3 &&
         llvm::all_of(values, [](int32_t value) { return value > 0; });
}

static LogicalResult verifyLength(Operation *op, ShapedType type,
                                  WindowAttr window) {
  uint64_t bytes =
      type.getNumElements() * gpuvm::elementBytes(type.getElementType());
  if (window.getLength() < bytes) // C1
    return op->emitOpError("C1: a window of ")
           << window.getLength() << " bytes does not hold " << type;
  return success();
}

template <typename SlotOp> static LogicalResult verifySlot(SlotOp op) {
  return verifyLength(op, cast<ShapedType>(op.getType()), op.getWindow());
}

LogicalResult InputOp::verify() { return verifySlot(*this); }
LogicalResult OutputOp::verify() { return verifySlot(*this); }
LogicalResult SymbolOp::verify() { return verifySlot(*this); }

LogicalResult plan::RegisterOp::verify() {
  int64_t reg = getReg();
  if (reg < 0) // C2
    return emitOpError("C2: there is no register ")
           << reg << " (they count from 0)";
  return verifySlot(*this);
}

LogicalResult DataOp::verify() {
  ShapedType type = getValue().getShapedType();
  if (!gpuvm::isVmTensor(type)) // C0
    return emitOpError("C0: ") << type << " is not a tensor of the machine";
  return verifyLength(*this, type, getWindow());
}

LogicalResult DispatchOp::verify() {
  if (!isPositiveTriple(getGroups())) // C1
    return emitOpError("C1: groups are three positive numbers");
  return success();
}

LogicalResult plan::KernelOp::verifyRegions() {
  if (!isPositiveTriple(getLocalSize()) ||
      static_cast<int64_t>(getWorkgroupMemory()) < 0) // C3
    return emitOpError("C3: local_size is three positive numbers, "
                       "workgroup_memory not negative");
  std::optional<uint32_t> last;
  for (auto binding : getBindings().getAsRange<BindingAttr>()) {
    if (last && binding.getIndex() <= *last) // C1
      return emitOpError("C1: binding ")
             << binding.getIndex() << " does not ascend";
    last = binding.getIndex();
  }
  bool hasModule = llvm::hasSingleElement(getBody().getOps<spirv::ModuleOp>());
  if (hasModule == getSpirv().has_value()) // C2
    return emitOpError("C2: has either one spirv.module or SPIR-V words");
  auto isUnfinished = [&](BindingAttr binding) {
    return binding.getIndex() == getUnfinished();
  };
  if (getUnfinished() && llvm::none_of(getBindings().getAsRange<BindingAttr>(),
                                       isUnfinished)) // C4
    return emitOpError("C4: has no binding ") << *getUnfinished();
  if (std::optional<ArrayAttr> variants = getVariants())
    for (auto name : variants->getAsRange<FlatSymbolRefAttr>())
      if (!isa_and_present<KernelOp>(mlir::SymbolTable::lookupSymbolIn(
              (*this)->getParentOp(), name.getAttr()))) // C4
        return emitOpError("C4: there is no kernel ") << name;
  return success();
}

LogicalResult plan::CopyOp::verify() {
  WindowAttr from = getSource(), to = getDestination();
  bool overlap = from.getRegion() == to.getRegion() &&
                 from.getOffset() < to.getOffset() + to.getLength() &&
                 to.getOffset() < from.getOffset() + from.getLength();
  if (from.getLength() != to.getLength() || from.getLength() % 4 != 0 ||
      overlap) // C1
    return emitOpError("C1: the windows are not equally long, not whole words "
                       "or overlap");
  return success();
}

LogicalResult FillOp::verify() {
  if (getWindow().getLength() % 4 != 0) // C1
    return emitOpError("C1: fills whole words, not ")
           << getWindow().getLength() << " bytes";
  return success();
}

LogicalResult plan::ClockOp::verify() {
  constexpr uint64_t kClockBytes = 24;
  if (getWindow().getLength() != kClockBytes) // C1
    return emitOpError("C1: a clock needs ")
           << kClockBytes << " bytes, not " << getWindow().getLength();
  return success();
}

bool plan::isCommand(Operation *op) {
  return isa<DispatchOp, DispatchIndirectOp, BarrierOp, plan::CopyOp, FillOp,
             plan::ClockOp, plan::RepeatOp, ExchangeOp, AwaitOp>(op);
}

LogicalResult plan::RepeatOp::verifyRegions() {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  auto times = static_cast<int64_t>(getTimes());
  if (times < 1 || times > kMost) // C1
    return emitOpError("C1: cannot run ") << times << " times";
  if (getBody().front().empty()) // C1
    return emitOpError("C1: has no commands");
  for (Operation &op : getBody().front())
    if (!isCommand(&op)) // C5
      return op.emitOpError("C5: is not a command, and stands in a repeat");
  if (gpuvm::WindowAttr word = getConditionAttr())
    if (word.getRegion() != gpuvm::Region::registers || word.getLength() != 1)
      return emitOpError("C4: ") << word << " is not a byte of registers"; // C4
  std::optional<ArrayAttr> rotations = getRotations();
  if (!rotations)
    return success();
  for (Attribute attribute : *rotations) {
    auto rotation = dyn_cast<ArrayAttr>(attribute);
    if (!rotation || rotation.size() < 2) // C2
      return emitOpError("C2: a rotation has two windows or more, not ")
             << attribute;
    auto first = dyn_cast<gpuvm::WindowAttr>(rotation[0]);
    for (Attribute other : rotation) {
      auto window = dyn_cast<gpuvm::WindowAttr>(other);
      if (!window || window.getLength() != first.getLength()) // C2
        return emitOpError("C2: ")
               << other << " is not a window like " << first;
    }
    int64_t iterations = getPhase() + getTimes(), length = rotation.size();
    if (int64_t(getPhase()) < 0 || iterations % length != 0) // C3
      return emitOpError("C3: ")
             << getPhase() << " and " << getTimes()
             << " iterations do not end where a rotation of " << length
             << " begins";
  }
  return success();
}

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"
