//===- Remains.cpp - what executions that were given up still use ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list for the process. It is never destroyed: at the end of the process
// kernels may still run.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Remains.h"

#include <mutex>
#include <vector>

namespace vm {

namespace {
struct List {
  std::mutex mutex;
  std::vector<Remains> entries;
};
} // namespace

static List &list() {
  static List &list = *new List;
  return list;
}

void keepWhileBusy(Remains remains) {
  std::lock_guard lock(list().mutex);
  list().entries.push_back(std::move(remains));
}

size_t freeFinishedRemains() {
  std::lock_guard lock(list().mutex);
  std::erase_if(list().entries, [](const Remains &remains) {
    return !remains.executor->busy();
  });
  return list().entries.size();
}

} // namespace vm
