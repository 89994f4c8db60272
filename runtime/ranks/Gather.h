//===- Gather.h - what all ranks have, on each of them --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small collective operations of the host, made of messages: texts of all
// ranks, whether all have succeeded, whether all say the same.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/ranks/Communicator.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// More than this of one rank is Code::Rank.
constexpr uint64_t kMaxGatheredBytes = uint64_t{1} << 30;

/// The bytes of each rank, by rank; those of different ranks may be of
/// different size.
Result<std::vector<std::string>>
gatherAll(Communicator &ranks, std::string_view own, uint64_t timeoutNs);

/// The same of texts whose sizes, by rank, all ranks know.
Result<std::vector<std::string>> gatherSized(Communicator &ranks,
                                             std::span<const uint64_t> sizes,
                                             std::string_view own,
                                             uint64_t timeoutNs);

/// The same, but only rank 0 gets what the others have; they get nothing.
Result<std::vector<std::string>>
gatherToFirst(Communicator &ranks, std::string_view own, uint64_t timeoutNs);

/// Something that must be the same on all ranks.
struct RankFact {
  std::string what;  ///< "the plan"; the same on all ranks, too.
  std::string value; ///< "a1b2c3".
};

/// Code::Rank if a fact differs: `Rank 2 has the plan a1b2 and rank 0 the plan
/// c3d4.`, the same sentence on all ranks.
Status checkSame(Communicator &ranks, std::span<const RankFact> facts,
                 uint64_t timeoutNs);

/// What keeps a rank from something that all do, or none: `Rank 2: ` and the
/// first of the ranks' sentences that is not empty; or empty.
Result<std::string> firstFailure(Communicator &ranks, std::string_view own,
                                 uint64_t timeoutNs);

/// Waits for all ranks. `own`, if that is a failure; else Code::Rank with the
/// sentence of the first rank that fails: `Rank 2 fails: ...`.
Status agree(Communicator &ranks, const Status &own, uint64_t timeoutNs);

} // namespace vm
