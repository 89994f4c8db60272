//===- Scheduler.cpp - the epochs of a phase ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/reference/Scheduler.h"

#include "frontends/linear/reference/WorkerTeam.h"

#include <algorithm>

namespace vm::linear {

/// Fewer machines are executed by one thread: waking others takes longer.
static constexpr uint64_t kFewMachines = 1024;

//===--- Launch -----------------------------------------------------------===//

Scheduler::Scheduler(const Program &program, uint32_t phase,
                     const Executor &executor, SharedMemory &memory,
                     const RunOptions &options)
    : program_(program), executor_(executor), memory_(memory),
      budget_(
          options.budget.value_or(program.budgetOf(program.phases[phase]))) {
  const Phase &launched = program.phases[phase];
  machines_.resize(launched.machines());
  slices_.resize(std::clamp(options.threads, 1u, 256u));
  for (Slice &slice : slices_)
    slice.effects.wantsAccesses = options.checkRaces;
  if (options.jitterSeed) {
    random_.emplace(*options.jitterSeed + phase);
    held_.resize(machines_.size());
    budget_ *= kJitterBudget;
  }
  if (options.checkRaces)
    checker_ = std::make_unique<RaceChecker>(phase, launched.independent,
                                             launched.machines());
  if (slices_.size() > 1 && machines_.size() >= kFewMachines)
    team_ = std::make_unique<WorkerTeam>(
        slices_.size(), [this](unsigned i) { executeSlice(slices_[i]); });
  launch(launched);
}

Scheduler::~Scheduler() = default;

void Scheduler::launch(const Phase &phase) {
  uint32_t id = 0;
  for (uint32_t i = 0; i < phase.launches.size(); ++i) {
    const Launch &launch = phase.launches[i];
    Machine first;
    first.launch = i;
    first.x[0] = static_cast<float>(program_.routines[launch.routine].first);
    for (const Launch::Initial &initial : launch.initial)
      first.x[initial.element] =
          executor_.rounded(std::bit_cast<float>(initial.bits));
    for (uint32_t k = 0; k < launch.count; ++k, ++id) {
      machines_[id] = first;
      makeRunning(id);
    }
  }
  for (; id < machines_.size(); ++id)
    free_.push(id);
}

void Scheduler::makeRunning(uint32_t id) {
  machines_[id].status = MachineStatus::Running;
  slices_[uint64_t(id) * slices_.size() / machines_.size()] //
      .running.push_back(id);
}

uint64_t Scheduler::countRunning() const {
  uint64_t sum = 0;
  for (const Slice &slice : slices_)
    sum += slice.running.size();
  return sum;
}

//===--- Epochs -----------------------------------------------------------===//

bool Scheduler::run(uint64_t &stepsLeft) {
  for (;;) {
    wake();
    if (std::optional<End> end = findEnd()) {
      counts_[kEnd] = static_cast<int64_t>(*end);
      return true;
    }
    uint64_t steps = countRunning();
    if (steps > stepsLeft)
      return false;
    stepsLeft -= steps;
    ++counts_[kEpochs];
    execute();
    commit();
  }
}

void Scheduler::wake() {
  std::erase_if(blocked_, [&](uint32_t id) {
    const Machine &machine = machines_[id];
    bool wakes = executor_.standsAtSpawn(machine)
                     ? !free_.empty()
                     : executor_.wouldPass(machine);
    if (wakes)
      makeRunning(id);
    return wakes;
  });
  if (!yielded_.empty() && countRunning() == 0)
    resumeYielded();
}

void Scheduler::resumeYielded() {
  for (uint32_t id : yielded_) {
    machines_[id].x[0] += 1;
    makeRunning(id);
  }
  yielded_.clear();
  if (checker_)
    checker_->resume();
}

std::optional<End> Scheduler::findEnd() const {
  if (countRunning() != 0)
    return uint64_t(counts_[kEpochs]) < budget_ ? std::nullopt
                                                : std::optional(End::Budget);
  if (anyFaulted_)
    return End::Faulted;
  return blocked_.empty() ? End::Done : End::Deadlock;
}

//===--- Execution --------------------------------------------------------===//

/// Few, half or most of the machines stay as they are, never all.
void Scheduler::chooseHeld() {
  std::vector<uint32_t> running;
  for (const Slice &slice : slices_)
    running.insert(running.end(), slice.running.begin(), slice.running.end());
  std::ranges::sort(running); // Whatever the number of threads is.
  static constexpr unsigned kEighths[] = {1, 4, 7};
  unsigned eighths = kEighths[(*random_)() % std::size(kEighths)];
  for (uint32_t id : running)
    held_[id] = (*random_)() % 8 < eighths;
  held_[running[(*random_)() % running.size()]] = false;
}

void Scheduler::executeSlice(Slice &slice) {
  slice.effects.clear();
  slice.stopped.clear();
  std::erase_if(slice.running, [&](uint32_t id) {
    if (random_ && held_[id])
      return false;
    executor_.execute(id, machines_[id], slice.effects);
    bool stops = machines_[id].status != MachineStatus::Running;
    if (stops)
      slice.stopped.push_back(id);
    return stops;
  });
}

void Scheduler::execute() {
  if (random_)
    chooseHeld();
  if (team_ && countRunning() >= kFewMachines)
    return team_->runOnAll();
  for (Slice &slice : slices_)
    executeSlice(slice);
}

//===--- Commit -----------------------------------------------------------===//

void Scheduler::commit() {
  static constexpr unsigned kCountOf[] = {kLinearCount, kOracleCount,
                                          kBranchCount, kIoCount}; // By Class.
  for (const Slice &slice : slices_)
    for (size_t cls = 0; cls < std::size(kCountOf); ++cls)
      counts_[kCountOf[cls]] += slice.effects.counts[cls];
  collectStopped();
  if (checker_)
    showAccesses();
  commitWrites();
  commitSpawns();
}

void Scheduler::collectStopped() {
  for (const Slice &slice : slices_)
    for (uint32_t id : slice.stopped) {
      MachineStatus status = machines_[id].status;
      if (status == MachineStatus::Blocked)
        blocked_.push_back(id);
      else if (status == MachineStatus::Yielded)
        yielded_.push_back(id);
      else if (status == MachineStatus::Free)
        free_.push(id);
      anyFaulted_ |= status == MachineStatus::Faulted;
    }
}

/// Reads come first: they see what was there before the epoch.
void Scheduler::showAccesses() {
  for (const Slice &slice : slices_)
    for (const Access &access : slice.effects.accesses)
      switch (access.kind) {
      case Access::Read:
        checker_->read(access.machine, access.address, access.line);
        break;
      case Access::Wait:
        checker_->wait(access.machine, access.address, access.bound,
                       access.passes, access.line);
        break;
      case Access::VmId:
        checker_->vmId(access.machine, access.line);
        break;
      case Access::Kill:
        checker_->kill(access.machine, access.line);
        break;
      }
}

/// All of one kind, by ascending machines.
template <typename Pending, typename Slices>
static std::vector<Pending> gather(const Slices &slices,
                                   std::vector<Pending> Effects::*member) {
  std::vector<Pending> all;
  for (const auto &slice : slices) {
    const auto &some = slice.effects.*member;
    all.insert(all.end(), some.begin(), some.end());
  }
  if (!std::ranges::is_sorted(all, {}, &Pending::machine))
    std::ranges::sort(all, {}, &Pending::machine);
  return all;
}

void Scheduler::commitWrites() {
  for (const auto &write : gather(slices_, &Effects::writes)) {
    float &word = memory_[write.address];
    if (checker_)
      checker_->write(write.machine, write.address, word, write.value,
                      write.line);
    word = write.value;
  }
}

void Scheduler::commitSpawns() {
  for (const auto &pending : gather(slices_, &Effects::spawns))
    if (free_.empty())
      block(pending);
    else
      spawn(pending);
  for (Slice &slice : slices_)
    if (!slice.effects.spawns.empty())
      std::erase_if(slice.running, [&](uint32_t id) {
        return machines_[id].status != MachineStatus::Running;
      });
}

void Scheduler::block(const PendingSpawn &pending) {
  machines_[pending.machine].status = MachineStatus::Blocked;
  blocked_.push_back(pending.machine);
  if (checker_)
    checker_->blockedSpawn(pending.machine, pending.line);
}

void Scheduler::spawn(const PendingSpawn &pending) {
  Machine &spawner = machines_[pending.machine];
  spawner.x[0] += 1;
  uint32_t id = free_.top();
  free_.pop();
  Machine &machine = machines_[id];
  machine = Machine();
  machine.launch = spawner.launch;
  machine.x[0] = static_cast<float>(pending.target);
  machine.x[kFirstRegister] = pending.value;
  makeRunning(id);
  if (checker_)
    checker_->spawn(pending.machine, id, pending.line);
}

} // namespace vm::linear
