//===- BusyLine.h - a progress line of the compiler -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace vm::compile {

/// Says on standard error what the compiler does, once it has been busy for
/// five seconds and every five from then on: on a terminal in one line that is
/// drawn over itself, elsewhere in lines. Says nothing where standard error is
/// closed. GPUVM_BUSY_SECONDS is another number of seconds.
class BusyLine {
public:
  BusyLine();
  ~BusyLine();

  /// What is being done from now on. Any thread may call it.
  void set(const std::string &what);
  /// Takes the line away before something else is said. Any thread may call it.
  void clear();

private:
  void watch();
  void say();

  std::chrono::duration<double> interval;
  const std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  bool isTerminal, isShown = false, isDone = false;
  std::string what = "reading the program";
  std::mutex mutex; ///< Of all above.
  std::condition_variable done;
  std::thread watcher;
};

} // namespace vm::compile
