//===- Recovery.h - a crash of the compiler ends a compilation ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace vm {

enum class Outcome { Done, Crashed, NoThread };

/// Runs `work` on a thread of its own, which has a stack for deeply nested
/// texts. A crash there ends it, also where the stack is full; what it held is
/// not freed then. Signals of other threads go to the handlers that were there
/// before, and so do all as soon as no such work runs.
Outcome runRecovered(llvm::function_ref<void()> work);

} // namespace vm
