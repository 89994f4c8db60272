//===- Communicator.cpp - messages between ranks --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Communicator.h"

#include <fmt/format.h>

namespace vm {

Status Communicator::keep(Status status) {
  if (!status.ok())
    failure_ = status;
  return status;
}

Status Communicator::start(std::span<const RankSend> sends,
                           std::span<const RankReceive> receives) {
  if (failed())
    return failure_;
  if (started_)
    return Status(Code::Usage, "Messages are started while others are not "
                               "finished.");
  auto checkRank = [this](uint32_t rank) {
    return rank < size_ ? Status()
                        : Status(Code::Usage,
                                 fmt::format("A message names rank {} (there "
                                             "are {}).",
                                             rank, size_));
  };
  for (const RankSend &send : sends)
    VM_RETURN_IF_ERROR(checkRank(send.rank));
  for (const RankReceive &receive : receives)
    VM_RETURN_IF_ERROR(checkRank(receive.rank));
  started_ = true;
  return keep(doStart(sends, receives));
}

Status Communicator::finish(uint64_t timeoutNs) {
  if (failed())
    return failure_;
  if (!started_)
    return Status(Code::Usage, "No messages are started.");
  started_ = false;
  return keep(doFinish(timeoutNs));
}

void Communicator::abort(const Status &why) {
  if (aborted_)
    return;
  aborted_ = true;
  // What is said of another rank is passed on as it is.
  doAbort(why.code() == Code::Rank
              ? why.message()
              : fmt::format("Rank {} fails: {}", rank_, why.message()));
  if (!failed())
    failure_ = why;
}

} // namespace vm
