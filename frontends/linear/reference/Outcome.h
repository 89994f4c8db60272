//===- Outcome.h - how a program runs, and what comes of it ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/matrices/Matrices.h"
#include "frontends/linear/reference/Races.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace vm::linear {

struct RunOptions {
  std::optional<uint32_t> budget =
      {}; ///< Epochs of every phase, for the program's.
  /// Each epoch executes a random part of the machines that run, never none.
  /// An epoch does less then, so that budgets are kJitterBudget times as large.
  std::optional<uint64_t> jitterSeed = {};
  bool checkRaces = false;

  /// How linear instructions run: by their matrices, in this format, or
  /// straight (the same bits, in a fraction of the time).
  bool direct = false;
  Format format = Format::Hybrid;
  std::optional<double> threshold = {}; ///< For the program's.

  /// The machines of an epoch are divided among so many; 1..256. No result
  /// depends on it.
  unsigned threads = 1;

  /// Of the program; a step is an instruction of one machine.
  uint64_t maxSteps = UINT64_MAX;
};
constexpr uint64_t kJitterBudget = 64;

enum class MachineStatus : uint32_t {
  Running,
  Blocked,
  Yielded,
  Halted,
  Faulted,
  Free
};

enum class Fault : uint32_t { None, Address, Forbidden, Overflow, Underflow };

/// How a phase ended; the last element of its counts.
enum class End : int64_t {
  NotRun = -1,
  Done = 0,
  Faulted = 1,
  Deadlock = 2,
  Budget = 3
};

/// Elements of a phase's counts.
enum CountIndex : unsigned {
  kEpochs,
  kLinearCount,
  kOracleCount,
  kBranchCount,
  kIoCount,
  kEnd,
  kCounts
};

struct Outcome {
  /// By Program::buffers; of kinds `in` and `temp` too.
  std::vector<std::vector<float>> buffers;
  /// Vectors, statuses and faults of Program::maxMachines() machines at the end
  /// of the last phase that ran; after its own those of a FREE one.
  std::vector<float> state;
  std::vector<int32_t> status, fault;
  std::vector<int64_t> counts; ///< kCounts a phase.

  /// With checkRaces: collisions in `independent` phases, ordered or not.
  std::vector<Race> races;
  /// With checkRaces, of the other phases: what is not ordered. Without any
  /// the phases that came to their end are timing-free in this run.
  std::vector<Race> unordered;
};

} // namespace vm::linear
