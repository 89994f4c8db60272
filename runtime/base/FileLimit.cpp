//===- FileLimit.cpp - writes that end no process -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both signals are sent to the thread that writes: blocked there meanwhile,
// they can be taken back.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/FileLimit.h"

#include <cerrno>
#include <ctime>

#include <unistd.h>

ssize_t vm::writeWithoutSignal(int fd, std::span<const uint8_t> bytes) {
  constexpr int kSignals[] = {SIGXFSZ, SIGPIPE};
  sigset_t signals, mask, pending;
  sigemptyset(&signals);
  for (int signal : kSignals)
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, &mask);
  sigpending(&pending);
  ssize_t written = ::write(fd, bytes.data(), bytes.size());
  int error = errno;
  for (int signal : kSignals)
    if (sigismember(&pending, signal))
      sigdelset(&signals, signal); // Not of this write.
  constexpr timespec kNow = {};
  if (written < 0 && (error == EFBIG || error == EPIPE))
    sigtimedwait(&signals, nullptr, &kNow);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  errno = error;
  return written;
}
