//===- ExecutorIo.cpp - what goes into and comes out of executions --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs by index, and the host's view of the regions.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Executor.h"

#include "runtime/exec/NamedSlots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace vm {

static Status checkSize(const char *what, const Slot &slot, uint64_t bytes) {
  if (bytes == byteSizeOf(slot))
    return {};
  return Status(Code::BadInput,
                fmt::format("{} \"{}\" has {} bytes, but the data given has {} "
                            "bytes.",
                            what, slot.name, byteSizeOf(slot), bytes));
}

Status Executor::bindInput(uint32_t index, std::span<const uint8_t> bytes) {
  const Input &input = plan_.inputs[index];
  VM_RETURN_IF_ERROR(checkSize("Input", input, bytes.size()));
  VM_RETURN_IF_ERROR(checkIdle("bind an input"));
  if (input.residency == Residency::Load)
    VM_RETURN_IF_ERROR(transfer_.upload(regions_, input.window.region,
                                        input.window.offset, bytes));
  else
    std::memcpy(uploads_.slot(index).mapped, bytes.data(), bytes.size());
  if (idle_ && input.residency == Residency::Execution)
    std::memcpy(idle_->uploads.slot(index).mapped, bytes.data(), bytes.size());
  inputBound_[index] = true;
  return {};
}

Status Executor::readOutput(uint32_t index, std::span<uint8_t> bytes) const {
  const Output &output = plan_.outputs[index];
  VM_RETURN_IF_ERROR(checkSize("Output", output, bytes.size()));
  VM_RETURN_IF_ERROR(checkIdle("read an output"));
  if (counters_.executions == 0)
    return Status(Code::Usage,
                  fmt::format("Output \"{}\" has no value before the first "
                              "execution.",
                              output.name));
  std::memcpy(bytes.data(), downloads_.slot(index).mapped, bytes.size());
  return {};
}

Result<std::optional<int64_t>> Executor::readRows(uint32_t index) {
  if (!rowSymbols_[index])
    return std::optional<int64_t>();
  const Window &window = plan_.symbols[*rowSymbols_[index]].window;
  int32_t rows = 0;
  auto *bytes = reinterpret_cast<uint8_t *>(&rows);
  VM_RETURN_IF_ERROR(
      readRegion(window.region, window.offset, {bytes, sizeof(rows)}));
  return std::optional(
      std::clamp<int64_t>(rows, 0, plan_.outputs[index].shape[0]));
}

Status Executor::writeRegion(Region region, uint64_t offset,
                             std::span<const uint8_t> bytes) {
  VM_RETURN_IF_ERROR(regions_.checkRange(region, offset, bytes.size()));
  if (region != Region::Control && region != Region::Metrics)
    VM_RETURN_IF_ERROR(checkIdle("write a region"));
  return transfer_.upload(regions_, region, offset, bytes);
}

Status Executor::readRegion(Region region, uint64_t offset,
                            std::span<uint8_t> bytes) {
  VM_RETURN_IF_ERROR(regions_.checkRange(region, offset, bytes.size()));
  if (region != Region::Control && region != Region::Metrics)
    VM_RETURN_IF_ERROR(checkIdle("read a region"));
  return transfer_.download(regions_, region, offset, bytes);
}

} // namespace vm
