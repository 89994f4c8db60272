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

void Executor::swapHalves() {
  std::swap(uploads_, idle_->uploads);
  std::swap(downloads_, idle_->downloads);
  std::swap(timestamps_, idle_->timestamps);
  std::swap(replay_, idle_->replay);
}

Status Executor::openHalves() {
  if (idle_)
    return {};
  VM_RETURN_IF_ERROR(checkIdle("start a stream"));
  idle_.emplace();
  swapHalves();
  Status status = createHalf();
  swapHalves();
  if (!status.ok()) {
    idle_.reset();
    return status;
  }
  for (size_t i = 0; i < uploads_.numSlots(); ++i)
    if (const BufferRange &slot = uploads_.slot(i); slot.length)
      std::memcpy(idle_->uploads.slot(i).mapped, slot.mapped, slot.length);
  return {};
}

std::span<uint8_t> Executor::idleInput(uint32_t index) {
  inputBound_[index] = true;
  return {idle_->uploads.slot(index).mapped, byteSizeOf(plan_.inputs[index])};
}

std::span<const uint8_t> Executor::idleOutput(uint32_t index) const {
  return {idle_->downloads.slot(index).mapped,
          byteSizeOf(plan_.outputs[index])};
}

std::span<const uint8_t> Executor::lastOutput(uint32_t index) const {
  return {downloads_.slot(index).mapped, byteSizeOf(plan_.outputs[index])};
}

Status Executor::submitIdle() {
  VM_RETURN_IF_ERROR(checkIdle("start an execution"));
  swapHalves();
  return submit();
}

} // namespace vm
