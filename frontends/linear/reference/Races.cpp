//===- Races.cpp - accesses that no order covers --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/reference/Races.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace vm::linear {

const char *toString(RaceKind kind) {
  switch (kind) {
  case RaceKind::Collision:
    return "collision";
  case RaceKind::Wait:
    return "wait";
  case RaceKind::Slot:
    break;
  }
  return "slot";
}

namespace {

/// What a fiber knows of others: up to which of their times it is ordered
/// after them. Fibers are ascending.
using Clock = std::vector<std::pair<uint32_t, uint32_t>>;
using SharedClock = std::shared_ptr<const Clock>;

/// A machine from its start to its end. A slot has several, one after another.
struct Fiber {
  uint32_t machine;
  bool wasSpawned = false;
  uint32_t time = 1;       ///< Goes up where others may come to know of it.
  uint32_t generation = 0; ///< Of `known`, which is empty in later ones.
  SharedClock known = {};
};

/// Something that a fiber did.
struct Event {
  uint32_t fiber;
  uint32_t time;
  uint32_t line;
};

/// A WRITE, with what its fiber knew.
struct Write {
  Event event;
  float value;
  SharedClock known = {};
};

struct PassedWait {
  Event event;
  float bound;
};

/// What was done to an address in this generation, in `independent` phases
/// since the phase began.
struct Address {
  uint32_t generation = 0;
  float before = 0;          ///< What it held before the first of `writes`.
  std::vector<Write> writes; ///< In their order.
  bool isAscending = true;   ///< Each at least the one before.
  std::unordered_map<uint32_t, Event> reads; ///< Since the last one, by fiber.
  std::vector<PassedWait> waits;
};

} // namespace

struct RaceChecker::State {
  uint32_t phase;
  bool independent;
  uint32_t generation = 0; ///< Resumptions.
  std::vector<Fiber> fibers;
  std::vector<uint32_t> current; ///< The fiber of each machine.
  std::unordered_map<uint32_t, Address> addresses;
  std::map<std::pair<uint32_t, RaceKind>, Race> races;

  /// Of this generation.
  std::vector<Event> kills, spawns;
  /// SPAWNs that are not ordered, and the first VMID of a spawned machine.
  std::optional<std::pair<Event, Event>> unorderedSpawns;
  bool isNumberSeen = false;

  Event eventOf(uint32_t machine, uint32_t line) const {
    uint32_t fiber = current[machine];
    return {fiber, fibers[fiber].time, line};
  }
  SharedClock knownTo(uint32_t fiber) const {
    const Fiber &f = fibers[fiber];
    return f.generation == generation ? f.known : nullptr;
  }
  Address &addressAt(uint32_t address);
  bool isOrdered(const Event &first, const Event &second) const;
  void learn(uint32_t fiber, const Event &event, const SharedClock &known);
  void report(RaceKind kind, uint32_t address, const Event &first,
              const Event &second);
  void reportSlot(const Event &first, const Event &second) {
    if (!independent)
      report(RaceKind::Slot, 0, first, second);
  }
  const Write *findFirstPassing(uint32_t address, const Address &at,
                                float bound, const Event &event);
};

/// Everything before a resumption is ordered before all that comes after.
Address &RaceChecker::State::addressAt(uint32_t address) {
  Address &at = addresses[address];
  if (at.generation != generation && !independent)
    at = Address();
  at.generation = generation;
  return at;
}

/// Of two events of one generation, the first one seen before. In an
/// `independent` phase nothing but being of one machine counts.
bool RaceChecker::State::isOrdered(const Event &first,
                                   const Event &second) const {
  if (independent)
    return fibers[first.fiber].machine == fibers[second.fiber].machine;
  if (first.fiber == second.fiber)
    return true;
  SharedClock known = knownTo(second.fiber);
  if (!known)
    return false;
  auto found = std::ranges::lower_bound(*known, first.fiber, {},
                                        &Clock::value_type::first);
  return found != known->end() && found->first == first.fiber &&
         found->second >= first.time;
}

/// Adds to a clock what another one knows.
static Clock merge(const Clock &a, const Clock &b) {
  Clock all(a.size() + b.size());
  std::ranges::merge(a, b, all.begin());
  Clock result;
  for (const auto &[fiber, time] : all)
    if (!result.empty() && result.back().first == fiber)
      result.back().second = time; // The later one: pairs are ascending.
    else
      result.emplace_back(fiber, time);
  return result;
}

/// From here on `fiber` is after `event` and all that its fiber knew.
void RaceChecker::State::learn(uint32_t fiber, const Event &event,
                               const SharedClock &known) {
  if (isOrdered(event, {fiber, 0, 0}))
    return;
  Clock clock = {{event.fiber, event.time}};
  if (known)
    clock = merge(clock, *known);
  if (SharedClock old = knownTo(fiber))
    clock = merge(clock, *old);
  fibers[fiber].known = std::make_shared<const Clock>(std::move(clock));
  fibers[fiber].generation = generation;
}

void RaceChecker::State::report(RaceKind kind, uint32_t address,
                                const Event &first, const Event &second) {
  Race race = {phase,
               address,
               kind,
               {fibers[first.fiber].machine, fibers[second.fiber].machine},
               {first.line, second.line}};
  races.try_emplace({address, kind}, race);
}

RaceChecker::RaceChecker(uint32_t phase, bool independent, uint32_t machines)
    : state_(std::make_unique<State>()) {
  state_->phase = phase;
  state_->independent = independent;
  for (uint32_t i = 0; i < machines; ++i) {
    state_->fibers.push_back({.machine = i});
    state_->current.push_back(i);
  }
}

RaceChecker::~RaceChecker() = default;

//===--- Accesses ---------------------------------------------------------===//

void RaceChecker::read(uint32_t machine, uint32_t address, uint32_t line) {
  Address &at = state_->addressAt(address);
  Event event = state_->eventOf(machine, line);
  if (!at.writes.empty() && !state_->isOrdered(at.writes.back().event, event))
    state_->report(RaceKind::Collision, address, at.writes.back().event, event);
  at.reads[event.fiber] = event;
}

void RaceChecker::write(uint32_t machine, uint32_t address, float old,
                        float value, uint32_t line) {
  Address &at = state_->addressAt(address);
  Event event = state_->eventOf(machine, line);
  auto collide = [&](const Event &earlier) {
    if (!state_->isOrdered(earlier, event))
      state_->report(RaceKind::Collision, address, earlier, event);
  };
  if (at.writes.empty())
    at.before = old;
  else
    collide(at.writes.back().event);
  for (const auto &[fiber, earlier] : at.reads)
    collide(earlier);
  at.reads.clear();
  if (!(value >= old)) {
    at.isAscending = false;
    for (const PassedWait &wait : at.waits)
      if (!(value >= wait.bound) && !state_->independent &&
          !state_->isOrdered(wait.event, event))
        state_->report(RaceKind::Wait, address, wait.event, event);
  }
  at.writes.push_back({event, value, state_->knownTo(event.fiber)});
  ++state_->fibers[event.fiber].time;
}

/// The first of the last WRITEs all of which let a WAIT for `bound` pass; null
/// if it passes without one. On the way those that end the condition must be
/// before the WAIT.
const Write *RaceChecker::State::findFirstPassing(uint32_t address,
                                                  const Address &at,
                                                  float bound,
                                                  const Event &event) {
  bool holds = at.before >= bound;
  if (at.isAscending) {
    auto passes = [&](const Write &write) { return write.value >= bound; };
    auto first = std::ranges::partition_point(at.writes, std::not_fn(passes));
    return holds || first == at.writes.end() ? nullptr : &*first;
  }
  const Write *first = nullptr;
  for (const Write &write : at.writes) {
    bool held = std::exchange(holds, write.value >= bound);
    if (held && !holds && !isOrdered(write.event, event))
      report(RaceKind::Wait, address, write.event, event);
    if (held != holds)
      first = holds ? &write : nullptr;
  }
  return first;
}

void RaceChecker::wait(uint32_t machine, uint32_t address, float bound,
                       bool passes, uint32_t line) {
  if (state_->independent)
    return;
  Address &at = state_->addressAt(address);
  Event event = state_->eventOf(machine, line);
  const Write *write = state_->findFirstPassing(address, at, bound, event);
  if (passes && write)
    state_->learn(event.fiber, write->event, write->known);
  if (passes)
    at.waits.push_back({event, bound});
}

//===--- Machines ---------------------------------------------------------===//

void RaceChecker::spawn(uint32_t spawner, uint32_t machine, uint32_t line) {
  Event event = state_->eventOf(spawner, line);
  for (const Event &kill : state_->kills)
    if (!state_->isOrdered(kill, event)) {
      state_->reportSlot(kill, event);
      break;
    }
  auto &spawns = state_->spawns;
  if (!spawns.empty() && !state_->isOrdered(spawns.back(), event))
    state_->unorderedSpawns = {spawns.back(), event};
  spawns.push_back(event);
  auto fiber = static_cast<uint32_t>(state_->fibers.size());
  state_->fibers.push_back({.machine = machine, .wasSpawned = true});
  state_->current[machine] = fiber;
  if (!state_->independent)
    state_->learn(fiber, event, state_->knownTo(event.fiber));
  ++state_->fibers[event.fiber].time;
}

void RaceChecker::blockedSpawn(uint32_t machine, uint32_t line) {
  Event event = state_->eventOf(machine, line);
  state_->reportSlot(event, event);
}

void RaceChecker::kill(uint32_t machine, uint32_t line) {
  Event event = state_->eventOf(machine, line);
  for (const Event &spawn : state_->spawns)
    if (!state_->isOrdered(spawn, event)) {
      state_->reportSlot(spawn, event);
      break;
    }
  state_->kills.push_back(event);
}

void RaceChecker::vmId(uint32_t machine, uint32_t) {
  state_->isNumberSeen |= state_->fibers[state_->current[machine]].wasSpawned;
}

void RaceChecker::resume() {
  ++state_->generation;
  state_->kills.clear();
  state_->spawns.clear();
}

std::vector<Race> RaceChecker::finish() {
  if (state_->unorderedSpawns && state_->isNumberSeen)
    state_->reportSlot(state_->unorderedSpawns->first,
                       state_->unorderedSpawns->second);
  std::vector<Race> all;
  for (const auto &[key, race] : state_->races)
    all.push_back(race);
  return all;
}

} // namespace vm::linear
