//===- PlanWriter.cpp - from plan.module to the plan file -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/PlanWriter.h"

#include "dialects/gpuvm/Parameters.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "runtime/plan/Hazards.h"
#include "runtime/plan/KernelCheck.h"
#include "runtime/plan/KernelFeatures.h"
#include "runtime/plan/KernelReflection.h"
#include "runtime/plan/KernelScan.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/PlanVerifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

#include <tuple>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

class PlanTranslator {
public:
  explicit PlanTranslator(plan::ModuleOp op) : op(op) {}
  FailureOr<vm::Plan> run();

private:
  LogicalResult addKernels();
  FailureOr<vm::Kernel> describe(plan::KernelOp kernel);
  void addData(plan::DataOp data);
  template <typename SlotT>
  void addSlot(SlotT slot, std::vector<SlotT> &slots,
               std::vector<uint32_t> &own, llvm::StringMap<uint32_t> &known);
  void addProgram(plan::ProgramOp op);
  std::vector<vm::BoundWindow> bind(StringRef kernel, ArrayAttr windows);
  void addCommand(Operation *command);

  plan::ModuleOp op;
  vm::Plan plan;
  llvm::StringMap<uint32_t> kernelNumber, inputNumber, symbolNumber;
};

} // namespace

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static vm::Window toWindow(WindowAttr window) {
  return {static_cast<vm::Region>(window.getRegion()), window.getOffset(),
          window.getLength()};
}

static vm::DType toDType(Type type) {
  if (type.isF16())
    return vm::DType::F16;
  if (type.isBF16())
    return vm::DType::BF16;
  if (type.isF32())
    return vm::DType::F32;
  if (type.isF64())
    return vm::DType::F64;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return vm::DType::I1;
  case 8:
    return vm::DType::I8;
  case 16:
    return vm::DType::I16;
  case 32:
    return vm::DType::I32;
  default:
    return vm::DType::I64;
  }
}

template <typename SlotTy>
static SlotTy toSlot(StringRef name, RankedTensorType type, WindowAttr window) {
  SlotTy slot;
  slot.name = name.str();
  slot.dtype = toDType(type.getElementType());
  slot.shape.assign(type.getShape().begin(), type.getShape().end());
  slot.window = toWindow(window);
  return slot;
}

/// "file.mlir:12:5": the file's name only, so that plans do not depend on where
/// they were compiled.
static std::string toLocation(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return (llvm::sys::path::filename(file.getFilename().getValue()) + ":" +
          Twine(file.getLine()) + ":" + Twine(file.getColumn()))
      .str();
}

//===----------------------------------------------------------------------===//
// Kernels and data
//===----------------------------------------------------------------------===//

static LogicalResult serialize(plan::KernelOp kernel,
                               std::vector<uint32_t> &words) {
  if (auto given = kernel.getSpirv()) {
    words.assign(given->begin(), given->end());
    return success();
  }
  auto module = *kernel.getBody().getOps<spirv::ModuleOp>().begin();
  SmallVector<uint32_t> binary;
  if (failed(spirv::serialize(module, binary)))
    return kernel.emitError("kernel \"")
           << kernel.getName() << "\" cannot be serialized";
  words.assign(binary.begin(), binary.end());
  return success();
}

/// A block of numbers has the type of its tensor's elements; any other block,
/// such as one of structures, says how it reads them.
static LogicalResult checkElements(plan::KernelOp op,
                                   const vm::Kernel &kernel) {
  auto reflected = vm::reflectKernel(kernel.name, kernel.spirv);
  if (!reflected.ok())
    return mlir::emitError(op.getLoc()) << reflected.status().message();
  ArrayAttr types = op.getElementTypesAttr();
  for (const vm::ReflectedBuffer &buffer : reflected->buffers)
    for (auto [binding, attr] : llvm::zip_equal(kernel.bindings, types)) {
      vm::DType type = toDType(cast<TypeAttr>(attr).getValue());
      vm::DType stored = type == vm::DType::I1     ? vm::DType::I8
                         : type == vm::DType::BF16 ? vm::DType::I16
                                                   : type;
      if (binding.binding == buffer.binding && buffer.element &&
          *buffer.element != stored)
        return mlir::emitError(op.getLoc())
               << "Kernel \"" << kernel.name << "\" has elements of "
               << vm::toString(*buffer.element) << " in binding "
               << buffer.binding << ", and its tensor has "
               << vm::toString(type) << ".";
    }
  return success();
}

/// What a kernel that came as SPIR-V needs is read off its code.
static LogicalResult describeExternal(plan::KernelOp op, vm::Kernel &kernel) {
  vm::Result<vm::KernelFacts> facts = vm::scanKernel(kernel.name, kernel.spirv);
  if (!facts.ok())
    return mlir::emitError(op.getLoc()) << facts.status().message();
  kernel.features = vm::requiredFeatures(*facts);
  kernel.workgroupMemoryBytes = facts->workgroupMemoryBytes;
  if (vm::Status status = vm::checkKernel(kernel); !status.ok())
    return mlir::emitError(op.getLoc()) << status.message();
  return op.getElementTypes() ? checkElements(op, kernel) : success();
}

/// The kernel without its code.
FailureOr<vm::Kernel> PlanTranslator::describe(plan::KernelOp kernel) {
  vm::Kernel result;
  result.name = kernel.getName().str();
  result.entryPoint = kernel.getEntryPoint().str();
  for (unsigned i = 0; i < 3; ++i)
    result.localSize[i] = kernel.getLocalSize()[i];
  result.workgroupMemoryBytes = kernel.getWorkgroupMemory();
  for (auto name : kernel.getFeatures().getAsRange<StringAttr>()) {
    std::optional<vm::Feature> feature =
        vm::fromString<vm::Feature>(name.getValue().str());
    if (!feature)
      return kernel.emitOpError("names the unknown feature ") << name;
    result.features.push_back(*feature);
  }
  if (std::optional<uint64_t> binding = kernel.getUnfinished())
    result.unfinished = *binding;
  if (std::optional<DeviceKind> device = kernel.getDevice();
      device && *device != DeviceKind::any)
    result.device =
        *device == DeviceKind::cpu ? vm::DeviceKind::Cpu : vm::DeviceKind::Gpu;
  if (std::optional<uint64_t> groups = kernel.getGroups())
    result.groups = *groups;
  llvm::sort(result.features);
  for (auto binding : kernel.getBindings().getAsRange<plan::BindingAttr>()) {
    auto access = static_cast<unsigned>(binding.getAccess());
    result.bindings.push_back(
        {binding.getIndex(), (access & 1) != 0, (access & 2) != 0});
  }
  return result;
}

LogicalResult PlanTranslator::addKernels() {
  SmallVector<plan::KernelOp> ops(op.getBody().getOps<plan::KernelOp>());
  for (plan::KernelOp kernel : ops) {
    FailureOr<vm::Kernel> described = describe(kernel);
    if (failed(described))
      return failure();
    kernelNumber[kernel.getName()] = plan.kernels.size();
    plan.kernels.push_back(std::move(*described));
  }
  auto addCode = [&](size_t i) -> LogicalResult {
    vm::Kernel &kernel = plan.kernels[i];
    if (failed(serialize(ops[i], kernel.spirv)))
      return failure();
    return ops[i].getSpirv() ? describeExternal(ops[i], kernel) : success();
  };
  if (failed(failableParallelForEachN(op.getContext(), 0, ops.size(), addCode)))
    return failure();
  for (auto [kernel, result] : llvm::zip_equal(ops, plan.kernels))
    if (kernel.getVariants())
      for (auto variant : kernel.getVariants()->getAsRange<FlatSymbolRefAttr>())
        result.variants.push_back(kernelNumber.lookup(variant.getValue()));
  return success();
}

void PlanTranslator::addData(plan::DataOp data) {
  vm::InitialData initial;
  vm::Window window = toWindow(data.getWindow());
  initial.region = window.region;
  initial.offset = window.offset;
  auto value = cast<ElementsAttr>(data.getValue());
  uint64_t width = elementBytes(value.getElementType());
  auto append = [&](const APInt &bits) {
    uint64_t word = bits.getZExtValue();
    for (uint64_t i = 0; i < width; ++i)
      initial.bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  };
  if (isa<FloatType>(value.getElementType()))
    for (const APFloat &element : value.getValues<APFloat>())
      append(element.bitcastToAPInt());
  else
    for (const APInt &element : value.getValues<APInt>())
      append(element);
  plan.initialData.push_back(std::move(initial));
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static vm::RankTransfer toTransfer(plan::TransferAttr attr) {
  vm::RankTransfer transfer;
  transfer.kind = static_cast<vm::TransferKind>(attr.getKind());
  transfer.source = toWindow(attr.getSource());
  transfer.destination = toWindow(attr.getDestination());
  transfer.offset = attr.getOffset();
  transfer.rotate = attr.getRotate();
  transfer.rowBytes = attr.getRows();
  if (WindowAttr counts = attr.getCounts())
    transfer.counts = toWindow(counts);
  if (WindowAttr received = attr.getReceived())
    transfer.received = toWindow(received);
  return transfer;
}

std::vector<vm::BoundWindow> PlanTranslator::bind(StringRef kernel,
                                                  ArrayAttr windows) {
  std::vector<vm::BoundWindow> bound;
  std::vector<vm::Binding> bindings =
      vm::dispatchBindings(plan, kernelNumber[kernel]);
  for (auto [binding, window] :
       llvm::zip_equal(bindings, windows.getAsRange<WindowAttr>()))
    bound.push_back({binding.binding, toWindow(window)});
  return bound;
}

void PlanTranslator::addCommand(Operation *command) {
  vm::Command result;
  auto leaveOutIf = [&](std::optional<StringRef> feature) {
    if (feature)
      result.unless = vm::fromString<vm::Feature>(feature->str());
  };
  auto add = [&](auto payload, ArrayRef<int32_t> stages) {
    result.op = std::move(payload);
    result.stages.assign(stages.begin(), stages.end());
    plan.commands.push_back(std::move(result));
  };
  TypeSwitch<Operation *>(command)
      .Case<plan::DispatchOp>([&](auto d) {
        vm::Dispatch dispatch;
        dispatch.kernel = kernelNumber.lookup(d.getKernel());
        dispatch.windows = bind(d.getKernel(), d.getWindows());
        for (unsigned i = 0; i < 3; ++i)
          dispatch.groups[i] = d.getGroups()[i];
        add(dispatch, d.getStages());
      })
      .Case<plan::DispatchIndirectOp>([&](auto d) {
        vm::DispatchIndirect dispatch;
        dispatch.kernel = kernelNumber.lookup(d.getKernel());
        dispatch.windows = bind(d.getKernel(), d.getWindows());
        dispatch.controlOffset = d.getControlOffset();
        leaveOutIf(d.getUnless());
        add(dispatch, d.getStages());
      })
      .Case<plan::BarrierOp>([&](auto b) {
        vm::Barrier barrier;
        for (auto hazard : b.getReasons().template getAsRange<HazardAttr>())
          barrier.reasons.push_back(
              {static_cast<vm::HazardKind>(hazard.getKind()), hazard.getFirst(),
               hazard.getSecond(), toWindow(hazard.getWindow())});
        leaveOutIf(b.getUnless());
        add(barrier, {});
      })
      .Case<plan::CopyOp>([&](auto c) {
        add(vm::Copy{toWindow(c.getSource()), toWindow(c.getDestination())},
            c.getStages());
      })
      .Case<plan::ClockOp>([&](auto c) {
        add(vm::Clock{toWindow(c.getWindow())}, c.getStages());
      })
      .Case<plan::ExchangeOp>([&](auto e) {
        vm::Exchange exchange;
        for (auto transfer :
             e.getTransfers().template getAsRange<plan::TransferAttr>())
          exchange.transfers.push_back(toTransfer(transfer));
        add(std::move(exchange), e.getStages());
      })
      .Case<plan::AwaitOp>([&](auto) { add(vm::Await(), {}); })
      .Case<plan::RepeatOp>([&](auto r) {
        vm::Repeat repeat = {/*commands=*/0,
                             static_cast<uint32_t>(r.getTimes()),
                             {},
                             {},
                             static_cast<uint32_t>(r.getPhase())};
        if (r.getConditionAttr())
          repeat.condition = toWindow(r.getConditionAttr());
        if (r.getRotations())
          for (auto rotation :
               r.getRotations()->template getAsRange<ArrayAttr>()) {
            vm::Rotation &windows = repeat.rotations.emplace_back();
            for (auto window : rotation.template getAsRange<WindowAttr>())
              windows.push_back(toWindow(window));
          }
        add(std::move(repeat), {});
        size_t place = plan.commands.size();
        for (Operation &inner : r.getBody().front())
          addCommand(&inner);
        std::get<vm::Repeat>(plan.commands[place - 1].op).commands =
            plan.commands.size() - place;
      })
      .Case<plan::FillOp>([&](auto f) {
        add(vm::Fill{toWindow(f.getWindow()),
                     static_cast<uint32_t>(f.getValue())},
            f.getStages());
      });
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Adds a slot, or finds it where another program has it, too.
template <typename SlotT>
void PlanTranslator::addSlot(SlotT slot, std::vector<SlotT> &slots,
                             std::vector<uint32_t> &own,
                             llvm::StringMap<uint32_t> &known) {
  auto [entry, isNew] = known.try_emplace(slot.name, slots.size());
  own.push_back(entry->second);
  if (isNew)
    slots.push_back(std::move(slot));
}

void PlanTranslator::addProgram(plan::ProgramOp op) {
  vm::Program program;
  program.name = op.getName().str();
  uint32_t firstCommand = plan.commands.size();
  for (Operation &child : op.getBody().front()) {
    TypeSwitch<Operation *>(&child)
        .Case<plan::InputOp>([&](auto i) {
          auto input =
              toSlot<vm::Input>(i.getName(), i.getType(), i.getWindow());
          input.residency = static_cast<vm::Residency>(i.getResidency());
          input.rows = i.getRows().value_or("").str();
          addSlot(input, plan.inputs, program.inputs, inputNumber);
        })
        .Case<plan::OutputOp>([&](auto o) {
          auto output =
              toSlot<vm::Output>(o.getName(), o.getType(), o.getWindow());
          output.rows = o.getRows().value_or("").str();
          program.outputs.push_back(plan.outputs.size());
          plan.outputs.push_back(output);
        })
        .Case<plan::SymbolOp>([&](auto s) {
          auto symbol =
              toSlot<vm::Symbol>(s.getName(), s.getType(), s.getWindow());
          symbol.bound = s.getBound().value_or(0);
          addSlot(symbol, plan.symbols, program.symbols, symbolNumber);
        })
        .Case<plan::RegisterOp>([&](auto r) {
          std::string name =
              ("r" + Twine(r.getReg()) + "." + Twine(r.getInstance())).str();
          auto slot =
              toSlot<vm::RegisterSlot>(name, r.getType(), r.getWindow());
          slot.reg = r.getReg();
          slot.instance = r.getInstance();
          plan.registers.push_back(slot);
        })
        .Case<plan::StageOp>([&](auto s) {
          vm::Stage stage{s.getName().str(),
                          static_cast<uint32_t>(s.getInstance()),
                          toLocation(s.getLoc()),
                          {}};
          for (auto kernel :
               s.getKernels().template getAsRange<FlatSymbolRefAttr>())
            stage.kernels.push_back(kernelNumber.lookup(kernel.getValue()));
          plan.stages.push_back(stage);
          ++program.stages;
        })
        .Default([&](Operation *command) { addCommand(command); });
  }
  llvm::sort(program.inputs);
  llvm::sort(program.symbols);
  program.commands = plan.commands.size() - firstCommand;
  plan.programs.push_back(std::move(program));
}

FailureOr<vm::Plan> PlanTranslator::run() {
  plan.program = op.getName().str();
  llvm::copy(op.getRegions(), plan.regionBytes.begin());
  plan.instances = op.getInstances();
  plan.ranks = op.getRanks().value_or(0);
  if (failed(addKernels()))
    return failure();
  for (auto data : op.getBody().getOps<plan::DataOp>())
    addData(data);
  llvm::sort(plan.initialData, [](const auto &a, const auto &b) {
    return std::tie(a.region, a.offset) < std::tie(b.region, b.offset);
  });
  for (auto program : op.getBody().getOps<plan::ProgramOp>())
    addProgram(program);
  if (plan.programs.size() == 1) // It has all of the plan.
    plan.programs.clear();
  return std::move(plan);
}

/// vm::checkPlan on as many threads as the context has; the first failure in
/// the order of the kernels.
static vm::Status checkPlan(const vm::Plan &plan, MLIRContext &context) {
  if (vm::Status status = vm::verifyPlan(plan); !status.ok())
    return status;
  std::vector<vm::Status> results(plan.kernels.size());
  parallelFor(&context, 0, results.size(),
              [&](size_t i) { results[i] = vm::checkKernel(plan.kernels[i]); });
  for (vm::Status &status : results)
    if (!status.ok())
      return status;
  return vm::checkHazards(plan);
}

FailureOr<vm::Plan> gpuvm::translateToPlan(ModuleOp module) {
  auto op = *module.getOps<plan::ModuleOp>().begin();
  FailureOr<vm::Plan> plan = PlanTranslator(op).run();
  if (failed(plan))
    return failure();
  for (auto parameter : module.getOps<ParameterOp>())
    plan->parameters.push_back(
        {parameter.getParameter().str(), parameter.getValueText()});
  if (vm::Status status = checkPlan(*plan, *module.getContext()); !status.ok())
    return mlir::emitError(op.getLoc()) << status.message();
  return plan;
}
