//===- CrashReport.cpp - a sentence where a library crashes ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By LLVM's own handler of signals, which has a stack of its own: it runs when
// the other one is full, which llvm::CrashRecoveryContext does not. The
// sentence is made beforehand: a handler may only write and exit.
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"

#include "runtime/base/Status.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <string>
#include <unistd.h>

using namespace mlir::gpuvm;

static std::string sentence;
static std::atomic<bool> isWanted = false;

static void endWithSentence(void * /*unused*/) {
  if (!isWanted)
    return;
  // There is nothing to be done if standard error cannot be written.
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, sentence.data(), sentence.size());
  _exit(static_cast<int>(vm::Code::BadInput));
}

CrashReport::CrashReport(llvm::StringRef tool, llvm::StringRef file) {
  sentence = (tool + ": error: MLIR crashes on the file \"" + file +
              "\". The last error above, if there is one, says where; "
              "otherwise take parts of the file away until it is read.\n")
                 .str();
  // Nothing removes a handler again; the first one made runs first.
  static const bool isAdded = [] {
    llvm::sys::AddSignalHandler(endWithSentence, nullptr);
    return true;
  }();
  isWanted = isAdded;
}

CrashReport::~CrashReport() { isWanted = false; }
