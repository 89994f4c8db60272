//===- LowMemory.h - exit codes where memory is short ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime looks for memory before it calls a driver. What a driver takes
// beyond that can still fail inside of it, where nothing can be done but to end
// with the exit code for it.
//
//===----------------------------------------------------------------------===//

#pragma once

namespace vm {

/// For a process with a limit (ulimit -v) that loads lavapipe. All threads
/// share one malloc arena, instead of 64 MiB of address space each. A crash
/// within the driver, with next to nothing left of the limit, ends with a
/// sentence of the program `tool` and Code::OutOfMemory. Other crashes are as
/// without. To be called once, by the first thread.
void prepareForLowMemory(const char *tool);

} // namespace vm
