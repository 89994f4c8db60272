//===- Unroll.cpp - loops of a known trip count ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration of a loop is evaluated with what is known at its beginning,
// along all paths that may be taken, and then the next one with what is known
// at its end. If every iteration either goes on for all machines or ends the
// loop for all, their steps replace the loop, one iteration after the other.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/KnownValues.h"
#include "frontends/linear/modes/Loops.h"

#include <algorithm>
#include <map>

using namespace vm;
using namespace vm::linear;

namespace {
/// Steps of all unrolled loops of a launch that are not linear, nor branches:
/// each is code by itself, of up to a hundred operations.
constexpr size_t kMaxOthers = 256;

/// The steps that an iteration reaches, and the successors of each.
using Turn = std::map<uint32_t, std::vector<uint32_t>>;

class Unroller {
public:
  Unroller(const Program &program, const Launch &launch, Expanded &code,
           size_t most)
      : program(program), launch(launch), code(code), most(most) {}

  unsigned unroll();

private:
  bool unrollOne();
  std::optional<KnownState>
  stateBefore(const Loop &loop,
              const std::vector<std::optional<KnownState>> &known) const;
  bool unrollLoop(const Loop &loop, KnownState state);
  bool followTurn(const Loop &loop, KnownState begin);
  bool fits(const Turn &turn);
  void write(const Loop &loop);
  void closeWays();
  void dropUnreached();

  const Program &program;
  const Launch &launch;
  Expanded &code;
  size_t most;
  size_t others = 0;              ///< Steps of unrolled loops (kMaxOthers).
  std::set<uint32_t> kept;        ///< First steps of loops that stay.
  std::vector<Turn> turns;        ///< Of the loop that is unrolled,
  size_t written = 0;             ///< and their steps.
  std::optional<KnownState> last; ///< Where the last one goes back.
  bool leaves = false;            ///< Whether the last one ends the loop.
};
} // namespace

static void joinInto(std::optional<KnownState> &state,
                     const KnownState &other) {
  if (state)
    state->join(other);
  else
    state = other;
}

/// What is known where machines come to the loop; absent if none does.
std::optional<KnownState> Unroller::stateBefore(
    const Loop &loop,
    const std::vector<std::optional<KnownState>> &known) const {
  uint32_t header = loop.steps.front();
  std::optional<KnownState> state;
  if (header == 0)
    state = stateAtFirst(launch, code);
  for (uint32_t step = 0; step < code.steps.size(); ++step) {
    if (!known[step] || loop.isIn[step])
      continue;
    for (uint32_t next : nextSteps(program, code, step, *known[step]))
      if (next == header) {
        KnownState after = *known[step];
        follow(program, code, step, after);
        joinInto(state, after);
      }
  }
  return state;
}

/// An iteration that begins with `begin`; false if it neither goes on nor ends
/// the loop for all machines.
bool Unroller::followTurn(const Loop &loop, KnownState begin) {
  uint32_t header = loop.steps.front();
  Turn &turn = turns.emplace_back();
  std::map<uint32_t, KnownState> before;
  before.emplace(header, std::move(begin));
  last.reset();
  leaves = false;
  for (uint32_t step : loop.steps) {
    auto known = before.find(step);
    if (known == before.end())
      continue;
    KnownState after = known->second;
    turn[step] = nextSteps(program, code, step, after);
    follow(program, code, step, after);
    for (uint32_t next : turn[step]) {
      leaves |= !loop.isIn[next];
      if (next == header)
        joinInto(last, after);
      else if (auto other = before.find(next); other != before.end())
        other->second.join(after);
      else
        before.emplace(next, after);
    }
  }
  return !(last && leaves);
}

/// Counts what is written for an iteration.
bool Unroller::fits(const Turn &turn) {
  for (const auto &[step, next] : turn) {
    const Instruction &own = program.instructions[code.steps[step].instruction];
    Class cls = lookUpOpcode(uint32_t(own.opcode))->cls;
    others += cls == Class::Oracle || cls == Class::Io;
  }
  written += turn.size();
  return others <= kMaxOthers && code.steps.size() + written <= most;
}

bool Unroller::unrollLoop(const Loop &loop, KnownState state) {
  size_t before = others;
  turns.clear();
  written = 0;
  last = std::move(state);
  while (last)
    if (!followTurn(loop, *last) || !fits(turns.back())) {
      others = before;
      return false;
    }
  write(loop);
  return true;
}

/// Copies of the steps of each iteration; the loop itself is no longer reached.
void Unroller::write(const Loop &loop) {
  uint32_t header = loop.steps.front();
  std::vector<std::map<uint32_t, uint32_t>> copies(turns.size());
  for (size_t t = 0; t < turns.size(); ++t)
    for (const auto &[step, next] : turns[t]) {
      copies[t][step] = code.steps.size();
      code.steps.push_back(
          {code.steps[step].instruction, code.steps[step].frame, {}});
    }
  for (size_t t = 0; t < turns.size(); ++t)
    for (const auto &[step, next] : turns[t])
      for (uint32_t target : next) {
        const auto &own = target == header && t + 1 < turns.size()
                              ? copies[t + 1]
                              : copies[t];
        auto copy = own.find(target);
        code.steps[copies[t][step]].next.push_back(
            copy == own.end() ? target : copy->second);
      }
  uint32_t first = copies.front().at(header);
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (step >= loop.isIn.size() || !loop.isIn[step])
      std::ranges::replace(code.steps[step].next, header, first);
  if (header == 0) // A machine begins there.
    code.steps[0] = code.steps[first];
}

/// Unrolls one loop; false if none can be.
bool Unroller::unrollOne() {
  auto known = findKnown(program, launch, code);
  for (const Loop &loop : findInnerLoops(code)) {
    if (kept.contains(loop.steps.front()))
      continue;
    std::optional<KnownState> state = stateBefore(loop, known);
    if (state && unrollLoop(loop, std::move(*state)))
      return true;
    kept.insert(loop.steps.front());
  }
  return false;
}

/// A branch that is never, or always, taken has one way.
void Unroller::closeWays() {
  auto known = findKnown(program, launch, code);
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (known[step])
      code.steps[step].next = nextSteps(program, code, step, *known[step]);
}

void Unroller::dropUnreached() {
  std::vector<uint32_t> reached = {0};
  std::map<uint32_t, uint32_t> numbers = {{0, 0}};
  for (size_t i = 0; i < reached.size(); ++i)
    for (uint32_t next : code.steps[reached[i]].next)
      if (numbers.try_emplace(next, numbers.size()).second)
        reached.push_back(next);
  std::vector<Expanded::Step> steps;
  for (uint32_t step : reached) {
    steps.push_back(std::move(code.steps[step]));
    for (uint32_t &next : steps.back().next)
      next = numbers.at(next);
  }
  code.steps = std::move(steps);
  std::vector<uint32_t> writes;
  for (uint32_t write : code.writes)
    if (auto own = numbers.find(write); own != numbers.end())
      writes.push_back(own->second);
  code.writes = std::move(writes);
  std::set<uint32_t> loops;
  for (uint32_t loop : kept)
    if (auto own = numbers.find(loop); own != numbers.end())
      loops.insert(own->second);
  kept = std::move(loops);
}

unsigned Unroller::unroll() {
  unsigned count = 0;
  while (unrollOne()) {
    ++count;
    dropUnreached();
  }
  closeWays();
  dropUnreached();
  return count;
}

unsigned vm::linear::unrollLoops(const Program &program, const Launch &launch,
                                 Expanded &code, size_t most) {
  return Unroller(program, launch, code, most).unroll();
}
