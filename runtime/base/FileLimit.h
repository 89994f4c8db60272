//===- FileLimit.h - writes that end no process ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that writes past a limit to the size of files (ulimit -f), or to a
// pipe without a reader, gets a signal, which ends it before it can say what is
// wrong.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <csignal>
#include <cstdint>
#include <span>

#include <sys/types.h>

namespace vm {

/// write(2), where these two are errors only, EFBIG and EPIPE.
ssize_t writeWithoutSignal(int fd, std::span<const uint8_t> bytes);

/// From now on such a limit is an error for all of the process. For programs,
/// not for libraries. A handler, and not SIG_IGN, which processes that are
/// started would inherit.
inline void surviveFileLimit() {
  std::signal(SIGXFSZ, [](int) {});
}

} // namespace vm
