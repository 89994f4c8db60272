//===- LowMemory.cpp - exit codes where memory is short -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler calls only what signal(7) says a handler may call.
//
//===----------------------------------------------------------------------===//

#include "tools/common/LowMemory.h"

#include "runtime/base/AddressSpace.h"
#include "runtime/base/DriverCalls.h"
#include "runtime/device/DriverManifests.h"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <tuple>

namespace vm {

/// With less left where lavapipe crashes, the first suspicion is a malloc or a
/// thread's stack that it could not have.
static constexpr uint64_t kNextToNothing = 96u << 20;

/// Made beforehand: a handler may not allocate.
static std::string sentence;

static void endCrash(int signal) {
  std::optional<uint64_t> free = freeAddressSpace();
  if (DriverCall::isInside() && free && *free < kNextToNothing) {
    // If standard error is closed, there is nothing to tell.
    std::ignore = write(STDERR_FILENO, sentence.data(), sentence.size());
    _exit(static_cast<int>(Code::OutOfMemory));
  }
  // As if there were no handler: the signal comes again.
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void prepareForLowMemory(const char *tool) {
  DriverCall::isOurThread();
  if (!freeAddressSpace() || !loaderFindsLavapipe())
    return;
  sentence = fmt::format(
      "{}: error: The Vulkan driver crashed with next to nothing left of the "
      "address space that this process may take (ulimit -v).\n",
      tool);
  mallopt(M_ARENA_MAX, 1);
  struct sigaction action = {};
  action.sa_handler = endCrash;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT})
    sigaction(signal, &action, nullptr);
}

} // namespace vm
