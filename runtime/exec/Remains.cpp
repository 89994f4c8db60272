//===- Remains.cpp - abandoned executions ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list for the process. It is never destroyed: at the end of the process
// kernels may still run.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Remains.h"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace vm {

namespace {
struct List {
  std::mutex mutex;
  std::vector<std::unique_ptr<Remains>> entries;
};
} // namespace

/// A child of fork(2) has neither the threads of its parent's drivers nor the
/// one that may have held the mutex: it gets a list of its own, and what was in
/// the other one stays as it is there.
static List &list() {
  static List *list = new List;
  static std::once_flag once;
  std::call_once(
      once, [] { pthread_atfork(nullptr, nullptr, [] { list = new List; }); });
  return *list;
}

void keepWhileBusy(std::unique_ptr<Remains> remains) {
  std::lock_guard lock(list().mutex);
  list().entries.push_back(std::move(remains));
}

size_t freeFinishedRemains() {
  std::lock_guard lock(list().mutex);
  std::erase_if(list().entries, [](const std::unique_ptr<Remains> &remains) {
    return !remains->executor->busy();
  });
  return list().entries.size();
}

} // namespace vm
