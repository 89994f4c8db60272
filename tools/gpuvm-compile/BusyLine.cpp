//===- BusyLine.cpp - a progress line of the compiler ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-compile/BusyLine.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace vm::compile {

static std::chrono::duration<double> chooseInterval() {
  const char *text = std::getenv("GPUVM_BUSY_SECONDS");
  double seconds = text ? std::strtod(text, nullptr) : 0;
  return std::chrono::duration<double>(seconds > 0 ? seconds : 5);
}

BusyLine::BusyLine()
    : interval(chooseInterval()), isTerminal(isatty(STDERR_FILENO)) {
  bool isOpen = fcntl(STDERR_FILENO, F_GETFD) != -1;
  if (!isOpen)
    return;
  try {
    watcher = std::thread([this] { watch(); });
  } catch (const std::system_error &) {
    watcher = {}; // There is no room for a thread: the line is left out.
  }
}

BusyLine::~BusyLine() {
  clear();
  {
    std::lock_guard lock(mutex);
    isDone = true;
  }
  done.notify_one();
  if (watcher.joinable())
    watcher.join();
}

void BusyLine::set(const std::string &now) {
  std::lock_guard lock(mutex);
  what = now;
}

void BusyLine::clear() {
  std::lock_guard lock(mutex);
  if (!isShown)
    return;
  // Back to the start of the line, and cleared from there.
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  isShown = false;
}

void BusyLine::say() {
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::string line =
      fmt::format("gpuvm-compile: {:.0f} s: {}", seconds.count(), what);
  if (isTerminal)
    fmt::print(stderr, "\r{}\x1b[K", line);
  else
    fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
  isShown = isTerminal;
}

void BusyLine::watch() {
  std::unique_lock lock(mutex);
  while (!done.wait_for(lock, interval, [this] { return isDone; }))
    say();
}

} // namespace vm::compile
