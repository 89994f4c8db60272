//===- ExecutorIo.cpp - inputs and outputs --------------------------------===//
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
#include <utility>

namespace vm {

static Status checkSize(const char *what, const Slot &slot, uint64_t bytes) {
  if (bytes == byteSizeOf(slot))
    return {};
  return Status(Code::BadInput,
                fmt::format("{} \"{}\" has {} bytes, but the data given has {} "
                            "bytes.",
                            what, slot.name, byteSizeOf(slot), bytes));
}

//===--- Inputs -----------------------------------------------------------===//

/// The input's place in each half of staging memory.
std::vector<std::span<uint8_t>> Executor::slotsOf(uint32_t input) const {
  const Place &place = inputPlaces_[input];
  const LoadedProgram &program = programs_[place.program];
  uint64_t bytes = byteSizeOf(plan_.inputs[input]);
  std::vector<std::span<uint8_t>> slots;
  slots.push_back({program.half.uploads.slot(place.slot).mapped, bytes});
  if (program.idle)
    slots.push_back({program.idle->uploads.slot(place.slot).mapped, bytes});
  return slots;
}

Status Executor::checkGiven(uint32_t input) const {
  if (inputBound_[input])
    return {};
  const std::string &name = plan_.inputs[input].name;
  auto partly = partlyBound_.find(input);
  if (partly == partlyBound_.end())
    return Status(Code::Usage, fmt::format("Input \"{}\" is not given.", name));
  return Status(Code::Usage,
                fmt::format("Input \"{}\" is given in part only: byte {} of {} "
                            "is missing.",
                            name, partly->second.firstMissing(),
                            byteSizeOf(plan_.inputs[input])));
}

Status Executor::bindInput(uint32_t index, std::span<const uint8_t> bytes) {
  const Input &input = plan_.inputs[index];
  uint64_t rows = 0;
  if (inputRows_[index]) {
    Result<uint64_t> given = rowsIn(input, bytes.size());
    if (!given.ok())
      return given.status();
    rows = *given;
  } else {
    VM_RETURN_IF_ERROR(checkSize("Input", input, bytes.size()));
  }
  VM_RETURN_IF_ERROR(checkIdle("bind an input"));
  if (input.residency == Residency::Load)
    VM_RETURN_IF_ERROR(transfer_.upload(regions_, input.window.region,
                                        input.window.offset, bytes));
  else
    for (std::span<uint8_t> slot : slotsOf(index))
      std::ranges::copy(bytes, slot.begin());
  setRows(index, rows);
  inputBound_[index] = true;
  partlyBound_.erase(index);
  return {};
}

uint64_t Executor::rowBound(uint32_t input) const {
  return static_cast<uint64_t>(plan_.inputs[input].shape[0]);
}

/// Whether none of its bytes are left out.
bool Executor::hasAllRows(uint32_t input) const {
  const Place &place = inputPlaces_[input];
  return !inputRows_[input] ||
         programs_[place.program].half.rows[place.slot] == rowBound(input);
}

/// Programs share what is bound at load.
void Executor::setRows(uint32_t input, uint64_t rows) {
  if (!inputRows_[input])
    return;
  for (LoadedProgram &program : programs_) {
    const std::vector<uint32_t> &own = program.program->inputs;
    auto place = std::ranges::lower_bound(own, input); // They ascend.
    if (place == own.end() || *place != input)
      continue;
    auto slot = static_cast<size_t>(place - own.begin());
    program.half.rows[slot] = rows;
    if (program.idle)
      program.idle->rows[slot] = rows;
  }
}

uint64_t Executor::uploadBytes() const {
  const LoadedProgram &program = programs_[last_];
  uint64_t bytes = program.half.uploads.totalBytes();
  const std::vector<RowUpload> &uploads = program.half.replay.rowUploads;
  for (size_t i = 0; i < uploads.size(); ++i) {
    const RowGroup &group = program.rowGroups[i];
    const RowUpload::Step *step =
        uploads[i].find(program.half.rows[group.slots.front()]);
    uint64_t left = plan_.symbols[group.symbol].bound - (step ? step->rows : 0);
    bytes -= left * group.rowBytes;
  }
  return bytes;
}

//===--- Files ------------------------------------------------------------===//

/// How many bytes a file has from `offset` on.
static Result<uint64_t> bytesAfter(const std::string &path, uint64_t offset) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(fmt::format("reading \"{}\"", path));
  return file->sizeBytes() - std::min(offset, file->sizeBytes());
}

Status Executor::bindFile(uint32_t index, const std::string &path,
                          uint64_t offset) {
  const Input &input = plan_.inputs[index];
  FilePart whole = {index, 0, byteSizeOf(input), offset};
  if (!inputRows_[index])
    return bindParts(path, {&whole, 1});
  VM_RETURN_IF_ERROR(checkIdle("bind an input"));
  Result<uint64_t> bytes = bytesAfter(path, offset);
  if (!bytes.ok())
    return bytes.status();
  whole.bytes = *bytes;
  Result<uint64_t> rows = rowsIn(input, whole.bytes);
  if (!rows.ok())
    return rows.status().withContext(fmt::format("reading \"{}\"", path));
  VM_RETURN_IF_ERROR(bindParts(path, {&whole, 1}));
  setRows(index, *rows);
  inputBound_[index] = true;
  partlyBound_.erase(index);
  return {};
}

Status Executor::bindParts(const std::string &path,
                           std::span<const FilePart> parts) {
  VM_RETURN_IF_ERROR(checkIdle("bind an input"));
  std::string reading = fmt::format("reading \"{}\"", path);
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(reading);
  VM_RETURN_IF_ERROR(checkParts(parts, path, file->sizeBytes()));
  if (Status status = copyParts(*file, parts); !status.ok()) {
    for (const FilePart &part : parts) {
      inputBound_[part.input] = false;
      partlyBound_.erase(part.input);
    }
    return status.withContext(reading);
  }
  for (const FilePart &part : parts) {
    if (inputBound_[part.input] && hasAllRows(part.input))
      continue;
    inputBound_[part.input] = false;
    GivenBytes &given = partlyBound_[part.input];
    given.add(part.offset, part.offset + part.bytes);
    if (given.firstMissing() < byteSizeOf(plan_.inputs[part.input]))
      continue;
    inputBound_[part.input] = true;
    partlyBound_.erase(part.input);
    if (inputRows_[part.input])
      setRows(part.input, rowBound(part.input));
  }
  return {};
}

/// Whether [offset, offset + bytes) is inside of `size` bytes.
static bool isInside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

Status Executor::checkParts(std::span<const FilePart> parts,
                            const std::string &path, uint64_t fileBytes) const {
  for (const FilePart &part : parts) {
    const Input &input = plan_.inputs[part.input];
    if (!isInside(part.offset, part.bytes, byteSizeOf(input)))
      return Status(Code::BadInput,
                    fmt::format("{} bytes from byte {} of input \"{}\" on end "
                                "past its end ({} bytes).",
                                part.bytes, part.offset, input.name,
                                byteSizeOf(input)));
    if (!isInside(part.fileOffset, part.bytes, fileBytes))
      return Status(Code::BadInput,
                    fmt::format("Input \"{}\" takes {} bytes from byte {} of "
                                "the file \"{}\" on, which has only {}.",
                                input.name, part.bytes, part.fileOffset, path,
                                fileBytes));
  }
  std::vector<FilePart> sorted(parts.begin(), parts.end());
  std::ranges::sort(sorted, {}, [](const FilePart &part) {
    return std::pair(part.input, part.offset);
  });
  for (size_t i = 1; i < sorted.size(); ++i) {
    const FilePart &before = sorted[i - 1], &part = sorted[i];
    if (before.input == part.input &&
        part.offset - before.offset < before.bytes)
      return Status(Code::BadInput,
                    fmt::format("Byte {} of input \"{}\" is given twice.",
                                part.offset, plan_.inputs[part.input].name));
  }
  return {};
}

Status Executor::copyParts(const InputFile &file,
                           std::span<const FilePart> parts) {
  std::vector<UploadRange> uploads;
  for (const FilePart &part : parts) {
    const Input &input = plan_.inputs[part.input];
    if (input.residency == Residency::Load) {
      uploads.push_back({input.window.region, input.window.offset + part.offset,
                         part.bytes, part.fileOffset});
      continue;
    }
    for (std::span<uint8_t> slot : slotsOf(part.input))
      VM_RETURN_IF_ERROR(
          file.readAt(part.fileOffset, slot.subspan(part.offset, part.bytes)));
  }
  return transfer_.upload(regions_, uploads,
                          [&](uint64_t offset, std::span<uint8_t> bytes) {
                            return file.readAt(offset, bytes);
                          });
}

//===--- Outputs and regions ----------------------------------------------===//

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
  if (!outputRows_[index])
    return std::optional<int64_t>();
  const Window &window = plan_.symbols[*outputRows_[index]].window;
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
