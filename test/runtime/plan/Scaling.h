//===- Scaling.h - work against size, for tests ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vm::test {

struct Measured {
  double work = 0;  ///< As workDone() has it.
  std::string note; ///< What came out, for a failure's message.
};

/// CPU time of this thread, which other processes do not take part in.
double cpuSeconds();

/// What this thread has done: loads of the runtime from memory in a build that
/// counts them (GPUVM_COUNTS_OPERATIONS), else seconds of the CPU.
double workDone();

/// "" if the work for 4 `n` is that for `n` multiplied by what a linear growth
/// makes it (4, some more where things are sorted); else a sentence. A
/// quadratic growth multiplies it by 16. Counts are the same on every machine
/// and at every load. Of times, the shortest of several tries are compared:
/// what else the machine does makes them longer, never shorter. A time that 4
/// `n` steps of 300 ns take is too short to tell; 4 `n` are some 16,000, so a
/// quadratic loop that counts to 16,000^2 takes 10 times that.
std::string findSuperlinear(const std::function<Measured(uint32_t)> &measure,
                            uint32_t n);

} // namespace vm::test
