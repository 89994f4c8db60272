//===- SharedMemory.h - memory that ranks of a host have together ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between processes of one host are copies by a thread of the host. A
// device copies faster, if it can reach what another rank has written: each
// rank has a piece of memory that the others of its host have mapped, too. What
// is in it they tell each other by messages.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/ranks/Communicator.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vm {

struct OpenedMemory;

/// The memory has no name: it is gone with the last process that has mapped it,
/// however that ends. A piece stays as long as this rank has it mapped, also if
/// the rank whose piece it is has ended.
class SharedMemory {
public:
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// Which ranks share memory with this one, by rank: those whose processes it
  /// sees (Communicator::processes), but for itself. If a rank shares memory
  /// with another, so does that one with it.
  static std::vector<bool> sharers(const Communicator &ranks);

  /// Gives each rank `bytes` bytes, at an address that is a multiple of
  /// `alignment`, as `bytes` is. All ranks call it with the same numbers, and
  /// all get the memory or none does. A failure is one of `ranks`.
  static Result<OpenedMemory> open(Communicator &ranks, uint64_t bytes,
                                   uint64_t alignment, uint64_t timeoutNs);

  /// The piece of a rank, which may be this one; empty if that one shares no
  /// memory with it.
  std::span<uint8_t> of(uint32_t rank) const { return pieces_[rank].bytes; }

private:
  /// A mapping, and the bytes in it that are aligned.
  struct Piece {
    void *start = nullptr;
    uint64_t length = 0;
    std::span<uint8_t> bytes;
  };
  explicit SharedMemory(uint32_t ranks) : pieces_(ranks) {}
  std::string map(uint32_t rank, int descriptor, uint64_t bytes,
                  uint64_t alignment);
  std::string mapOther(uint32_t rank, int64_t process,
                       const std::string &descriptor, uint64_t bytes,
                       uint64_t alignment);

  std::vector<Piece> pieces_; ///< By rank.
};

/// What SharedMemory::open() comes to.
struct OpenedMemory {
  std::unique_ptr<SharedMemory> memory; ///< Null if a rank cannot share its.
  std::string why;                      ///< Then a sentence.
};

} // namespace vm
