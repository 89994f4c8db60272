//===- DeviceLink.h - messages between memories of devices ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a Communicator is for host memory, for memory of devices: large messages
// that need not go through the host. A link is opened by all ranks of a
// communicator together.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/ranks/Communicator.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace vm {

/// Bytes of the own device, for another rank or from it.
struct LinkMessage {
  uint32_t rank = 0;
  uint8_t *address = nullptr; ///< On the device: not for the host to follow.
  uint64_t bytes = 0;
};

/// Not thread-safe: one thread at a time. Every rank calls start() and finish()
/// in the same order.
class DeviceLink {
public:
  virtual ~DeviceLink() = default;

  /// What carries the messages, for reports: "NCCL 2.28.9".
  virtual std::string name() const = 0;

  /// Takes `descriptor`, memory of `bytes` bytes that Vulkan has exported, and
  /// says at which address messages find it. The link must end before the
  /// memory does.
  virtual Result<uint8_t *> import(int descriptor, uint64_t bytes) = 0;

  /// As of Communicator. What the device has written before, by Vulkan, must be
  /// complete: the host has waited for it.
  virtual Status start(std::span<const LinkMessage> sends,
                       std::span<const LinkMessage> receives) = 0;
  virtual Status finish(uint64_t timeoutNs) = 0;
};

/// What openNccl() comes to.
struct OpenedLink {
  std::unique_ptr<DeviceLink> link; ///< Null if a rank has none.
  std::string why;                  ///< Then a sentence.
};

/// NCCL on the NVIDIA device with that UUID. All ranks call it, and all get a
/// link or none does. A failure is one of `ranks`.
Result<OpenedLink> openNccl(Communicator &ranks,
                            const std::array<uint8_t, 16> &uuid,
                            uint64_t timeoutNs);

} // namespace vm
