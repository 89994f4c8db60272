//===- Scheduler.h - the epochs of a phase --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An epoch executes one instruction of each machine that runs, and commits
// what they did in the order of the machines.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/reference/Executor.h"

#include <functional>
#include <memory>
#include <queue>
#include <random>

namespace vm::linear {

class Scheduler {
public:
  /// Its machines are those of a phase, launched. The executor has entered it.
  Scheduler(const Program &program, uint32_t phase, const Executor &executor,
            SharedMemory &memory, const RunOptions &options);
  ~Scheduler();

  /// To the end of the phase, once. Takes its steps from `stepsLeft`; whether
  /// they were enough.
  bool run(uint64_t &stepsLeft);

  const std::vector<Machine> &machines() const { return machines_; }
  const std::array<int64_t, kCounts> &counts() const { return counts_; }
  std::vector<Race> finishRaces() { return checker_->finish(); }

private:
  /// Machines that one thread executes: a range of all.
  struct Slice {
    std::vector<uint32_t> running;
    Effects effects;
    std::vector<uint32_t> stopped; ///< In this epoch.
  };

  void launch(const Phase &phase);
  void makeRunning(uint32_t id);
  uint64_t countRunning() const;

  void wake();
  void resumeYielded();
  std::optional<End> findEnd() const;
  void chooseHeld();
  void executeSlice(Slice &slice);
  void execute();
  void commit();
  void collectStopped();
  void commitWrites();
  void commitSpawns();
  void spawn(const PendingSpawn &pending);
  void block(const PendingSpawn &pending);
  void showAccesses();

  const Program &program_;
  const Executor &executor_;
  SharedMemory &memory_;
  uint64_t budget_;
  std::array<int64_t, kCounts> counts_ = {};
  std::vector<Machine> machines_;
  std::vector<Slice> slices_;
  std::vector<uint32_t> blocked_, yielded_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free_;
  bool anyFaulted_ = false;

  std::optional<std::mt19937_64> random_;
  std::vector<bool> held_; ///< Not executed in this epoch.
  std::unique_ptr<RaceChecker> checker_;
  std::unique_ptr<class WorkerTeam> team_;
};

} // namespace vm::linear
