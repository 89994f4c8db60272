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

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <tuple>

namespace vm::run {

/// With less left where lavapipe crashes, the first suspicion is a malloc or a
/// thread's stack that it could not have.
static constexpr uint64_t kNextToNothing = 96u << 20;

static void endCrash(int signal) {
  std::optional<uint64_t> free = freeAddressSpace();
  if (DriverCall::isInside() && free && *free < kNextToNothing) {
    constexpr std::string_view kSentence =
        "gpuvm-run: error: The Vulkan driver crashed with next to nothing left "
        "of the address space that this process may take (ulimit -v).\n";
    // Whoever has closed standard error does not want to know.
    std::ignore = write(STDERR_FILENO, kSentence.data(), kSentence.size());
    _exit(static_cast<int>(Code::OutOfMemory));
  }
  // As if there were no handler: the signal comes again.
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void prepareForLowMemory() {
  DriverCall::isOurThread();
  if (!freeAddressSpace() || !loaderFindsLavapipe())
    return;
  mallopt(M_ARENA_MAX, 1);
  struct sigaction action = {};
  action.sa_handler = endCrash;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT})
    sigaction(signal, &action, nullptr);
}

} // namespace vm::run
