//===- LoopShape.h - recorded iterations of repeats -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short repeat is recorded iteration by iteration among the commands around
// it. Of a long one a few iterations are recorded, in command buffers of their
// own that an execution submits as often as needed: the cost does not depend on
// the number of iterations.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/Programs.h"

#include <cstddef>
#include <cstdint>

namespace vm {

/// The commands of repeats, counted each time they run, up to which these are
/// recorded iteration by iteration.
struct RecordLimits {
  uint64_t fixed = 16384;
  /// Those with a condition: iterations after the end take their time too.
  uint64_t conditional = 1024;
  /// A cycle of a long repeat has about so many. On an H200 a command buffer
  /// takes 1.4 us more than its commands; those with a condition run whole
  /// cycles.
  uint64_t fixedCycle = 2048;
  uint64_t conditionalCycle = 64;
};

/// The iterations of one repeat, which is long if it has an exchange: `first`,
/// then `cycle` iterations `cycles` times. After `first` and after each cycle
/// its windows are in their own places.
struct LoopShape {
  bool isShort = true; ///< Only `first`, and among the commands around it.
  bool hasExchange = false;
  uint32_t first = 0, cycle = 0, cycles = 0;
};

/// The shape of the repeat that is command `index`.
LoopShape shapeOf(const Plan &plan, size_t index,
                  const RecordLimits &limits = {});

/// What is recorded, each time that it is.
struct RecordedCounts {
  uint64_t commands = 0;
  uint64_t clocks = 0;    ///< Of those.
  uint64_t questions = 0; ///< Long repeats with a condition.
};
/// Of all commands, or of some; at most UINT64_MAX each.
RecordedCounts countRecorded(const Plan &plan, const RecordLimits &limits = {});
RecordedCounts countRecorded(const Plan &plan, CommandRange range,
                             const RecordLimits &limits = {});

} // namespace vm
