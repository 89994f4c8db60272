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

#include <set>

using namespace mlir;
using namespace mlir::plan;
using gpuvm::WindowAttr;

//===----------------------------------------------------------------------===//
// plan.program
//===----------------------------------------------------------------------===//

static LogicalResult verifyWindow(Operation *op, WindowAttr window,
                                  ArrayRef<int64_t> regions) {
  uint64_t size = regions[static_cast<unsigned>(window.getRegion())];
  if (window.getOffset() % gpuvm::kWindowAlignment != 0 ||
      window.getOffset() > size ||
      window.getLength() > size - window.getOffset()) // C2
    return op->emitOpError("C2: window ")
           << window << " does not fit region "
           << gpuvm::stringifyRegion(window.getRegion()) << " (" << size
           << " bytes)";
  return success();
}

static LogicalResult verifyWindows(Operation *op, ArrayRef<int64_t> regions) {
  for (NamedAttribute attribute : op->getAttrs()) {
    if (auto window = dyn_cast<WindowAttr>(attribute.getValue()))
      if (failed(verifyWindow(op, window, regions)))
        return failure();
    if (auto array = dyn_cast<ArrayAttr>(attribute.getValue()))
      for (Attribute element : array)
        if (auto window = dyn_cast<WindowAttr>(element))
          if (failed(verifyWindow(op, window, regions)))
            return failure();
  }
  return success();
}

/// The bindings of `kernel` and its variants, ascending.
static std::set<uint32_t> bindingsOf(KernelOp kernel,
                                     const llvm::StringMap<KernelOp> &kernels) {
  std::set<uint32_t> bindings;
  auto add = [&](KernelOp one) {
    for (auto binding : one.getBindings().getAsRange<BindingAttr>())
      bindings.insert(binding.getIndex());
  };
  add(kernel);
  if (std::optional<ArrayAttr> variants = kernel.getVariants())
    for (auto name : variants->getAsRange<StringAttr>())
      if (KernelOp variant = kernels.lookup(name.getValue()))
        add(variant);
  return bindings;
}

template <typename DispatchLike>
static LogicalResult verifyDispatch(DispatchLike op,
                                    const llvm::StringMap<KernelOp> &kernels) {
  KernelOp kernel = kernels.lookup(op.getKernel());
  if (!kernel) // C3
    return op.emitOpError("C3: the plan has no kernel \"")
           << op.getKernel() << '"';
  std::set<uint32_t> bindings = bindingsOf(kernel, kernels);
  if (bindings.size() != op.getWindows().size()) // C3
    return op.emitOpError("C3: kernel \"")
           << op.getKernel() << "\" has " << bindings.size()
           << " bindings, not " << op.getWindows().size();
  for (auto [binding, window] : llvm::zip_equal(
           bindings, op.getWindows().template getAsRange<WindowAttr>()))
    if (binding % vm::kNumRegions !=
        static_cast<unsigned>(window.getRegion())) // C3
      return op.emitOpError("C3: binding ")
             << binding << " is not in region "
             << gpuvm::stringifyRegion(window.getRegion());
  return success();
}

static LogicalResult verifyIndirect(DispatchIndirectOp op,
                                    ArrayRef<int64_t> regions) {
  int64_t control = regions[static_cast<unsigned>(gpuvm::Region::control)];
  int64_t offset = op.getControlOffset();
  if (offset < 0 || offset % 4 != 0 || offset > control - 12) // C1
    return op.emitOpError("C1: the triplet at byte ")
           << offset << " is not inside Control (" << control << " bytes)";
  return success();
}

/// C4: the name an operation must not share with another of its kind; a plan
/// may name registers, dispatches and so on as often as it likes.
static StringRef getUniqueName(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<InputOp, OutputOp, SymbolOp, plan::StageOp, plan::KernelOp>(
          [](auto named) { return named.getName(); })
      .Default([](Operation *) { return StringRef(); });
}

static LogicalResult verifyInstance(Operation *op, int64_t instance,
                                    int64_t instances) {
  if (instance < 0 || instance >= instances) // C5
    return op->emitOpError("C5: the plan has no instance ")
           << instance << " (it has " << instances << ")";
  return success();
}

static LogicalResult verifyReferences(ProgramOp plan, int64_t numKernels) {
  for (auto reg : plan.getBody().getOps<plan::RegisterOp>())
    if (failed(verifyInstance(reg, reg.getInstance(), plan.getInstances())))
      return failure();
  for (auto stage : plan.getBody().getOps<plan::StageOp>()) {
    if (failed(verifyInstance(stage, stage.getInstance(), plan.getInstances())))
      return failure();
    for (int64_t kernel : stage.getKernels())
      if (kernel < 0 || kernel >= numKernels) // C5
        return stage.emitOpError("C5: the plan has no kernel ")
               << kernel << " (it has " << numKernels << ")";
  }
  return success();
}

static LogicalResult verifyShared(ProgramOp plan) {
  auto shared = plan.getShared(), transient = plan.getTransient();
  if (!shared && !transient)
    return success();
  ArrayRef<int64_t> regions = plan.getRegions();
  bool fits = shared && transient && shared->size() == vm::kNumRegions &&
              transient->size() == 2;
  for (unsigned i = 0; fits && i < vm::kNumRegions; ++i)
    fits = (*shared)[i] >= 0 && (*shared)[i] <= regions[i] &&
           (*shared)[i] % gpuvm::kWindowAlignment == 0;
  for (unsigned i = 0; fits && i < 2; ++i)
    fits = (*transient)[i] % gpuvm::kWindowAlignment == 0 &&
           (*transient)[i] <= regions[0] &&
           (*transient)[i] >= (i == 0 ? (*shared)[0] : (*transient)[0]);
  if (!fits) // C6
    return plan.emitOpError("C6: what is shared or transient is not in the "
                            "regions");
  return success();
}

static ArrayRef<int32_t> getStages(Operation *command) {
  return TypeSwitch<Operation *, ArrayRef<int32_t>>(command)
      .Case<DispatchOp, DispatchIndirectOp, plan::CopyOp, FillOp,
            plan::ClockOp>([](auto op) { return op.getStages(); })
      .Default(ArrayRef<int32_t>());
}

static LogicalResult verifyStages(Operation *command, int32_t numStages) {
  int32_t before = -1;
  for (int32_t stage : getStages(command)) {
    if (stage < 0 || stage >= numStages) // C5
      return command->emitOpError("C5: the plan has no stage ")
             << stage << " (it has " << numStages << ")";
    if (stage <= before) // C5
      return command->emitOpError("C5: stage ")
             << stage << " stands after stage " << before;
    before = stage;
  }
  return success();
}

/// C2, C3 and C5 of a command, and of those in a repeat.
static LogicalResult verifyCommand(Operation *op, ProgramOp plan,
                                   const llvm::StringMap<KernelOp> &kernels,
                                   int32_t numStages) {
  if (failed(verifyWindows(op, plan.getRegions())) ||
      failed(verifyStages(op, numStages)))
    return failure();
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    return verifyDispatch(dispatch, kernels);
  if (auto indirect = dyn_cast<DispatchIndirectOp>(op))
    return success(succeeded(verifyDispatch(indirect, kernels)) &&
                   succeeded(verifyIndirect(indirect, plan.getRegions())));
  if (auto repeat = dyn_cast<plan::RepeatOp>(op))
    for (Operation &inner : repeat.getBody().front())
      if (failed(verifyCommand(&inner, plan, kernels, numStages)))
        return failure();
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  if (getRegions().size() != vm::kNumRegions) // C1
    return emitOpError("C1: there are five region sizes, not ")
           << getRegions().size();
  for (int64_t size : getRegions())
    if (size < 0) // C1
      return emitOpError("C1: a region has ") << size << " bytes";
  if (failed(verifyShared(*this)))
    return failure();
  llvm::StringMap<KernelOp> kernels;
  for (auto kernel : getBody().getOps<KernelOp>())
    kernels[kernel.getName()] = kernel;
  auto numStages =
      static_cast<int32_t>(llvm::range_size(getBody().getOps<plan::StageOp>()));
  llvm::StringSet<> names;
  for (Operation &op : getBody().front()) {
    if (!isa_and_nonnull<PlanDialect>(op.getDialect())) // C4
      return op.emitOpError("C4: cannot stand in a plan");
    StringRef name = getUniqueName(&op);
    if (!name.empty() &&
        !names.insert((op.getName().getStringRef() + " " + name).str()).second)
      return op.emitOpError("C4: \"") << name << "\" is there twice";
    if (failed(verifyCommand(&op, *this, kernels, numStages)))
      return failure();
  }
  return verifyReferences(*this, kernels.size());
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

static bool isCommand(Operation &op) {
  return isa<DispatchOp, DispatchIndirectOp, BarrierOp, plan::CopyOp, FillOp,
             plan::ClockOp, plan::RepeatOp>(op);
}

LogicalResult plan::RepeatOp::verifyRegions() {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  auto times = static_cast<int64_t>(getTimes());
  if (times < 1 || times > kMost) // C1
    return emitOpError("C1: cannot run ") << times << " times";
  if (getBody().front().empty()) // C1
    return emitOpError("C1: has no commands");
  for (Operation &op : getBody().front())
    if (!isCommand(op)) // C5
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
    int64_t turns = getPhase() + getTimes(), length = rotation.size();
    if (int64_t(getPhase()) < 0 || turns % length != 0) // C3
      return emitOpError("C3: ")
             << getPhase() << " and " << getTimes()
             << " turns do not end where a rotation of " << length << " begins";
  }
  return success();
}

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"
