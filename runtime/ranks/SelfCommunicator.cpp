//===- SelfCommunicator.cpp - one rank alone ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/SelfCommunicator.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

Status SelfCommunicator::doStart(std::span<const RankSend> sends,
                                 std::span<const RankReceive> receives) {
  if (sends.size() != receives.size())
    return Status(Code::Rank, fmt::format("Rank 0 sends {} messages to itself "
                                          "and receives {}.",
                                          sends.size(), receives.size()));
  for (size_t i = 0; i < sends.size(); ++i) {
    if (sends[i].bytes.size() != receives[i].bytes.size())
      return Status(Code::Rank,
                    fmt::format("Rank 0 sends {} bytes where it expects {}.",
                                sends[i].bytes.size(),
                                receives[i].bytes.size()));
    std::ranges::copy(sends[i].bytes, receives[i].bytes.begin());
  }
  return {};
}

} // namespace vm
