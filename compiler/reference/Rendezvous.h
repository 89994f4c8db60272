//===- Rendezvous.h - where the ranks of one process meet -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank is a thread, and one of them runs at a time: rank 0 until its next
// exchange, then rank 1, and so on. So a program of several ranks is as
// deterministic as one of one rank, and what ranks share needs no locks.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Tensor.h"

#include <array>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace mlir::gpuvm::reference {

class Rendezvous {
public:
  explicit Rendezvous(int64_t ranks)
      : given{std::vector<Tensor>(ranks), std::vector<Tensor>(ranks)},
        rounds(ranks) {}

  int64_t size() const { return static_cast<int64_t>(rounds.size()); }
  /// The rank that runs.
  int64_t running() const { return active; }

  /// Waits until `rank` may run; fails if another one has failed.
  LogicalResult begin(int64_t rank);
  /// Gives the others `tensor`, and returns those of all ranks. Fails if a rank
  /// has failed, which has emitted an error, or has ended.
  FailureOr<std::vector<Tensor>> exchange(int64_t rank, Tensor tensor);
  /// Says that `rank` has ended, and whether without an error.
  void end(int64_t rank, bool ok);

private:
  LogicalResult wait(std::unique_lock<std::mutex> &lock, int64_t rank);
  void pass(int64_t rank);

  std::mutex mutex;
  std::condition_variable changed;
  int64_t active = 0;
  bool failed = false;
  /// What ranks gave in exchanges of an even and of an odd number: a rank gives
  /// for the next one before all have taken.
  std::array<std::vector<Tensor>, 2> given;
  std::vector<uint64_t> rounds; ///< How many exchanges each rank has begun.
};

} // namespace mlir::gpuvm::reference
