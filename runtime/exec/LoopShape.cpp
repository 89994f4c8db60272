//===- LoopShape.cpp - recorded iterations of repeats ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/LoopShape.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/plan/Repeats.h"

#include <algorithm>

namespace vm {

static uint64_t add(uint64_t a, uint64_t b) {
  return checkedAdd(a, b).value_or(UINT64_MAX);
}
static uint64_t times(uint64_t a, uint64_t b) {
  return checkedMul(a, b).value_or(UINT64_MAX);
}

namespace {
/// The commands of one iteration of a repeat.
struct Iteration {
  uint64_t commands = 0; ///< Those of repeats in it as often as they run.
  bool hasLong = false;  ///< A repeat in it is not short.
  bool hasExchange = false;
};
} // namespace

static bool isShort(const Repeat &repeat, const Iteration &iteration,
                    const RecordLimits &limits) {
  uint64_t limit = repeat.condition ? limits.conditional : limits.fixed;
  return !iteration.hasLong && !iteration.hasExchange &&
         times(iteration.commands, repeat.times) <= limit;
}

static Iteration iterationOf(const Plan &plan, CommandRange body,
                             const RecordLimits &limits) {
  Iteration iteration;
  for (size_t i = body.begin; i < body.end; ++i) {
    auto *repeat = std::get_if<Repeat>(&plan.commands[i].op);
    if (!repeat) {
      iteration.commands = add(iteration.commands, 1);
      iteration.hasExchange |=
          std::holds_alternative<Exchange>(plan.commands[i].op);
      continue;
    }
    CommandRange inner = {i + 1, i + 1 + repeat->commands};
    Iteration own = iterationOf(plan, inner, limits);
    iteration.commands =
        add(iteration.commands, times(own.commands, repeat->times));
    iteration.hasLong |= !isShort(*repeat, own, limits);
    iteration.hasExchange |= own.hasExchange;
    i = inner.end - 1;
  }
  return iteration;
}

LoopShape shapeOf(const Plan &plan, size_t index, const RecordLimits &limits) {
  const Repeat &repeat = std::get<Repeat>(plan.commands[index].op);
  Iteration iteration =
      iterationOf(plan, {index + 1, index + 1 + repeat.commands}, limits);
  LoopShape shape;
  shape.first = repeat.times;
  shape.isShort = isShort(repeat, iteration, limits);
  shape.hasExchange = iteration.hasExchange;
  uint32_t period = periodOf(repeat);
  if (shape.isShort || repeat.times < period)
    return shape;
  uint64_t cycle = period;
  if (!iteration.hasLong && !iteration.hasExchange) {
    uint64_t wanted =
        repeat.condition ? limits.conditionalCycle : limits.fixedCycle;
    cycle *= std::max<uint64_t>(wanted / times(iteration.commands, period), 1);
  }
  shape.cycle = static_cast<uint32_t>(
      std::min<uint64_t>(cycle, repeat.times / period * period));
  shape.cycles = repeat.times / shape.cycle;
  shape.first = repeat.times % shape.cycle;
  return shape;
}

static RecordedCounts countIn(const Plan &plan, CommandRange range,
                              const RecordLimits &limits) {
  RecordedCounts counts;
  for (size_t i = range.begin; i < range.end; ++i) {
    const auto &op = plan.commands[i].op;
    auto *repeat = std::get_if<Repeat>(&op);
    if (!repeat) {
      counts.commands = add(counts.commands, 1);
      counts.clocks = add(counts.clocks, std::holds_alternative<Clock>(op));
      continue;
    }
    CommandRange body = {i + 1, i + 1 + repeat->commands};
    RecordedCounts iteration = countIn(plan, body, limits);
    LoopShape shape = shapeOf(plan, i, limits);
    uint64_t iterations = add(shape.first, shape.cycle);
    counts.commands =
        add(counts.commands, times(iteration.commands, iterations));
    counts.clocks = add(counts.clocks, times(iteration.clocks, iterations));
    uint64_t own = repeat->condition && !shape.isShort;
    counts.questions = add(counts.questions, own);
    counts.questions =
        add(counts.questions, times(iteration.questions, iterations));
    i = body.end - 1;
  }
  return counts;
}

RecordedCounts countRecorded(const Plan &plan, CommandRange range,
                             const RecordLimits &limits) {
  return countIn(plan, range, limits);
}

RecordedCounts countRecorded(const Plan &plan, const RecordLimits &limits) {
  return countIn(plan, {0, plan.commands.size()}, limits);
}

} // namespace vm
