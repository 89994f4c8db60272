//===- Expanded.cpp - routines with their calls written out ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Expanded.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

using namespace vm;
using namespace vm::linear;

namespace {
class Expander {
public:
  Expander(const Program &program, const Launch &launch)
      : program(program), launch(launch) {}

  Result<Expanded> expand();

private:
  uint32_t stepOf(uint32_t frame, uint32_t instruction);
  Status follow(uint32_t step);
  void followCall(uint32_t step, uint32_t target);
  void followReturn(uint32_t step);
  Status checkLoops();
  void orderWrites();
  std::vector<bool> reachedFrom(uint32_t step) const;

  const Program &program;
  const Launch &launch;
  Expanded code;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
};
} // namespace

static Status refuse(std::string why) { return {Code::Usage, std::move(why)}; }
static Status exceed(std::string why) { return {Code::Excess, std::move(why)}; }

uint32_t Expander::stepOf(uint32_t frame, uint32_t instruction) {
  auto [entry, isNew] =
      numbers.try_emplace({frame, instruction}, code.steps.size());
  if (isNew)
    code.steps.push_back({instruction, frame, {}});
  return entry->second;
}

void Expander::followCall(uint32_t step, uint32_t target) {
  uint32_t parent = code.steps[step].frame;
  uint32_t depth = code.frames[parent].depth + 1;
  if (depth > program.stack)
    return; // It faults.
  uint32_t frame = code.frames.size();
  code.frames.push_back({parent, step, depth});
  uint32_t next = stepOf(frame, target);
  code.steps[step].next = {next};
}

void Expander::followReturn(uint32_t step) {
  uint32_t frame = code.steps[step].frame;
  if (frame == 0)
    return; // It faults.
  const Expanded::Frame &own = code.frames[frame];
  uint32_t next = stepOf(own.parent, code.steps[own.call].instruction + 1);
  code.steps[step].next = {next};
}

Status Expander::follow(uint32_t step) {
  uint32_t frame = code.steps[step].frame;
  uint32_t number = code.steps[step].instruction;
  const Instruction &instruction = program.instructions[number];
  const OpcodeInfo &info = *lookUpOpcode(uint32_t(instruction.opcode));
  switch (instruction.opcode) {
  case Opcode::Halt:
  case Opcode::Kill:
    return {};
  case Opcode::Yield:
  case Opcode::Wait:
  case Opcode::Spawn:
    return refuse(fmt::format("it has a {} in line {}", info.text,
                              program.lines[number]));
  case Opcode::Call:
    followCall(step, instruction.operands[0]);
    return {};
  case Opcode::Return:
    followReturn(step);
    return {};
  case Opcode::Jump:
    code.steps[step].next = {stepOf(frame, instruction.operands[0])};
    return {};
  default:
    break;
  }
  std::vector<uint32_t> next;
  if (info.cls == Class::Branch)
    next.push_back(stepOf(frame, instruction.operands[1]));
  next.push_back(stepOf(frame, number + 1));
  code.steps[step].next = std::move(next);
  return {};
}

/// Which steps may come after this one.
std::vector<bool> Expander::reachedFrom(uint32_t step) const {
  std::vector<bool> seen(code.steps.size());
  std::vector<uint32_t> pending = code.steps[step].next;
  while (!pending.empty()) {
    uint32_t next = pending.back();
    pending.pop_back();
    if (seen[next])
      continue;
    seen[next] = true;
    pending.insert(pending.end(), code.steps[next].next.begin(),
                   code.steps[next].next.end());
  }
  return seen;
}

/// Finds the WRITEs, none of which may be in a loop.
Status Expander::checkLoops() {
  for (uint32_t step = 0; step < code.steps.size(); ++step) {
    uint32_t number = code.steps[step].instruction;
    if (program.instructions[number].opcode != Opcode::Write)
      continue;
    code.writes.push_back(step);
    if (reachedFrom(step)[step])
      return refuse(fmt::format("it has a WRITE in a loop, in line {}",
                                program.lines[number]));
  }
  return {};
}

void Expander::orderWrites() {
  // One comes before another if it reaches it.
  std::vector<uint32_t> ordered;
  for (uint32_t write : code.writes) {
    std::vector<bool> reached = reachedFrom(write);
    auto at = std::ranges::find_if(
        ordered, [&](uint32_t other) { return reached[other]; });
    ordered.insert(at, write);
  }
  code.writes = ordered;
}

Result<Expanded> Expander::expand() {
  code.frames.emplace_back();
  stepOf(0, program.routines[launch.routine].first);
  for (uint32_t step = 0; step < code.steps.size(); ++step) {
    if (code.steps.size() > kMaxSteps)
      return exceed(fmt::format("it has more than {} instructions with its "
                                "calls written out",
                                kMaxSteps));
    if (Status status = follow(step); !status.ok())
      return status;
  }
  if (Status status = checkLoops(); !status.ok())
    return status;
  orderWrites();
  return std::move(code);
}

Result<Expanded> vm::linear::expandLaunch(const Program &program,
                                          const Launch &launch) {
  return Expander(program, launch).expand();
}

std::vector<AddressRange> vm::linear::addressesOf(const Program &program,
                                                  const Launch &launch,
                                                  bool writes) {
  bool isFree = !launch.reads && !launch.writes;
  auto names = [](const std::optional<std::vector<uint32_t>> &list,
                  uint32_t buffer) {
    return list && std::ranges::find(*list, buffer) != list->end();
  };
  std::vector<AddressRange> ranges;
  for (uint32_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer &buffer = program.buffers[i];
    bool isIn =
        writes ? (isFree || names(launch.writes, i)) &&
                     buffer.kind != BufferKind::In
               : isFree || names(launch.writes, i) || names(launch.reads, i);
    if (isIn)
      ranges.push_back({buffer.base, buffer.base + buffer.size});
  }
  std::ranges::sort(ranges, {}, &AddressRange::first);
  std::vector<AddressRange> joined;
  for (const AddressRange &range : ranges)
    if (!joined.empty() && joined.back().end == range.first)
      joined.back().end = range.end;
    else
      joined.push_back(range);
  return joined;
}
