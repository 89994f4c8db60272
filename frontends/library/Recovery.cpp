//===- Recovery.cpp - a crash of the compiler ends a compilation ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/library/Recovery.h"

#include "llvm/Support/CrashRecoveryContext.h"

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <vector>

using llvm::CrashRecoveryContext;

namespace {
/// While one exists, signals that mean a crash are caught.
class CaughtSignals {
public:
  CaughtSignals();
  ~CaughtSignals();
};

struct Work {
  llvm::function_ref<void()> run;
  bool isDone = false;
};
} // namespace

/// Only what a compiler needs of it is mapped.
static constexpr size_t kStackBytes = size_t(256) << 20;

static std::mutex mutex;
static unsigned running = 0; ///< CaughtSignals that exist.

/// LLVM's handlers run on the stack of the thread, which may be the full one.
static void useOtherStack() {
  for (int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) != 0)
      continue;
    action.sa_flags |= SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

CaughtSignals::CaughtSignals() {
  std::lock_guard lock(mutex);
  if (running++ != 0)
    return;
  CrashRecoveryContext::Enable();
  useOtherStack();
}

CaughtSignals::~CaughtSignals() {
  std::lock_guard lock(mutex);
  if (--running == 0)
    CrashRecoveryContext::Disable();
}

static void *runThread(void *argument) {
  auto &work = *static_cast<Work *>(argument);
  std::vector<char> handlerStack(size_t(256) << 10);
  stack_t stack = {}, before = {};
  stack.ss_sp = handlerStack.data();
  stack.ss_size = handlerStack.size();
  sigaltstack(&stack, &before);
  {
    CrashRecoveryContext recovery;
    work.isDone = recovery.RunSafely(work.run);
  }
  sigaltstack(&before, nullptr);
  return nullptr;
}

static bool runOnThread(Work &work) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_t thread;
  bool isStarted = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                   pthread_create(&thread, &attributes, runThread, &work) == 0;
  pthread_attr_destroy(&attributes);
  return isStarted && pthread_join(thread, nullptr) == 0;
}

vm::Outcome vm::runRecovered(llvm::function_ref<void()> run) {
  Work work{run};
  const char *isHosts = std::getenv("GPUVM_COMPILER_CRASHES");
  if (isHosts && *isHosts == '1')
    return runOnThread(work) ? Outcome::Done : Outcome::NoThread;
  CaughtSignals signals;
  if (!runOnThread(work))
    return Outcome::NoThread;
  return work.isDone ? Outcome::Done : Outcome::Crashed;
}
