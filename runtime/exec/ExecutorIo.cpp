//===- ExecutorIo.cpp - inputs and outputs --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs by index, and the host's view of the regions.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Executor.h"

#include "runtime/base/InputFile.h"
#include "runtime/exec/NamedSlots.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

static Status checkSize(const char *what, const Slot &slot, uint64_t bytes) {
  if (bytes == byteSizeOf(slot))
    return {};
  return Status(Code::BadInput,
                fmt::format("{} \"{}\" has {} bytes, but the data given has {} "
                            "bytes.",
                            what, slot.name, byteSizeOf(slot), bytes));
}

void Executor::fillSlot(const Place &place, std::span<const uint8_t> bytes) {
  LoadedProgram &program = programs_[place.program];
  std::ranges::copy(bytes, program.half.uploads.slot(place.slot).mapped);
  if (program.idle)
    std::ranges::copy(bytes, program.idle->uploads.slot(place.slot).mapped);
}

Status Executor::bindInput(uint32_t index, std::span<const uint8_t> bytes) {
  const Input &input = plan_.inputs[index];
  VM_RETURN_IF_ERROR(checkSize("Input", input, bytes.size()));
  VM_RETURN_IF_ERROR(checkIdle("bind an input"));
  if (input.residency == Residency::Load)
    VM_RETURN_IF_ERROR(transfer_.upload(regions_, input.window.region,
                                        input.window.offset, bytes));
  else
    fillSlot(inputPlaces_[index], bytes);
  inputBound_[index] = true;
  return {};
}

/// Copies `bytes` bytes of `file` to a region, piece by piece.
static Status copyFile(const InputFile &file, uint64_t offset, uint64_t bytes,
                       const Window &window, const Regions &regions,
                       Transfer &transfer) {
  std::vector<uint8_t> memory(std::min(bytes, Transfer::kStagingBytes));
  for (uint64_t at = 0; at < bytes; at += memory.size()) {
    auto piece =
        std::span(memory).first(std::min<uint64_t>(bytes - at, memory.size()));
    VM_RETURN_IF_ERROR(file.readAt(offset + at, piece));
    VM_RETURN_IF_ERROR(
        transfer.upload(regions, window.region, window.offset + at, piece));
  }
  return {};
}

Status Executor::bindFile(uint32_t index, const std::string &path,
                          uint64_t offset) {
  const Input &input = plan_.inputs[index];
  VM_RETURN_IF_ERROR(checkIdle("bind an input"));
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(fmt::format("reading \"{}\"", path));
  uint64_t bytes = byteSizeOf(input);
  if (offset > file->sizeBytes() || bytes > file->sizeBytes() - offset)
    return Status(Code::BadInput,
                  fmt::format("Input \"{}\" has {} bytes, from byte {} of the "
                              "file \"{}\" on, which has only {}.",
                              input.name, bytes, offset, path,
                              file->sizeBytes()));
  inputBound_[index] = false;
  Status status;
  if (input.residency == Residency::Load) {
    status = copyFile(*file, offset, bytes, input.window, regions_, transfer_);
  } else {
    Result<std::vector<uint8_t>> memory = allocateBytes(bytes);
    status = memory.ok() ? file->readAt(offset, *memory) : memory.status();
    if (status.ok())
      fillSlot(inputPlaces_[index], *memory);
  }
  inputBound_[index] = status.ok();
  return status.ok() ? status
                     : status.withContext(fmt::format("reading \"{}\"", path));
}

Status Executor::readOutput(uint32_t index, std::span<uint8_t> bytes) const {
  const Output &output = plan_.outputs[index];
  VM_RETURN_IF_ERROR(checkSize("Output", output, bytes.size()));
  VM_RETURN_IF_ERROR(checkIdle("read an output"));
  const Place &place = outputPlaces_[index];
  if (!programs_[place.program].hasRun)
    return Status(Code::Usage,
                  fmt::format("Output \"{}\" has no value before the first "
                              "execution.",
                              output.name));
  std::copy_n(programs_[place.program].half.downloads.slot(place.slot).mapped,
              bytes.size(), bytes.begin());
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
