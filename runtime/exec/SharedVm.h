//===- SharedVm.h - a VM that several threads call ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread rules of gpuvm.h. One mutex for a VM, which is free while a thread
// waits for the device, so that others can watch and cancel meanwhile. A Vulkan
// fence may be waited for by several threads but reset and destroyed by none of
// them: the thread that sees an execution end lets the other waiters leave
// first.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/Vm.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

namespace vm {

class SharedVm {
public:
  explicit SharedVm(std::unique_ptr<Vm> machine)
      : machine_(std::move(machine)) {}

  /// Runs `body(Vm &)`, which returns a Status, with no other thread in the VM.
  /// A device that is lost or does not answer is given up here, whatever the
  /// call was.
  template <typename Body> Status call(Body body) {
    Lock lock = enter();
    return giveUpIfLost(lock, body(*machine_));
  }
  /// The same for what must not come between the chunks of a stream:
  /// Code::Usage while one runs.
  template <typename Body> Status callIdle(Body body) {
    Lock lock = enter();
    VM_RETURN_IF_ERROR(checkNoStream());
    return giveUpIfLost(lock, body(*machine_));
  }

  /// Waits at most `timeoutNs` for the execution in flight, as Executor::
  /// waitFor does. All threads that wait for an execution get its end.
  Result<bool> wait(uint64_t timeoutNs);
  /// The same, but also until the first bytes of a metric or control word are
  /// no longer `value`, which becomes what they are in the end.
  Result<bool> waitForChange(std::string_view name, std::span<uint8_t> value,
                             uint64_t timeoutNs);
  /// Submits a program, which findProgram() finds, and waits.
  Status execute(std::string_view program);
  /// Asks the execution in flight to end, by a 1 in the program's control word
  /// "cancel" if there is one, and waits for that. Code::DeviceLost if it goes
  /// on, or if the device is lost. Ends a stream after its chunk.
  Status cancel(uint64_t graceNs);

  /// What the body of a stream may do with the lock that is held around it.
  class StreamScope {
  public:
    /// Waits for the execution in flight; others may watch meanwhile.
    Status wait() { return shared_.waitForEnd(lock_); }
    /// Code::Usage if another thread has cancelled the stream.
    Status checkCancelled() const;
    bool isCancelled() const { return shared_.streamCancelled_; }
    /// Runs a callback of the application, which may call the VM.
    template <typename Body> auto unlocked(Body body) {
      lock_.unlock();
      Relock relock{shared_, lock_};
      return body();
    }

    /// Locks again after all waiters that must leave have left.
    struct Relock {
      ~Relock() { shared.lockAgain(lock); }
      SharedVm &shared;
      std::unique_lock<std::mutex> &lock;
    };

  private:
    friend class SharedVm;
    StreamScope(SharedVm &shared, std::unique_lock<std::mutex> &lock)
        : shared_(shared), lock_(lock) {}
    SharedVm &shared_;
    std::unique_lock<std::mutex> &lock_;
  };
  Status stream(const std::function<Status(Executor &, StreamScope &)> &body);

  /// Before the first call from a second thread only.
  Vm &machine() { return *machine_; }

private:
  using Lock = std::unique_lock<std::mutex>;
  Lock enter();
  void lockAgain(Lock &lock);
  Status checkNoStream() const;
  /// A symbol, and the bytes of it that were seen last.
  struct Watched {
    std::string_view name;
    std::span<const uint8_t> seen;
  };
  Result<bool> waitFor(Lock &lock, uint64_t timeoutNs,
                       const Watched *watched = nullptr);
  Status waitForEnd(Lock &lock);
  Result<bool> look(Lock &lock);
  Status ended(Lock &lock, Status outcome);
  Status giveUpIfLost(Lock &lock, Status status);
  void letWaitersLeave(Lock &lock);
  Status writeCancelWord(uint32_t value);

  std::unique_ptr<Vm> machine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned waiters_ = 0;  ///< Threads that wait for a fence without the mutex.
  bool leaving_ = false;  ///< They are to leave before anything else happens.
  uint64_t numEnded_ = 0; ///< Executions whose end was seen.
  Status outcome_;        ///< Of the last of them.
  bool asked_ = false;    ///< The cancel word is 1.
  bool streaming_ = false;
  bool streamCancelled_ = false;
  bool lost_ = false; ///< The stream that runs is to give the device up.
};

} // namespace vm
