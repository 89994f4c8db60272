//===- SharedPieces.h - memory that ranks share, as buffers ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device imports of the memory that ranks of a host share: it writes the
// piece of its own rank and reads those of others. Exchanges.h says when, and
// why there are two of each.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Regions.h"
#include "runtime/ranks/Communicator.h"
#include "runtime/ranks/SharedMemory.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vm {

struct OpenedPieces;

class SharedPieces {
public:
  static constexpr uint32_t kBanks = 2;

  /// Memory from which each rank can send `bytes` bytes, in banks; imports
  /// that of this rank and of `neighbours`. All ranks call it with as many
  /// bytes, and all get it or none does. The device, which must import host
  /// memory, must outlive it. A failure is one of `ranks`.
  static Result<OpenedPieces> open(const Device &device, Communicator &ranks,
                                   const std::vector<uint32_t> &neighbours,
                                   uint64_t bytes, uint64_t timeoutNs);

  BufferRange own(uint32_t bank) const {
    return rangeOf(buffers_[bank][rank_]);
  }
  /// By rank; empty if that is no neighbour.
  std::vector<BufferRange> others(uint32_t bank) const;

private:
  Status import(const Device &device, uint32_t rank, uint64_t bankBytes);
  static BufferRange rangeOf(const Buffer &buffer) {
    return {buffer.get(), 0, buffer.sizeBytes(), buffer.mapped()};
  }

  uint32_t rank_ = 0;
  // Declared first, so it is unmapped last.
  std::shared_ptr<SharedMemory> memory_;
  std::array<std::vector<Buffer>, kBanks> buffers_; ///< By rank.
};

/// What SharedPieces::open() comes to.
struct OpenedPieces {
  std::optional<SharedPieces> pieces; ///< None if a rank cannot share memory.
  std::string why;                    ///< Then a sentence.
};

} // namespace vm
