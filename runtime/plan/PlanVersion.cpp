//===- PlanVersion.cpp - minor versions of the format ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanVersion.h"

#include "runtime/base/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <spirv_cross/spirv.h>

namespace vm {
namespace {

/// Capabilities are the first instructions of a valid module.
bool hasCapability(const std::vector<uint32_t> &module, uint32_t capability) {
  constexpr size_t kHeaderWords = 5;
  constexpr uint32_t kInstruction = 2 << SpvWordCountShift | SpvOpCapability;
  for (size_t at = kHeaderWords;
       at + 1 < module.size() && module[at] == kInstruction; at += 2)
    if (module[at + 1] == capability)
      return true;
  return false;
}

class Newest {
public:
  NewestPart part;

  template <typename... Args>
  void add(uint16_t minor, fmt::format_string<Args...> what, Args &&...args) {
    if (minor > part.minor)
      part = {minor, fmt::format(what, std::forward<Args>(args)...)};
  }

  void addSlot(const char *kind, const Slot &slot) {
    if (slot.dtype == DType::BF16)
      add(1, "The element type of {} \"{}\", bf16,", kind,
          printable(slot.name));
    if (std::ranges::find(slot.shape, 0) != slot.shape.end())
      add(16, "The {} \"{}\", which has no elements,", kind,
          printable(slot.name));
  }

  void addKernel(const Kernel &kernel) {
    if (!kernel.variants.empty())
      add(2, "A kernel with variants, \"{}\",", printable(kernel.name));
    if (kernel.unfinished)
      add(9, "A word for unfinished loops, of kernel \"{}\",",
          printable(kernel.name));
    for (Feature feature : kernel.features)
      if (static_cast<size_t>(feature) < kNumFeatures)
        add(kFeatures[static_cast<size_t>(feature)].since,
            "The feature \"{}\" of kernel \"{}\"", toString(feature),
            printable(kernel.name));
    if (hasCapability(kernel.spirv, SpvCapabilityVulkanMemoryModel))
      add(2, "The memory model of kernel \"{}\"", printable(kernel.name));
    if (kernel.device || kernel.groups)
      add(14, "A device or a number of workgroups, of kernel \"{}\",",
          printable(kernel.name));
  }
  void addVariant(const Kernel &variant, const Kernel &kernel) {
    if (variant.bindings.size() < kernel.bindings.size())
      add(10, "A variant with fewer bindings, of kernel \"{}\",",
          printable(kernel.name));
    auto isWithin = [&](const Binding &x) {
      auto y = std::lower_bound(
          kernel.bindings.begin(), kernel.bindings.end(), x.binding,
          [](const Binding &b, uint32_t number) { return b.binding < number; });
      return y != kernel.bindings.end() && x.binding == y->binding &&
             (y->reads || !x.reads) && (y->writes || !x.writes);
    };
    if (!std::all_of(variant.bindings.begin(), variant.bindings.end(),
                     isWithin))
      add(14, "A variant with other bindings, of kernel \"{}\",",
          printable(kernel.name));
  }
};

} // namespace

NewestPart newestPart(const Plan &plan) {
  Newest newest;
  for (const Input &input : plan.inputs) {
    newest.addSlot("input", input);
    if (!input.rows.empty())
      newest.add(18, "An input with counted rows, \"{}\",",
                 printable(input.name));
  }
  for (const Output &output : plan.outputs) {
    newest.addSlot("output", output);
    if (!output.rows.empty())
      newest.add(5, "An output with counted rows, \"{}\",",
                 printable(output.name));
  }
  for (const Symbol &symbol : plan.symbols) {
    newest.addSlot("symbol", symbol);
    if (symbol.bound != 0)
      newest.add(5, "A symbol with a bound, \"{}\",", printable(symbol.name));
  }
  for (const RegisterSlot &slot : plan.registers) {
    newest.addSlot("register", slot);
    if (slot.reg >= kNumRegisters)
      newest.add(8, "A register after R31, \"{}\",", printable(slot.name));
  }
  for (const Kernel &kernel : plan.kernels)
    newest.addKernel(kernel);
  for (const Kernel &kernel : plan.kernels)
    for (uint32_t variant : kernel.variants)
      if (variant < plan.kernels.size())
        newest.addVariant(plan.kernels[variant], kernel);
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    auto *repeat = std::get_if<Repeat>(&plan.commands[i].op);
    if (repeat && !repeat->rotations.empty())
      newest.add(11, "Command {}, a repeat whose windows take turns,", i);
    if (repeat && repeat->condition)
      newest.add(12, "Command {}, a repeat with a condition,", i);
    if (std::holds_alternative<Exchange>(plan.commands[i].op) ||
        std::holds_alternative<Await>(plan.commands[i].op))
      newest.add(19, "Command {}, an exchange,", i);
    if (plan.commands[i].unless)
      newest.add(10, "Command {}, which some devices do without,", i);
    if (std::holds_alternative<Repeat>(plan.commands[i].op) ||
        std::holds_alternative<Clock>(plan.commands[i].op))
      newest.add(7, "Command {}, a repeat or a clock,", i);
  }
  if (!plan.programs.empty())
    newest.add(13, "A plan with several programs, the first \"{}\",",
               printable(plan.programs.front().name));
  if (!plan.module.empty())
    newest.add(15, "A plan with its module");
  if (!plan.parameters.empty())
    newest.add(18, "A plan with parameters, the first \"{}\",",
               printable(plan.parameters.front().name));
  if (plan.ranks != 0)
    newest.add(19, "A plan for {} ranks", plan.ranks);
  return newest.part;
}

Status checkMinor(const Plan &plan, uint16_t stated) {
  NewestPart newest = newestPart(plan);
  if (newest.minor <= stated)
    return {};
  return Status(Code::BadInput,
                fmt::format("{} is new in format version {}.{} (the plan "
                            "states {}.{}).",
                            newest.what, kPlanFormatMajor, newest.minor,
                            kPlanFormatMajor, stated));
}

} // namespace vm
