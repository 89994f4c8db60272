//===- SharedVm.cpp - a VM that several threads call ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting in slices: a thread whose execution another one gives up has to
// notice that before what it waits for is freed.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/SharedVm.h"

#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/SharedWords.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace vm {

/// How long a waiter may keep one that gives the device up.
static constexpr uint64_t kSliceNs = 20'000'000;

static constexpr std::string_view kCancelWord = "cancel";

//===--- The mutex --------------------------------------------------------===//

void SharedVm::lockAgain(Lock &lock) {
  lock.lock();
  changed_.wait(lock, [&] { return !leaving_; });
}

SharedVm::Lock SharedVm::enter() {
  Lock lock(mutex_, std::defer_lock);
  lockAgain(lock);
  return lock;
}

/// Nothing is submitted, reset or freed until this returns.
void SharedVm::letWaitersLeave(Lock &lock) {
  leaving_ = true;
  changed_.wait(lock, [&] { return waiters_ == 0; });
  leaving_ = false;
  changed_.notify_all();
}

/// A stream that runs uses the executor, and gives it up itself when it ends.
Status SharedVm::giveUpIfLost(Lock &lock, Status status) {
  if (status.code() != Code::DeviceLost)
    return status;
  machine_->ranks().abort(status); // They wait for this one's messages.
  ++numEnded_;
  outcome_ = status;
  asked_ = false;
  lost_ = streaming_;
  letWaitersLeave(lock);
  if (!streaming_)
    machine_->giveUpDevice();
  return status;
}

Status SharedVm::checkNoStream() const {
  if (!streaming_)
    return {};
  return Status(Code::Usage, "A stream runs: until it ends, the VM can be "
                             "watched, polled and cancelled only.");
}

//===--- Waiting ----------------------------------------------------------===//

/// The execution is over, in this way.
Status SharedVm::ended(Lock &lock, Status outcome) {
  if (outcome.code() == Code::DeviceLost)
    return giveUpIfLost(lock, std::move(outcome));
  ++numEnded_;
  outcome_ = outcome;
  if (std::exchange(asked_, false))
    VM_RETURN_IF_ERROR(writeCancelWord(0));
  letWaitersLeave(lock);
  return outcome;
}

/// Whether nothing is in flight any more.
Result<bool> SharedVm::look(Lock &lock) {
  Executor &executor = *machine_->executor();
  if (!executor.inFlight())
    return true;
  if (executor.needsHost())
    letWaitersLeave(lock);
  Result<bool> done = executor.waitFor(0);
  if (done.ok() && !*done)
    return false;
  VM_RETURN_IF_ERROR(ended(lock, done.status()));
  return true;
}

static bool hasChanged(uint8_t *mapped, std::span<const uint8_t> seen) {
  std::vector<uint8_t> now(seen.size());
  loadShared(now, mapped);
  return !std::ranges::equal(now, seen);
}

using SteadyClock = std::chrono::steady_clock;

static uint64_t nanosecondsSince(SteadyClock::time_point start) {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(SteadyClock::now() - start).count());
}

/// Sleeps until the execution ends, looking at the words now and then: the
/// later they change, the longer the pauses, so that looking takes a small part
/// of a core, and a change is seen after a small part of the time that it took.
static void sleepUntilChange(const Executor &executor, uint8_t *mapped,
                             std::span<const uint8_t> seen,
                             SteadyClock::time_point start,
                             uint64_t timeoutNs) {
  constexpr uint64_t kShortestNs = 20'000, kLongestNs = 1'000'000, kPart = 16;
  SteadyClock::time_point begin = SteadyClock::now();
  for (uint64_t slept = 0; slept < timeoutNs; slept = nanosecondsSince(begin)) {
    uint64_t pauseNs =
        std::clamp(nanosecondsSince(start) / kPart, kShortestNs, kLongestNs);
    if (executor.sleep(std::min(pauseNs, timeoutNs - slept),
                       /*spinFirst=*/false) ||
        hasChanged(mapped, seen))
      return;
  }
}

Result<bool> SharedVm::waitFor(Lock &lock, uint64_t timeoutNs,
                               const Watched *watched) {
  SteadyClock::time_point start = SteadyClock::now();
  uint64_t before = numEnded_;
  if (lost_)
    return outcome_;
  for (bool first = true;; first = false) {
    Result<bool> done = look(lock);
    if (!done.ok() || *done)
      return done;
    uint64_t waited = nanosecondsSince(start);
    if (waited >= timeoutNs)
      return false;
    uint8_t *mapped = nullptr;
    if (watched) {
      Result<uint8_t *> found =
          machine_->mappedSymbol(watched->name, watched->seen.size());
      if (!found.ok())
        return found.status();
      mapped = *found;
      if (hasChanged(mapped, watched->seen))
        return false;
    }
    uint64_t sliceNs = std::min(kSliceNs, timeoutNs - waited);
    const Executor &executor = *machine_->executor();
    ++waiters_;
    lock.unlock();
    if (watched)
      sleepUntilChange(executor, mapped, watched->seen, start, sliceNs);
    else
      executor.sleep(sliceNs, /*spinFirst=*/first);
    lock.lock();
    --waiters_;
    changed_.notify_all();
    if (numEnded_ != before)
      return outcome_.ok() ? Result<bool>(true) : Result<bool>(outcome_);
  }
}

Status SharedVm::waitForEnd(Lock &lock) {
  return waitFor(lock, UINT64_MAX).status();
}

Result<bool> SharedVm::wait(uint64_t timeoutNs) {
  Lock lock = enter();
  VM_RETURN_IF_ERROR(machine_->checkProgram());
  return waitFor(lock, timeoutNs);
}

Result<bool> SharedVm::waitForChange(std::string_view name,
                                     std::span<uint8_t> value,
                                     uint64_t timeoutNs) {
  Lock lock = enter();
  VM_RETURN_IF_ERROR(machine_->checkProgram());
  VM_RETURN_IF_ERROR(machine_->mappedSymbol(name, value.size()).status());
  Watched watched = {name, value};
  Result<bool> done = waitFor(lock, timeoutNs, &watched);
  if (!done.ok())
    return done;
  Result<uint8_t *> mapped = machine_->mappedSymbol(name, value.size());
  if (!mapped.ok())
    return mapped.status();
  loadShared(value, *mapped);
  return done;
}

Status SharedVm::execute(std::string_view program) {
  Lock lock = enter();
  VM_RETURN_IF_ERROR(checkNoStream());
  VM_RETURN_IF_ERROR(machine_->checkProgram());
  Executor &executor = *machine_->executor();
  Result<uint32_t> number = findProgram(executor.plan(), program);
  if (!number.ok())
    return number.status();
  VM_RETURN_IF_ERROR(giveUpIfLost(lock, executor.submit(*number)));
  return waitForEnd(lock);
}

//===--- Cancelling -------------------------------------------------------===//

Status SharedVm::writeCancelWord(uint32_t value) {
  Executor &executor = *machine_->executor();
  const uint8_t bytes[sizeof(value)] = {static_cast<uint8_t>(value)};
  const Symbol *word =
      findSymbolOf(executor.plan(), executor.lastProgram(), kCancelWord);
  if (!word || word->window.region != Region::Control)
    return {};
  return executor.writeRegion(Region::Control, word->window.offset, bytes);
}

Status SharedVm::cancel(uint64_t graceNs) {
  Lock lock = enter();
  streamCancelled_ = streaming_;
  if (!machine_->executor() || !machine_->executor()->inFlight())
    return {};
  asked_ = true;
  VM_RETURN_IF_ERROR(writeCancelWord(1));
  Result<bool> done = waitFor(lock, graceNs);
  if (!done.ok() || *done)
    return done.status();
  return giveUpIfLost(
      lock, machine_->executor()->withTrace(Status(
                Code::DeviceLost,
                fmt::format("The execution is given up: it does not end within "
                            "{} ms of being cancelled.",
                            graceNs / 1'000'000))));
}

//===--- Streaming --------------------------------------------------------===//

Status SharedVm::StreamScope::checkCancelled() const {
  if (!isCancelled())
    return {};
  return Status(Code::Usage, "The stream is cancelled.");
}

Status
SharedVm::stream(const std::function<Status(Executor &, StreamScope &)> &body) {
  Lock lock = enter();
  VM_RETURN_IF_ERROR(checkNoStream());
  VM_RETURN_IF_ERROR(machine_->checkProgram());
  streaming_ = true;
  streamCancelled_ = false;
  StreamScope scope(*this, lock);
  Status status;
  {
    struct Reset {
      ~Reset() { streaming = false; } // Also when memory runs out.
      bool &streaming;
    } reset{streaming_};
    status = body(*machine_->executor(), scope);
  }
  if (std::exchange(lost_, false))
    status = outcome_;
  return giveUpIfLost(lock, std::move(status));
}

} // namespace vm
