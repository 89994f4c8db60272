//===- ShowText.cpp - a plan as text for people ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Hazards.h"
#include "runtime/plan/OptionalFeatures.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/Programs.h"
#include "tools/gpuvm-plan/Printing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace vm::tools {

std::string sizeText(const std::array<uint32_t, 3> &size) {
  return fmt::format("{}", fmt::join(size, "x"));
}

const char *opName(const Command &command) {
  constexpr const char *kNames[] = {
      "dispatch", "dispatch_indirect", "barrier", "copy",   "fill", "repeat",
      "clock",    "exchange",          "await",   "nothing"};
  static_assert(std::size(kNames) ==
                std::variant_size_v<decltype(Command::op)>);
  return kNames[command.op.index()];
}

namespace {

class TextPrinter {
public:
  explicit TextPrinter(const Plan &plan) : plan(plan) {}
  std::string print();

  void operator()(const Dispatch &op) {
    line("     groups {}", sizeText(op.groups));
    printWindows(op.kernel, op.windows);
  }
  void operator()(const DispatchIndirect &op) {
    line("     groups from {}",
         windowText({Region::Control, op.controlOffset, 3 * sizeof(uint32_t)}));
    printWindows(op.kernel, op.windows);
  }
  void operator()(const Barrier &op) {
    for (const BarrierReason &reason : op.reasons)
      printReason(reason);
  }
  void operator()(const Copy &op) {
    line("     {} -> {}", windowText(op.source), windowText(op.destination));
  }
  void operator()(const Fill &op) {
    line("     {} with {:#010x}", windowText(op.window), op.value);
  }
  void operator()(const Clock &op) {
    line("     to {}", windowText(op.window));
  }
  void operator()(const Exchange &op) {
    for (const RankTransfer &transfer : op.transfers)
      printTransfer(transfer);
    // Why it is where it is: what it sends, and what needs what comes.
    size_t index = std::distance(plan.commands.data(), current);
    for (const BarrierReason &reason : dependences)
      if (reason.kind == HazardKind::ReadAfterWrite &&
          (reason.first == index || reason.second == index))
        printReason(reason);
  }
  void operator()(const Await &) {}
  void operator()(const LeftOut &) {}
  void operator()(const Repeat &op) {
    line("     the next {} commands, {} times", op.commands, op.times);
    if (op.condition)
      line("     while {}", windowText(*op.condition));
    for (const Rotation &rotation : op.rotations) {
      std::vector<std::string> windows;
      for (const Window &window : rotation)
        windows.push_back(windowText(window));
      line("     {} take turns from phase {}", fmt::join(windows, " <- "),
           op.phase);
    }
  }

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Args>(args)...);
    text += '\n';
  }
  template <typename T, typename Extra>
  void printSlots(const char *title, const std::vector<T> &slots, Extra extra);
  void printRegions();
  void printPrograms();
  void printParameters();
  void printStages();
  void printKernels();
  void printData();
  void printModule();
  void printCommand(size_t index);
  void printWindows(uint32_t kernel, const std::vector<BoundWindow> &windows);
  void printReason(const BarrierReason &reason);
  void printTransfer(const RankTransfer &transfer);
  std::string ranksText() const;

  const Plan &plan;
  /// Of a plan with exchanges.
  std::vector<BarrierReason> dependences;
  const Command *current = nullptr;
  std::string text;
};

void TextPrinter::printParameters() {
  if (!plan.parameters.empty())
    line("\nparameters");
  for (const Parameter &parameter : plan.parameters)
    line("  {:<20} {}", parameter.name, parameter.value);
}

void TextPrinter::printRegions() {
  line("regions");
  for (unsigned i = 0; i < kNumRegions; ++i)
    line("  {:<10} {:>14} bytes", toString(static_cast<Region>(i)),
         plan.regionBytes[i]);
}

/// `extra` gives what follows the window of a slot.
template <typename T, typename Extra>
void TextPrinter::printSlots(const char *title, const std::vector<T> &slots,
                             Extra extra) {
  if (slots.empty())
    return;
  line("\n{}", title);
  for (const T &slot : slots)
    line("  {:<20} {:<16} {}{}", slot.name, typeString(slot),
         windowText(slot.window), extra(slot));
}

void TextPrinter::printStages() {
  if (!plan.stages.empty())
    line("\nstages");
  for (const Stage &stage : plan.stages) {
    std::vector<std::string> kernels;
    for (uint32_t kernel : stage.kernels)
      kernels.push_back(plan.kernels[kernel].name);
    line("  {:<20} instance {}, kernels: {}{}", stage.name, stage.instance,
         kernels.empty() ? "none" : fmt::format("{}", fmt::join(kernels, ", ")),
         stage.location.empty() ? "" : fmt::format(" ({})", stage.location));
  }
}

const char *accessText(const Binding &binding) {
  if (binding.reads)
    return binding.writes ? "reads and writes" : "reads";
  return binding.writes ? "writes" : "leaves alone";
}

void TextPrinter::printKernels() {
  if (!plan.kernels.empty())
    line("\nkernels");
  for (const Kernel &kernel : plan.kernels) {
    line("  {:<20} local size {}, workgroup memory {} bytes, SPIR-V {} bytes",
         kernel.name, sizeText(kernel.localSize), kernel.workgroupMemoryBytes,
         kernel.spirv.size() * sizeof(uint32_t));
    std::vector<std::string> needed, optional;
    for (Feature feature : kernel.features)
      (isOptional(kernel, feature) ? optional : needed)
          .push_back(toString(feature));
    if (!needed.empty())
      line("    needs {}", fmt::join(needed, ", "));
    if (!optional.empty())
      line("    asks for {} where the device has it",
           fmt::join(optional, ", "));
    for (uint32_t variant : kernel.variants)
      line("    gives way to {} where the device has what that needs",
           plan.kernels[variant].name);
    if (kernel.device)
      line("    runs on devices that are a {} only", toString(*kernel.device));
    if (kernel.groups)
      line("    has {} workgroups wherever it is dispatched", *kernel.groups);
    if (kernel.unfinished)
      line("    says in binding {} whether a loop is unfinished",
           *kernel.unfinished);
    for (const Binding &binding : kernel.bindings)
      line("    {} window {} of {} (binding {})", accessText(binding),
           windowOfBinding(binding.binding),
           toString(regionOfBinding(binding.binding)), binding.binding);
  }
}

void TextPrinter::printData() {
  if (!plan.initialData.empty())
    line("\ninitial data");
  for (const InitialData &data : plan.initialData)
    line("  {}", windowText({data.region, data.offset, data.bytes.size()}));
}

void TextPrinter::printModule() {
  if (!plan.module.empty())
    line("\nmodule\n  {} bytes", plan.module.size());
}

void TextPrinter::printWindows(uint32_t kernelIndex,
                               const std::vector<BoundWindow> &windows) {
  std::vector<Binding> bindings = dispatchBindings(plan, kernelIndex);
  line("     kernel {}", plan.kernels[kernelIndex].name);
  for (size_t i = 0; i < windows.size(); ++i)
    line("     {} {} (binding {})", accessText(bindings[i]),
         windowText(windows[i].window), windows[i].binding);
}

void TextPrinter::printReason(const BarrierReason &reason) {
  line("     {}", reasonText(plan, reason));
}

void TextPrinter::printTransfer(const RankTransfer &transfer) {
  std::string text = fmt::format("{} {} -> {}", toString(transfer.kind),
                                 windowText(transfer.source),
                                 windowText(transfer.destination));
  if (transfer.offset)
    text += fmt::format(" by {}{}", transfer.offset,
                        transfer.rotate ? ", rotating" : "");
  if (transfer.counts && transfer.received)
    text += fmt::format(", rows of {} bytes, as many as {}, received {}",
                        transfer.rowBytes, windowText(*transfer.counts),
                        windowText(*transfer.received));
  line("     {}", text);
}

void TextPrinter::printCommand(size_t index) {
  const Command &command = plan.commands[index];
  line("{:>4} {}{}", index, opName(command),
       command.stages.empty()
           ? ""
           : fmt::format(" for stage \"{}\"", stageLabel(plan, command)));
  if (command.unless)
    line("     not on devices with {}", toString(*command.unless));
  current = &command;
  std::visit(*this, command.op);
}

void TextPrinter::printPrograms() {
  line("plan {} ({} instances{})\n", plan.program, plan.instances, ranksText());
  line("programs");
  auto names = [](const auto &slots, const std::vector<uint32_t> &indices) {
    std::vector<std::string> result;
    for (uint32_t i : indices)
      result.push_back(slots[i].name);
    return fmt::format("{}", fmt::join(result, ", "));
  };
  for (const Program &program : plan.programs) {
    line("  {}: {} stages, {} commands", program.name, program.stages,
         program.commands);
    line("    inputs ({})", names(plan.inputs, program.inputs));
    line("    outputs ({})", names(plan.outputs, program.outputs));
    line("    symbols ({})", names(plan.symbols, program.symbols));
  }
  line("");
}

/// ", 4 ranks, 2 exchanges", where there are such.
std::string TextPrinter::ranksText() const {
  size_t exchanges = std::ranges::count_if(plan.commands, [](const auto &c) {
    return std::holds_alternative<Exchange>(c.op);
  });
  std::string text;
  if (plan.ranks)
    text = fmt::format(", {} ranks", plan.ranks);
  if (exchanges)
    text += fmt::format(", {} exchange{}", exchanges, exchanges > 1 ? "s" : "");
  return text;
}

std::string TextPrinter::print() {
  if (!ranksText().empty())
    if (auto found = findDependences(plan); found.ok())
      dependences = std::move(*found);
  if (plan.programs.empty())
    line("program {} ({} instances{})\n", plan.program, plan.instances,
         ranksText());
  else
    printPrograms();
  printRegions();
  printParameters();
  printSlots("inputs", plan.inputs, [](const Input &input) {
    std::string when = input.residency == Residency::Load
                           ? ", copied once at load"
                           : ", copied in every execution";
    return input.rows.empty() ? when : when + ", rows counted in " + input.rows;
  });
  printSlots("outputs", plan.outputs, [](const Output &output) {
    return output.rows.empty() ? "" : ", as many rows as " + output.rows;
  });
  printSlots("symbols", plan.symbols, [](const Symbol &symbol) {
    return symbol.bound == 0 ? "" : fmt::format(", up to {}", symbol.bound);
  });
  printSlots("registers", plan.registers, [](const RegisterSlot &slot) {
    return fmt::format(", R{} of instance {}", slot.reg, slot.instance);
  });
  printStages();
  printKernels();
  printData();
  printModule();
  if (!plan.commands.empty() && plan.programs.empty())
    line("\ncommands");
  std::vector<CommandRange> ranges = commandsOfPrograms(plan);
  for (size_t program = 0; program < ranges.size(); ++program) {
    if (!plan.programs.empty())
      line("\ncommands of program {}", plan.programs[program].name);
    for (size_t i = ranges[program].begin; i < ranges[program].end; ++i)
      printCommand(i);
  }
  return std::move(text);
}

} // namespace

std::string showText(const Plan &plan) { return TextPrinter(plan).print(); }

} // namespace vm::tools
