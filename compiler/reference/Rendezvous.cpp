//===- Rendezvous.cpp - where the ranks of one process meet ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Rendezvous.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;

LogicalResult Rendezvous::wait(std::unique_lock<std::mutex> &lock,
                               int64_t rank) {
  changed.wait(lock, [&] { return failed || active == rank; });
  return llvm::failure(failed);
}

void Rendezvous::pass(int64_t rank) {
  active = (rank + 1) % size();
  changed.notify_all();
}

LogicalResult Rendezvous::begin(int64_t rank) {
  std::unique_lock lock(mutex);
  return wait(lock, rank);
}

FailureOr<std::vector<Tensor>> Rendezvous::exchange(int64_t rank,
                                                    Tensor tensor) {
  std::unique_lock lock(mutex);
  uint64_t round = rounds[rank]++;
  std::vector<Tensor> &all = given[round % 2];
  all[rank] = std::move(tensor);
  pass(rank);
  if (llvm::failed(wait(lock, rank)))
    return failure();
  // A rank that has ended has no more exchanges.
  if (llvm::any_of(rounds, [&](uint64_t own) { return own <= round; }))
    return failure();
  return all;
}

void Rendezvous::end(int64_t rank, bool ok) {
  std::unique_lock lock(mutex);
  failed |= !ok;
  pass(rank);
}
