//===- ExecutorStream.cpp - two halves of staging memory ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two recordings of the same plan, which differ in nothing but the staging
// memory that they copy from and to. One of them is in flight at a time.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Executor.h"

#include "runtime/exec/NamedSlots.h"

#include <cstring>

namespace vm {

Status Executor::openHalves(uint32_t program) {
  LoadedProgram &loaded = programs_[program];
  if (loaded.idle)
    return {};
  VM_RETURN_IF_ERROR(checkIdle("start a stream"));
  VM_RETURN_IF_ERROR(prepare(program));
  Half idle;
  VM_RETURN_IF_ERROR(createHalf(loaded, idle));
  VM_RETURN_IF_ERROR(record(loaded, idle));
  for (size_t i = 0; i < idle.uploads.numSlots(); ++i)
    if (const BufferRange &slot = loaded.half.uploads.slot(i); slot.length)
      std::memcpy(idle.uploads.slot(i).mapped, slot.mapped, slot.length);
  idle.rows = loaded.half.rows;
  loaded.idle = std::move(idle);
  return {};
}

std::span<uint8_t> Executor::idleInput(uint32_t index) {
  const Place &place = inputPlaces_[index];
  inputBound_[index] = true;
  return {programs_[place.program].idle->uploads.slot(place.slot).mapped,
          byteSizeOf(plan_.inputs[index])};
}

void Executor::setIdleRows(uint32_t index, uint64_t rows) {
  const Place &place = inputPlaces_[index];
  programs_[place.program].idle->rows[place.slot] = rows;
}

std::span<const uint8_t> Executor::idleOutput(uint32_t index) const {
  const Place &place = outputPlaces_[index];
  return {programs_[place.program].idle->downloads.slot(place.slot).mapped,
          byteSizeOf(plan_.outputs[index])};
}

std::span<const uint8_t> Executor::lastOutput(uint32_t index) const {
  const Place &place = outputPlaces_[index];
  return {programs_[place.program].half.downloads.slot(place.slot).mapped,
          byteSizeOf(plan_.outputs[index])};
}

Status Executor::submitIdle(uint32_t program) {
  VM_RETURN_IF_ERROR(checkIdle("start an execution"));
  std::swap(programs_[program].half, *programs_[program].idle);
  return submit(program);
}

} // namespace vm
