//===- Submission.h - a command buffer and the fence it signals -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unit of everything the runtime submits: record it, submit it, wait for
// it, submit it again.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/BarrierScopes.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

namespace vm {

/// Primary command buffers in a pool of their own, and the fence of the last
/// submit. Used by one thread at a time.
class Submission {
public:
  static Result<Submission> create(const Device &device, const char *name);

  /// Forgets what was recorded and starts anew. `reusable`: it will be
  /// submitted more than once.
  Status begin(bool reusable);
  Status end() { return end(commands_); }

  /// Begins one buffer more, which is submitted more than once; `repeatedly`:
  /// more than once in one submit.
  Result<VkCommandBuffer> beginOther(const char *name, bool repeatedly);
  Status end(VkCommandBuffer commands);

  /// Exactly one vkQueueSubmit. Nothing of it may be in flight.
  Status submit() { return submit({&commands_, 1}); }
  Status submit(std::span<const VkCommandBuffer> list);
  /// Waits for the last submit at most `timeoutNs` (0: only asks); whether it
  /// has completed. After a failure it has too, unless inFlight() says that it
  /// may still run.
  Result<bool> waitFor(uint64_t timeoutNs);
  /// The same, but Code::DeviceLost if it is then still in flight.
  Status wait(uint64_t timeoutNs);
  /// Only waits, for waitFor() to say how it ended; whether it has. Several
  /// threads may, while none submits or destroys. `spinFirst`: asks for a while
  /// before it sleeps.
  bool sleep(uint64_t timeoutNs, bool spinFirst) const;
  /// How long the last submit took, if a thread waited for it until it ended;
  /// else 0.
  uint64_t tookNs() const { return took_->load(); }

  VkCommandBuffer commands() const { return commands_; }
  bool inFlight() const { return inFlight_; }
  /// Asks the device first.
  bool stillInFlight();
  /// vkQueueSubmit calls made so far.
  uint64_t submitCount() const { return submitCount_; }

private:
  Result<VkCommandBuffer> allocate(const char *name);
  void spin(uint64_t timeoutNs) const;
  VkResult waitForFence(uint64_t timeoutNs, bool spinFirst) const;

  const Device *device_ = nullptr;
  Owned<VkCommandPool> pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  Owned<VkFence> fence_;
  bool inFlight_ = false;
  uint64_t submitCount_ = 0;
  std::chrono::steady_clock::time_point submitTime_;
  std::unique_ptr<std::atomic<uint64_t>> took_; ///< Written by sleep().
};

/// The failure of work that takes longer than its timeout.
Status timeoutFailure(const Device &device, uint64_t timeoutNs);

/// Records one global memory barrier.
void recordBarrier(const Device &device, VkCommandBuffer commands,
                   const BarrierScope &scope);

} // namespace vm
