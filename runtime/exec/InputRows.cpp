//===- InputRows.cpp - inputs with as many rows as the host gives ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/InputRows.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace vm {

uint64_t rowBytesOf(const Slot &slot) {
  return byteSizeOf(slot) / static_cast<uint64_t>(slot.shape[0]);
}

std::vector<RowGroup> rowGroupsOf(const Plan &plan, const Program &program,
                                  const RowSymbols &symbols) {
  std::vector<RowGroup> groups;
  std::unordered_map<uint32_t, size_t> groupOf; // By symbol.
  for (uint32_t slot = 0; slot < program.inputs.size(); ++slot) {
    uint32_t i = program.inputs[slot];
    if (!symbols[i])
      continue;
    auto [place, isNew] = groupOf.emplace(*symbols[i], groups.size());
    if (isNew)
      groups.push_back({*symbols[i]});
    RowGroup &group = groups[place->second];
    group.slots.push_back(slot);
    if (plan.inputs[i].residency == Residency::Execution)
      group.rowBytes += rowBytesOf(plan.inputs[i]);
  }
  return groups;
}

std::vector<uint64_t> uploadSteps(const RowGroup &group, uint64_t bound) {
  constexpr uint64_t kLeastBytes = 64u << 10; // As fast as a single one.
  std::vector<uint64_t> steps;
  if (group.rowBytes == 0)
    return steps;
  for (uint64_t rows = std::max<uint64_t>(kLeastBytes / group.rowBytes, 1);
       rows < bound; rows += std::max<uint64_t>(rows / 4, 1))
    steps.push_back(rows);
  steps.push_back(bound);
  return steps;
}

const RowUpload::Step *RowUpload::find(uint64_t rows) const {
  if (rows == 0)
    return nullptr;
  auto step = std::ranges::lower_bound(steps, rows, {}, &Step::rows);
  return step == steps.end() ? nullptr : &*step;
}

Result<uint64_t> rowsIn(const Input &input, uint64_t bytes) {
  uint64_t row = rowBytesOf(input);
  if (bytes % row == 0 && bytes <= byteSizeOf(input))
    return bytes / row;
  return Status(Code::BadInput,
                fmt::format("Input \"{}\" takes at most {} rows of {} bytes, "
                            "but the data given has {} bytes.",
                            input.name, input.shape[0], row, bytes));
}

Result<uint64_t> rowsOfGroup(const RowGroup &group, const Plan &plan,
                             const Program &program,
                             std::span<const uint64_t> rows) {
  uint32_t first = group.slots.front();
  for (uint32_t slot : group.slots)
    if (rows[slot] != rows[first])
      return Status(
          Code::BadInput,
          fmt::format("Input \"{}\" has {} rows, and input \"{}\", which has "
                      "the same ones, has {}.",
                      plan.inputs[program.inputs[slot]].name, rows[slot],
                      plan.inputs[program.inputs[first]].name, rows[first]));
  return rows[first];
}

} // namespace vm
