//===- JoinPlans.cpp - the plans of several programs as one ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/JoinPlans.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <tuple>

using namespace llvm;
using mlir::gpuvm::PartOfPlan;
using vm::Plan;
using vm::Region;
using vm::Window;

static constexpr unsigned kRegisters = unsigned(Region::Registers);

namespace {

/// Where the bytes of one part are in the whole.
class Relocation {
public:
  explicit Relocation(const PartOfPlan &part) : part(part) {}

  /// Where what the part keeps begins, and, in Registers, what it does not.
  std::array<uint64_t, vm::kNumRegions> begin = {};
  uint64_t transient = 0;

  /// What the part keeps and does not share.
  uint64_t keptBytes(unsigned region) const {
    uint64_t bytes = part.plan.regionBytes[region] - part.shared[region];
    return region == kRegisters ? bytes - transientBytes() : bytes;
  }
  uint64_t transientBytes() const {
    return part.transientEnd - part.transientBegin;
  }

  bool isShared(Region region, uint64_t offset) const {
    return offset < part.shared[unsigned(region)];
  }

  void move(Region in, uint64_t &offset) const {
    auto region = unsigned(in);
    if (isShared(in, offset))
      return;
    if (in == Region::Registers && offset >= part.transientBegin) {
      if (offset < part.transientEnd) {
        offset = offset - part.transientBegin + transient;
        return;
      }
      offset -= transientBytes();
    }
    offset = offset - part.shared[region] + begin[region];
  }
  void move(Window &window) const { move(window.region, window.offset); }

private:
  const PartOfPlan &part;
};

class Joiner {
public:
  Joiner(std::vector<PartOfPlan> parts, const std::string &name)
      : parts(std::move(parts)) {
    whole.program = name;
  }
  Plan run();

private:
  void placeParts();
  void addKernels();
  uint32_t addKernel(PartOfPlan &part, vm::Kernel kernel);
  void addPart(size_t number);
  template <typename SlotT>
  void addSlot(const Relocation &moved, const Plan &part, SlotT slot,
               std::vector<SlotT> &slots, std::vector<uint32_t> &own,
               StringMap<uint32_t> &shared);
  void addData(const Relocation &moved, vm::InitialData data);
  void moveWindows(vm::Command &command, const Relocation &moved,
                   ArrayRef<uint32_t> kernels, uint32_t firstCommand);

  std::vector<PartOfPlan> parts;
  SmallVector<Relocation> places;
  Plan whole;
  StringMap<uint32_t> kernelNumbers;
  /// For each part the numbers in the whole of its kernels.
  std::vector<std::vector<uint32_t>> kernelsOf;
  StringMap<uint32_t> sharedInputs, sharedSymbols;
  DenseSet<std::pair<unsigned, uint64_t>> sharedData; ///< Region and offset.
};

} // namespace

static std::string qualify(const Plan &part, StringRef name) {
  return (part.program + "." + name).str();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void Joiner::placeParts() {
  for (const PartOfPlan &part : parts)
    places.emplace_back(part);
  for (unsigned region = 0; region < vm::kNumRegions; ++region) {
    uint64_t end = parts.front().shared[region];
    for (Relocation &place : places) {
      place.begin[region] = end;
      end += place.keptBytes(region);
    }
    whole.regionBytes[region] = end;
  }
  uint64_t transient = whole.regionBytes[kRegisters];
  for (Relocation &place : places) {
    place.transient = transient;
    whole.regionBytes[kRegisters] = std::max(
        whole.regionBytes[kRegisters], transient + place.transientBytes());
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static bool isSame(const vm::Kernel &a, const vm::Kernel &b) {
  return a.spirv == b.spirv && a.entryPoint == b.entryPoint &&
         a.localSize == b.localSize && a.features == b.features &&
         a.device == b.device && a.groups == b.groups &&
         a.variants.size() == b.variants.size();
}

/// Programs have the same kernel where it has the same name; two external ones
/// of one name may differ.
uint32_t Joiner::addKernel(PartOfPlan &part, vm::Kernel kernel) {
  auto [known, isNew] =
      kernelNumbers.try_emplace(kernel.name, whole.kernels.size());
  if (!isNew && isSame(whole.kernels[known->second], kernel))
    return known->second;
  if (!isNew)
    kernel.name = qualify(part.plan, kernel.name);
  whole.kernels.push_back(std::move(kernel));
  return whole.kernels.size() - 1;
}

/// Variants come after all that commands name.
void Joiner::addKernels() {
  kernelsOf.resize(parts.size());
  std::vector<std::vector<bool>> isVariant(parts.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    const std::vector<vm::Kernel> &kernels = parts[p].plan.kernels;
    kernelsOf[p].resize(kernels.size());
    isVariant[p].resize(kernels.size());
    for (const vm::Kernel &kernel : kernels)
      for (uint32_t variant : kernel.variants)
        isVariant[p][variant] = true;
  }
  for (bool variants : {false, true})
    for (size_t p = 0; p < parts.size(); ++p)
      for (auto [i, kernel] : enumerate(parts[p].plan.kernels))
        if (isVariant[p][i] == variants)
          kernelsOf[p][i] = addKernel(parts[p], kernel);
  for (size_t p = 0; p < parts.size(); ++p)
    for (auto [i, kernel] : enumerate(parts[p].plan.kernels)) {
      vm::Kernel &joined = whole.kernels[kernelsOf[p][i]];
      joined.variants = kernel.variants;
      for (uint32_t &variant : joined.variants)
        variant = kernelsOf[p][variant];
    }
}

//===----------------------------------------------------------------------===//
// One part
//===----------------------------------------------------------------------===//

/// Adds a slot, or finds the one of another program that shares it.
template <typename SlotT>
void Joiner::addSlot(const Relocation &moved, const Plan &part, SlotT slot,
                     std::vector<SlotT> &slots, std::vector<uint32_t> &own,
                     StringMap<uint32_t> &shared) {
  if (moved.isShared(slot.window.region, slot.window.offset)) {
    auto [known, isNew] = shared.try_emplace(slot.name, slots.size());
    own.push_back(known->second);
    if (isNew)
      slots.push_back(std::move(slot));
    return;
  }
  slot.name = qualify(part, slot.name);
  moved.move(slot.window);
  own.push_back(slots.size());
  slots.push_back(std::move(slot));
}

void Joiner::addData(const Relocation &moved, vm::InitialData data) {
  if (moved.isShared(data.region, data.offset) &&
      !sharedData.insert({unsigned(data.region), data.offset}).second)
    return; // Another program has it.
  moved.move(data.region, data.offset);
  whole.initialData.push_back(std::move(data));
}

void Joiner::moveWindows(vm::Command &command, const Relocation &moved,
                         ArrayRef<uint32_t> kernels, uint32_t firstCommand) {
  auto moveDispatch = [&](auto &dispatch) {
    dispatch.kernel = kernels[dispatch.kernel];
    for (vm::BoundWindow &bound : dispatch.windows)
      moved.move(bound.window);
  };
  if (auto *op = std::get_if<vm::Dispatch>(&command.op))
    moveDispatch(*op);
  if (auto *op = std::get_if<vm::DispatchIndirect>(&command.op)) {
    moveDispatch(*op);
    moved.move(Region::Control, op->controlOffset);
  }
  if (auto *op = std::get_if<vm::Barrier>(&command.op))
    for (vm::BarrierReason &reason : op->reasons) {
      reason.first += firstCommand;
      reason.second += firstCommand;
      moved.move(reason.window);
    }
  if (auto *op = std::get_if<vm::Copy>(&command.op)) {
    moved.move(op->source);
    moved.move(op->destination);
  }
  if (auto *op = std::get_if<vm::Fill>(&command.op))
    moved.move(op->window);
  if (auto *op = std::get_if<vm::Clock>(&command.op))
    moved.move(op->window);
  if (auto *op = std::get_if<vm::Repeat>(&command.op)) {
    if (op->condition)
      moved.move(*op->condition);
    for (vm::Rotation &rotation : op->rotations)
      for (Window &window : rotation)
        moved.move(window);
  }
}

void Joiner::addPart(size_t number) {
  const Relocation &moved = places[number];
  Plan &part = parts[number].plan;
  vm::Program &program = whole.programs.emplace_back();
  program.name = part.program;
  program.stages = part.stages.size();
  program.commands = part.commands.size();
  for (const vm::Symbol &symbol : part.symbols)
    addSlot(moved, part, symbol, whole.symbols, program.symbols, sharedSymbols);
  auto qualifyRows = [&](std::string &symbol) {
    if (!symbol.empty() && !sharedSymbols.count(symbol))
      symbol = qualify(part, symbol);
  };
  for (vm::Input input : part.inputs) {
    qualifyRows(input.rows);
    addSlot(moved, part, input, whole.inputs, program.inputs, sharedInputs);
  }
  llvm::sort(program.inputs);
  llvm::sort(program.symbols);
  for (vm::Output output : part.outputs) {
    output.name = qualify(part, output.name);
    qualifyRows(output.rows);
    moved.move(output.window);
    program.outputs.push_back(whole.outputs.size());
    whole.outputs.push_back(std::move(output));
  }
  for (vm::RegisterSlot slot : part.registers) {
    moved.move(slot.window);
    slot.instance += whole.instances;
    slot.name = ("r" + Twine(slot.reg) + "." + Twine(slot.instance)).str();
    whole.registers.push_back(std::move(slot));
  }
  uint32_t firstStage = whole.stages.size();
  for (vm::Stage stage : part.stages) {
    stage.name = qualify(part, stage.name);
    stage.instance += whole.instances;
    for (uint32_t &kernel : stage.kernels)
      kernel = kernelsOf[number][kernel];
    whole.stages.push_back(std::move(stage));
  }
  whole.instances += part.instances;
  for (vm::InitialData &data : part.initialData)
    addData(moved, std::move(data));
  uint32_t firstCommand = whole.commands.size();
  for (vm::Command &command : part.commands) {
    for (uint32_t &stage : command.stages)
      stage += firstStage;
    moveWindows(command, moved, kernelsOf[number], firstCommand);
    whole.commands.push_back(std::move(command));
  }
}

Plan Joiner::run() {
  placeParts();
  addKernels();
  for (size_t number = 0; number < parts.size(); ++number)
    addPart(number);
  llvm::sort(whole.initialData, [](const auto &a, const auto &b) {
    return std::tie(a.region, a.offset) < std::tie(b.region, b.offset);
  });
  return std::move(whole);
}

Plan mlir::gpuvm::joinPlans(std::vector<PartOfPlan> parts,
                            const std::string &name) {
  return Joiner(std::move(parts), name).run();
}
