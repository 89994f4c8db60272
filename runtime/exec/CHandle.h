//===- CHandle.h - common code of C entry points --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every entry point runs inside `call`, which catches exceptions, stores the
// sentence of a failure, and makes new validation messages a failure.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/exec/SharedVm.h"
#include "runtime/include/gpuvm.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <thread>

namespace vm {

/// The sentence of the last failure. Without memory for it, a shorter one.
class ErrorText {
public:
  const char *get() const { return fixed_ ? fixed_ : text_.c_str(); }
  void set(const std::string &text) {
    text_ = text;
    fixed_ = nullptr;
  }
  void setFixed(const char *text) { fixed_ = text; }

private:
  std::string text_;
  const char *fixed_ = nullptr;
};

/// The last failures of a VM, one for each thread that has had any.
class ErrorTexts {
public:
  /// This thread's; it stays where it is.
  ErrorText &mine() {
    std::lock_guard lock(mutex_);
    return texts_[std::this_thread::get_id()];
  }
  const char *get() const {
    std::lock_guard lock(mutex_);
    auto found = texts_.find(std::this_thread::get_id());
    return found == texts_.end() ? "" : found->second.get();
  }

private:
  mutable std::mutex mutex_;
  std::map<std::thread::id, ErrorText> texts_;
};

} // namespace vm

struct gpuvm_vm {
  explicit gpuvm_vm(std::unique_ptr<vm::Vm> machine)
      : validation(machine->validation()), shared(std::move(machine)) {
    errors.mine(); // This thread needs no memory to say that there is none.
  }

  std::shared_ptr<vm::ValidationSink> validation;
  mutable vm::SharedVm shared;
  vm::ErrorTexts errors;
  std::mutex messagesMutex;
  std::deque<std::string> messages; ///< What vm_validation_message points to.
  std::string profile;              ///< What vm_profile points to.
};

namespace vm {

/// The last failure of a vm_boot or vm_shutdown of this thread.
ErrorText &bootError();

/// Without memory even for this thread's place there is nothing to say.
template <typename Error>
int noMemory(Error error, const char *what = "The host has no memory left.") {
  try {
    error().setFixed(what);
  } catch (const std::bad_alloc &) {
    return GPUVM_ERROR_OUT_OF_MEMORY;
  }
  return GPUVM_ERROR_OUT_OF_MEMORY;
}

/// Runs `body`, which returns a Status, keeps its exceptions and the sentence
/// of its failure in what `error()` returns.
template <typename Error, typename Body> int guard(Error error, Body body) {
  try {
    Status status = body();
    if (!status.ok())
      error().set(status.message());
    return static_cast<int>(status.code());
  } catch (const std::bad_alloc &) {
    return noMemory(error);
  } catch (const std::system_error &) { // The validation layer starts threads.
    return noMemory(error, "The host has no memory left for a thread.");
  } catch (...) {
    error().setFixed("The runtime fails unexpectedly (a C++ exception).");
    return GPUVM_ERROR_USAGE;
  }
}

Status nullPointer(const char *what);

/// Runs `body()` for an entry point with a VM.
template <typename Body> int guardVm(gpuvm_vm *vm, Body body) {
  if (!vm)
    return guard(bootError, [] { return nullPointer("vm"); });
  auto error = [&]() -> ErrorText & { return vm->errors.mine(); };
  return guard(error, [&] {
    Status status = body();
    return status.ok() ? vm->validation->takeStatus() : status;
  });
}

/// Runs `body(machine)` with no other thread in the VM, also while a stream or
/// an execution of another thread goes on.
template <typename Body> int call(gpuvm_vm *vm, Body body) {
  return guardVm(vm, [&] { return vm->shared.call(body); });
}

/// The same for a body that needs a program, and gets its executor.
template <typename Body> int callProgram(gpuvm_vm *vm, Body body) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(machine.checkProgram());
    return body(*machine.executor());
  });
}

inline uint64_t nanoseconds(uint64_t milliseconds) {
  constexpr uint64_t kNsPerMs = 1'000'000;
  return milliseconds > UINT64_MAX / kNsPerMs ? UINT64_MAX
                                              : milliseconds * kNsPerMs;
}

/// Checks a buffer an application gives: null only if it is empty.
inline Status checkData(const void *data, size_t size) {
  return data || size == 0 ? Status() : nullPointer("data");
}

inline std::span<const uint8_t> inBytes(const void *data, size_t size) {
  return {static_cast<const uint8_t *>(data), size};
}

inline std::span<uint8_t> outBytes(void *data, size_t size) {
  return {static_cast<uint8_t *>(data), size};
}

} // namespace vm
