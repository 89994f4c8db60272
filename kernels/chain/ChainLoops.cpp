//===- ChainLoops.cpp - chain steps that do the same become loops ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of steps with a period becomes a loop over a body of one or more
// periods. A body must be at least as long as its steps reach back, so that
// they read their own turn and the one before it, and twice as long where that
// gives what is written and what is read in a step slots of their own. The
// first turn stands before the loop: it makes what the loop begins with.
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/ChainPlan.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Steps of a period at most, and repetitions that make a loop worthwhile.
static constexpr unsigned kMaxPeriod = 16, kMinRepeats = 4;
/// A body is repeated in itself up to so many steps and scalar operations, to
/// spread the cost of the loop.
static constexpr unsigned kMaxUnrolledSteps = 8;
static constexpr int64_t kMaxUnrolledOps = 256;

namespace {
/// The steps [first, first + period * repeats).
struct Run {
  unsigned period = 0, repeats = 0;
  unsigned length() const { return period * repeats; }
};

class LoopFinder {
public:
  explicit LoopFinder(ChainPlan &plan) : plan(plan) { classify(); }
  void run();

private:
  void classify();
  unsigned reachOf(unsigned step) const;
  Run longestRun(unsigned first) const;
  unsigned bodyLength(unsigned first, unsigned period) const;
  bool addLoop(unsigned &next);
  void addStraight(unsigned first, unsigned length);

  ChainPlan &plan;
  SmallVector<unsigned> classOf; ///< Steps of one class may share a body.
};
} // namespace

/// Steps of one kind whose values are also used alike.
void LoopFinder::classify() {
  std::map<std::vector<int64_t>, unsigned> known;
  for (auto [i, step] : llvm::enumerate(plan.steps)) {
    std::vector<int64_t> key = {step.kind};
    for (Value value : step.hold.getHeld()) {
      const HeldValue &held = plan.held.find(value)->second;
      key.push_back(held.lastRead ? held.lastRead - i : 0);
      key.push_back(held.lastShared ? held.lastShared - i : 0);
      llvm::append_range(key, held.shared.set_bits());
      key.push_back(-1);
    }
    classOf.push_back(known.try_emplace(key, known.size()).first->second);
  }
}

/// How far back the values come from that a step reads; copies of inputs are
/// there all the time.
unsigned LoopFinder::reachOf(unsigned step) const {
  unsigned reach = 0;
  for (Value source : plan.steps[step].sources)
    if (!holdsInputs(source.getDefiningOp<flow::HoldOp>()))
      reach = std::max(reach, step - plan.held.find(source)->second.step);
  return reach;
}

Run LoopFinder::longestRun(unsigned first) const {
  Run best;
  for (unsigned period = 1; period <= kMaxPeriod; ++period) {
    unsigned same = 0;
    while (first + same + period < classOf.size() &&
           classOf[first + same] == classOf[first + same + period])
      ++same;
    Run run = {period, same / period + 1};
    if (run.repeats >= kMinRepeats && run.length() > best.length())
      best = run;
  }
  return best;
}

unsigned LoopFinder::bodyLength(unsigned first, unsigned period) const {
  unsigned reach = 0;
  int64_t ops = 0;
  for (unsigned i = first; i < first + period; ++i) {
    reach = std::max(reach, reachOf(i));
    ops += plan.stepOps[i];
  }
  unsigned periods = std::max(1u, llvm::divideCeil(2 * reach, period));
  while (2 * periods * period <= kMaxUnrolledSteps &&
         2 * periods * ops <= kMaxUnrolledOps)
    periods *= 2;
  return periods * period;
}

/// Makes a loop of what begins at step `next`, and goes behind it.
bool LoopFinder::addLoop(unsigned &next) {
  Run run = longestRun(next);
  if (run.repeats == 0)
    return false;
  unsigned length = bodyLength(next, run.period);
  unsigned turns = run.length() / length;
  if (turns < 3) // One before the loop, two in it.
    return false;
  addStraight(next, length);
  plan.segments.push_back({next + length, length, turns - 1});
  next += turns * length;
  return true;
}

void LoopFinder::addStraight(unsigned first, unsigned length) {
  if (!plan.segments.empty() && plan.segments.back().repeats == 1)
    plan.segments.back().length += length;
  else
    plan.segments.push_back({first, length, 1});
}

void LoopFinder::run() {
  unsigned next = 0;
  while (next < plan.steps.size())
    if (!addLoop(next))
      addStraight(next++, 1);
}

void gpuvm::findLoops(ChainPlan &plan) { LoopFinder(plan).run(); }
