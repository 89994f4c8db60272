//===- CompileLine.cpp - progress of kernel compilation -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/CompileLine.h"

#include "runtime/base/HostEvents.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace vm::run {

/// There is one terminal.
static bool isShown = false;

void clearCompileLine() {
  if (!isShown)
    return;
  // Back to the start of the line, and cleared from there.
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  isShown = false;
}

CompileProgress compileLine() {
  if (!isatty(STDERR_FILENO))
    return {};
  return [startNs = hostNowNs()](size_t done, size_t total) {
    constexpr uint64_t kPatienceNs = 100'000'000;
    if (done == total)
      return clearCompileLine();
    if (hostNowNs() - startNs < kPatienceNs)
      return;
    isShown = true;
    fmt::print(stderr, "\rcompiling kernels {}/{}", done, total);
    std::fflush(stderr);
  };
}

} // namespace vm::run
