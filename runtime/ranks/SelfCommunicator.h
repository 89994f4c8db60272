//===- SelfCommunicator.h - one rank alone --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a rank to itself are copies.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/ranks/Communicator.h"

namespace vm {

class SelfCommunicator final : public Communicator {
public:
  SelfCommunicator() : Communicator(0, 1, 0) {}
  std::string name() const override { return "one rank"; }

private:
  Status doStart(std::span<const RankSend> sends,
                 std::span<const RankReceive> receives) override;
  Status doFinish(uint64_t) override { return {}; }
  void doAbort(const std::string &) override {}
};

} // namespace vm
