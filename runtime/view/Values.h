//===- Values.h - what lies in memory while a plan runs
//-----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is what one command leaves in a window, from then until its last
// reader. Values show what flows from command to command, and how much of a
// region is in use when.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace vm {

/// One command that reads a value.
struct ValueReader {
  uint32_t command = 0;
  uint64_t bytes = 0; ///< How many of the value's.
};

struct Value {
  Window window;
  /// Not given: it was there before (an input, initial data, what an earlier
  /// execution left).
  std::optional<uint32_t> writer;
  std::vector<ValueReader> readers; ///< By their commands.
  /// Whether the host or another execution can read it at the end.
  bool isKept = false;
  uint32_t program = 0;
  /// The commands [begin, end] during which its bytes are needed: all of a
  /// repeat if they are carried to another iteration.
  uint32_t begin = 0, end = 0;
};

struct PlanValues {
  std::vector<Value> values; ///< By program, then in the order they are made.
  /// Whether there are more readers than kMaxReaders: what comes after them is
  /// not listed, and lifetimes may be longer than they say.
  bool areReadersLeftOut = false;
};

/// Those of all programs. A command that some devices do without reads what it
/// overwrites: there it is still needed. The plan must satisfy verifyPlan. O(n
/// log n) in accesses and readers; Code::DeviceLost when the deadline is over.
Result<PlanValues> findValues(const Plan &plan, const Deadline &deadline = {});

/// Readers of all values together that findValues lists.
inline constexpr size_t kMaxReaders = 1 << 20;

} // namespace vm
