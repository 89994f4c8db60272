//===- VmAccess.cpp - the host's view of a VM's memory --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers, symbols and metadata words are windows of regions: a program says
// where, a bare layout computes it.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/Vm.h"

#include <fmt/format.h>

#include <cstring>

namespace vm {

/// The status word is the last of the metadata words.
static constexpr uint64_t kStatusOffset = kMetadataBytes - kWordBytes;

Status Vm::checkRegions() const {
  if (executor_)
    return {};
  return Status(Code::Usage, "The VM has no memory (it was booted without a "
                             "layout and has no program).");
}

static Status checkBareInstance(const BareLayout &bare, uint32_t instance) {
  if (instance < bare.instances)
    return {};
  return Status(Code::Usage,
                fmt::format("VM instance {} does not exist (there are {} "
                            "instances, counted from 0).",
                            instance, bare.instances));
}

/// The bytes of a slot's window that its tensor takes.
static Window tensorWindow(const Slot &slot) {
  Window window = slot.window;
  window.length = byteSizeOf(slot);
  return window;
}

Result<Window> Vm::registerWindow(uint32_t instance, uint32_t reg) const {
  VM_RETURN_IF_ERROR(checkRegions());
  if (programmed_) {
    Result<const RegisterSlot *> slot =
        findRegister(executor_->plan(), instance, reg);
    if (!slot.ok())
      return slot.status();
    return tensorWindow(**slot);
  }
  VM_RETURN_IF_ERROR(checkBareInstance(bare_, instance));
  if (reg >= kNumRegisters)
    return Status(Code::Usage, fmt::format("Register R{} does not exist (the "
                                           "last one is R31).",
                                           reg));
  uint64_t index = uint64_t(instance) * kNumRegisters + reg;
  return Window{Region::Registers, index * bare_.registerBytes,
                bare_.registerBytes};
}

Result<Window> Vm::metadataWindow(uint32_t instance) const {
  VM_RETURN_IF_ERROR(checkRegions());
  if (programmed_) {
    Result<const Symbol *> symbol = findMetadata(executor_->plan(), instance);
    if (!symbol.ok())
      return symbol.status();
    return (*symbol)->window;
  }
  VM_RETURN_IF_ERROR(checkBareInstance(bare_, instance));
  return Window{Region::Metrics, instance * kMetadataBytes, kMetadataBytes};
}

/// `name` formats the name for an error message.
template <typename Name>
static Status checkFits(const Window &window, uint64_t bytes, Name name) {
  if (bytes <= window.length)
    return {};
  return Status(Code::Usage,
                fmt::format("{} cannot take or give {} bytes (it holds {} "
                            "bytes).",
                            name(), bytes, window.length));
}

static Status checkRegister(const Window &window, uint64_t bytes,
                            uint32_t instance, uint32_t reg) {
  return checkFits(window, bytes, [&] {
    return fmt::format("Register R{} of VM instance {}", reg, instance);
  });
}

static Status checkSymbol(const Window &window, uint64_t bytes,
                          std::string_view name) {
  return checkFits(window, bytes,
                   [&] { return fmt::format("Symbol \"{}\"", name); });
}

Status Vm::writeRegister(uint32_t instance, uint32_t reg,
                         std::span<const uint8_t> bytes) {
  Result<Window> window = registerWindow(instance, reg);
  if (!window.ok())
    return window.status();
  VM_RETURN_IF_ERROR(checkRegister(*window, bytes.size(), instance, reg));
  return executor_->writeRegion(window->region, window->offset, bytes);
}

Status Vm::readRegister(uint32_t instance, uint32_t reg,
                        std::span<uint8_t> bytes) {
  Result<Window> window = registerWindow(instance, reg);
  if (!window.ok())
    return window.status();
  VM_RETURN_IF_ERROR(checkRegister(*window, bytes.size(), instance, reg));
  return executor_->readRegion(window->region, window->offset, bytes);
}

Status Vm::writeRegion(Region region, uint64_t offset,
                       std::span<const uint8_t> bytes) {
  VM_RETURN_IF_ERROR(checkRegions());
  return executor_->writeRegion(region, offset, bytes);
}

Status Vm::readRegion(Region region, uint64_t offset,
                      std::span<uint8_t> bytes) {
  VM_RETURN_IF_ERROR(checkRegions());
  return executor_->readRegion(region, offset, bytes);
}

Result<uint8_t *> Vm::mappedSymbol(std::string_view name, uint64_t bytes) {
  VM_RETURN_IF_ERROR(checkProgram());
  Result<uint32_t> index = findSymbol(executor_->plan(), name);
  if (!index.ok())
    return index.status();
  Window window = tensorWindow(executor_->plan().symbols[*index]);
  VM_RETURN_IF_ERROR(checkSymbol(window, bytes, name));
  // What lies in host memory for want of room is mapped, too.
  if (!isHostVisible(roleOf(window.region)))
    return Status(Code::Usage,
                  fmt::format("Symbol \"{}\" is of region {}, which the host "
                              "cannot watch while an execution is in flight "
                              "(it can watch metrics and control).",
                              name, toString(window.region)));
  return executor_->regions().locate(window).mapped;
}

Status Vm::writeSymbol(std::string_view name, std::span<const uint8_t> bytes) {
  VM_RETURN_IF_ERROR(checkProgram());
  Result<uint32_t> index = findSymbol(executor_->plan(), name);
  if (!index.ok())
    return index.status();
  Window window = tensorWindow(executor_->plan().symbols[*index]);
  VM_RETURN_IF_ERROR(checkSymbol(window, bytes.size(), name));
  return executor_->writeRegion(window.region, window.offset, bytes);
}

Status Vm::readSymbol(std::string_view name, std::span<uint8_t> bytes) {
  VM_RETURN_IF_ERROR(checkProgram());
  Result<uint32_t> index = findSymbol(executor_->plan(), name);
  if (!index.ok())
    return index.status();
  Window window = tensorWindow(executor_->plan().symbols[*index]);
  VM_RETURN_IF_ERROR(checkSymbol(window, bytes.size(), name));
  return executor_->readRegion(window.region, window.offset, bytes);
}

Result<uint32_t> Vm::pollStatus(uint32_t instance) {
  Result<Window> window = metadataWindow(instance);
  if (!window.ok())
    return window.status();
  uint8_t word[sizeof(uint32_t)];
  VM_RETURN_IF_ERROR(executor_->readRegion(
      window->region, window->offset + kStatusOffset, word));
  uint32_t status;
  std::memcpy(&status, word, sizeof(status));
  return status;
}

} // namespace vm
