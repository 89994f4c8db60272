//===- CommandVerifier.cpp - the commands of a plan -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/CheckedMath.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/Repeats.h"
#include "runtime/plan/VerifierHelpers.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace vm::verify {
namespace {

/// VkDispatchIndirectCommand: three u32, 4-byte aligned (Vulkan 1.2,
/// vkCmdDispatchIndirect). vkCmdFillBuffer needs multiples of 4 as well.
constexpr uint64_t kTripletBytes = 12;
constexpr uint64_t kWordBytes = 4;

/// Checks command `index`; one overload an op.
class CommandVerifier {
public:
  /// `range`: the outermost repeat around the command, or the command;
  /// `program`: the commands of its program.
  CommandVerifier(const Plan &plan, uint32_t index, CommandRange range,
                  CommandRange program, const Deadline &deadline)
      : plan(plan), index(index), range(range), program(program),
        deadline(deadline) {}

  Status operator()(const Dispatch &dispatch) const;
  Status operator()(const DispatchIndirect &dispatch) const;
  Status operator()(const Barrier &barrier) const;
  Status operator()(const Copy &copy) const;
  Status operator()(const Fill &fill) const;
  Status operator()(const Repeat &) const { return {}; } // verifyRepeats
  Status operator()(const Clock &clock) const;
  Status operator()(const Exchange &exchange) const {
    return verifyExchange(plan, index, exchange, deadline);
  }
  Status operator()(const Await &) const { return {}; } // verifyExchangeOrder
  Status operator()(const LeftOut &) const { return {}; }

private:
  Status verifyWindows(uint32_t kernel,
                       const std::vector<BoundWindow> &windows) const;
  bool saysUnfinished(const Kernel &kernel, uint32_t binding) const;
  Status verifyAliasing(const std::string &kernel,
                        const std::vector<Binding> &bindings,
                        const std::vector<BoundWindow> &windows) const;
  Status verifyReason(const BarrierReason &reason, size_t number) const;
  Status verifyTransfer(const char *what, const Window &window) const;
  Status verifyTarget(const Window &window) const;

  const Plan &plan;
  uint32_t index;
  CommandRange range, program;
  const Deadline &deadline;
};

/// Whether the kernel or one of its variants does, at that binding.
bool CommandVerifier::saysUnfinished(const Kernel &kernel,
                                     uint32_t binding) const {
  return kernel.unfinished == binding ||
         std::any_of(kernel.variants.begin(), kernel.variants.end(),
                     [&](uint32_t variant) {
                       return plan.kernels[variant].unfinished == binding;
                     });
}

Status
CommandVerifier::verifyWindows(uint32_t kernelIndex,
                               const std::vector<BoundWindow> &windows) const {
  if (kernelIndex >= plan.kernels.size())
    return bad("Command {} dispatches kernel {} (the plan has {}).", index,
               kernelIndex, plan.kernels.size());
  const Kernel &kernel = plan.kernels[kernelIndex];
  std::vector<Binding> bindings = dispatchBindings(plan, kernelIndex);
  if (windows.size() != bindings.size())
    return bad("Command {} binds {} windows (kernel \"{}\" has {} bindings).",
               index, windows.size(), kernel.name, bindings.size());
  for (size_t i = 0; i < windows.size(); ++i) {
    const auto &[binding, window] = windows[i];
    if (binding != bindings[i].binding)
      return bad("Window {} of command {} has binding {} (binding {} of kernel "
                 "\"{}\" is next).",
                 i, index, binding, bindings[i].binding, kernel.name);
    VM_RETURN_IF_ERROR(checkWindow(
        fmt::format("Window {} of command {}", i, index), window, plan));
    if (window.region != regionOfBinding(binding))
      return bad(
          "Window {} of command {} lies in region {} (binding {} belongs "
          "to region {}).",
          i, index, toString(window.region), binding,
          toString(regionOfBinding(binding)));
    if (saysUnfinished(kernel, binding) && window.length < sizeof(uint32_t))
      return bad(
          "Window {} of command {} has {} bytes (kernel \"{}\" says in a "
          "word there whether a loop is unfinished).",
          i, index, window.length, kernel.name);
  }
  return verifyAliasing(kernel.name, bindings, windows);
}

/// Windows that share bytes of which some are written are the same window
/// (an update in place) or a race inside the kernel. In the order of their
/// bytes each is compared with the one before it that ends last, of all of them
/// and of those that are written.
Status
CommandVerifier::verifyAliasing(const std::string &kernel,
                                const std::vector<Binding> &bindings,
                                const std::vector<BoundWindow> &windows) const {
  std::vector<uint32_t> order(windows.size());
  std::iota(order.begin(), order.end(), 0u);
  auto key = [&](uint32_t i) {
    const Window &window = windows[i].window;
    return std::tuple(window.region, window.offset, window.length, i);
  };
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  std::optional<uint32_t> last, lastWritten;
  auto raise = [&](std::optional<uint32_t> &latest, uint32_t i) {
    const Window &a = windows[latest.value_or(i)].window;
    const Window &b = windows[i].window;
    if (!latest || a.region != b.region ||
        a.offset + a.length < b.offset + b.length)
      latest = i;
  };
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const Window &window = windows[order[begin]].window;
    std::optional<uint32_t> written;
    for (; end < order.size() && windows[order[end]].window == window; ++end)
      if (bindings[order[end]].writes)
        written = order[end];
    const std::optional<uint32_t> &other = written ? last : lastWritten;
    if (other && overlap(windows[*other].window, window)) {
      uint32_t own = written.value_or(order[begin]);
      return bad("Windows {} and {} of command {} overlap in part and kernel "
                 "\"{}\" writes one of them.",
                 std::min(*other, own), std::max(*other, own), index, kernel);
    }
    raise(last, order[begin]);
    if (written)
      raise(lastWritten, *written);
  }
  return {};
}

Status CommandVerifier::operator()(const Dispatch &dispatch) const {
  VM_RETURN_IF_ERROR(verifyWindows(dispatch.kernel, dispatch.windows));
  for (unsigned axis = 0; axis < 3; ++axis) {
    uint32_t count = dispatch.groups[axis];
    if (count < 1 || count > limits::kMaxGroups)
      return bad("Command {} has {} workgroups along axis {} (1 to {} are "
                 "allowed).",
                 index, count, axis, limits::kMaxGroups);
  }
  return {};
}

Status CommandVerifier::operator()(const DispatchIndirect &dispatch) const {
  VM_RETURN_IF_ERROR(verifyWindows(dispatch.kernel, dispatch.windows));
  Window triplet = {Region::Control, dispatch.controlOffset, kTripletBytes};
  return checkWindow(fmt::format("The triplet of command {}", index), triplet,
                     plan, kWordBytes);
}

Status CommandVerifier::verifyReason(const BarrierReason &reason,
                                     size_t number) const {
  if (reason.kind > HazardKind::WriteAfterWrite)
    return bad("Reason {} of barrier {} has an unknown kind ({}).", number,
               index, static_cast<unsigned>(reason.kind));
  auto isRepeated = [&](uint32_t command) {
    return command >= range.begin && command < range.end && command != index;
  };
  bool isBefore = reason.first >= program.begin && reason.first < index;
  if (!isBefore && !isRepeated(reason.first))
    return bad("Reason {} of barrier {} begins at command {} ({} to {} come "
               "before it).",
               number, index, reason.first, program.begin, int64_t(index) - 1);
  bool isAfter = reason.second > index && reason.second < program.end;
  if (!isAfter && !isRepeated(reason.second))
    return bad("Reason {} of barrier {} ends at command {} ({} to {} come "
               "after it).",
               number, index, reason.second, index + 1, program.end - 1);
  for (uint32_t command : {reason.first, reason.second})
    if (std::holds_alternative<Barrier>(plan.commands[command].op) ||
        std::holds_alternative<Repeat>(plan.commands[command].op) ||
        std::holds_alternative<Await>(plan.commands[command].op))
      return bad("Reason {} of barrier {} names command {}, which touches "
                 "nothing.",
                 number, index, command);
  return checkWindow(fmt::format("Reason {} of barrier {}", number, index),
                     reason.window, plan, 1);
}

Status CommandVerifier::operator()(const Barrier &barrier) const {
  VM_RETURN_IF_ERROR(checkCount(fmt::format("reasons of barrier {}", index),
                                barrier.reasons.size(), limits::kMaxReasons));
  for (size_t i = 0; i < barrier.reasons.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    VM_RETURN_IF_ERROR(verifyReason(barrier.reasons[i], i));
  }
  return {};
}

Status CommandVerifier::verifyTransfer(const char *what,
                                       const Window &window) const {
  VM_RETURN_IF_ERROR(checkWindow(
      fmt::format("The {} of command {}", what, index), window, plan));
  if (!isAligned(window.length, kWordBytes))
    return bad("The {} of command {} has {} bytes (a multiple of {} is "
               "needed).",
               what, index, window.length, kWordBytes);
  return {};
}

Status CommandVerifier::verifyTarget(const Window &window) const {
  if (window.region == Region::Heap)
    return bad("Command {} writes region heap (heap is immutable).", index);
  return {};
}

Status CommandVerifier::operator()(const Copy &copy) const {
  VM_RETURN_IF_ERROR(verifyTransfer("source", copy.source));
  VM_RETURN_IF_ERROR(verifyTransfer("destination", copy.destination));
  VM_RETURN_IF_ERROR(verifyTarget(copy.destination));
  if (copy.source.length != copy.destination.length)
    return bad("Command {} copies {} bytes to a window of {} bytes.", index,
               copy.source.length, copy.destination.length);
  if (overlap(copy.source, copy.destination))
    return bad("The source and the destination of command {} overlap at byte "
               "{} of region {}.",
               index, std::max(copy.source.offset, copy.destination.offset),
               toString(copy.source.region));
  return {};
}

Status CommandVerifier::operator()(const Fill &fill) const {
  VM_RETURN_IF_ERROR(verifyTransfer("window", fill.window));
  return verifyTarget(fill.window);
}

Status CommandVerifier::operator()(const Clock &clock) const {
  VM_RETURN_IF_ERROR(verifyTransfer("window", clock.window));
  if (clock.window.length != kClockBytes)
    return bad("Command {} reads the clock to a window of {} bytes ({} are "
               "needed).",
               index, clock.window.length, kClockBytes);
  return verifyTarget(clock.window);
}

/// What devices may do without, so that hazards can be looked for in all cases.
Status verifyUnless(const Plan &plan, const Deadline &deadline) {
  std::set<Feature> features;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const Command &command = plan.commands[i];
    if (!command.unless)
      continue;
    if (static_cast<size_t>(*command.unless) >= kNumFeatures)
      return bad("Devices with an unknown feature ({}) do without command {}.",
                 static_cast<unsigned>(*command.unless), i);
    if (std::holds_alternative<Repeat>(command.op) ||
        std::holds_alternative<Clock>(command.op) ||
        std::holds_alternative<Exchange>(command.op) ||
        std::holds_alternative<Await>(command.op))
      return bad("Devices with the feature \"{}\" do without command {} "
                 "(repeats, clocks and exchanges are for all devices).",
                 toString(*command.unless), i);
    features.insert(*command.unless);
  }
  if (features.size() > limits::kMaxUnless)
    return bad("Devices with one of {} features do without commands (at most "
               "{} are allowed).",
               features.size(), limits::kMaxUnless);
  return {};
}

Status verifyStagesOf(const Plan &plan, uint32_t index) {
  const std::vector<uint32_t> &stages = plan.commands[index].stages;
  if (std::ranges::adjacent_find(stages, std::greater_equal()) != stages.end())
    return bad("The stages of command {} do not ascend.", index);
  if (!stages.empty() && stages.back() >= plan.stages.size())
    return bad("Command {} works for stage {} (the plan has {}).", index,
               stages.back(), plan.stages.size());
  return {};
}

} // namespace

Status verifyCommands(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(
      checkCount("commands", plan.commands.size(), limits::kMaxCommands));
  VM_RETURN_IF_ERROR(verifyRepeats(plan, deadline));
  VM_RETURN_IF_ERROR(verifyExchangeOrder(plan, deadline));
  VM_RETURN_IF_ERROR(verifyUnless(plan, deadline));
  std::vector<CommandRange> ranges = outermostRepeats(plan);
  std::vector<CommandRange> programs = programOfCommands(plan);
  for (uint32_t i = 0; i < plan.commands.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const Command &command = plan.commands[i];
    VM_RETURN_IF_ERROR(verifyStagesOf(plan, i));
    VM_RETURN_IF_ERROR(
        std::visit(CommandVerifier(plan, i, ranges[i], programs[i], deadline),
                   command.op));
  }
  return verifyRotations(plan, deadline);
}

} // namespace vm::verify
