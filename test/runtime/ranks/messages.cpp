//===- messages.cpp - messages of MPI between processes -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mpirun -n 3 gpuvm_ranks_messages MODE, for test/e2e/ranks-messages.test: all
// kinds of messages, or one rank that fails in a way of its own.
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Gather.h"
#include "runtime/ranks/MpiCommunicator.h"

#include <fmt/format.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace vm;

namespace {

constexpr uint64_t kTimeoutNs = 2'000'000'000;
/// Messages longer than this go in pieces.
constexpr uint64_t kPieceBytes = 100'000;

uint8_t byteOf(uint32_t from, uint32_t to, uint64_t i) {
  return static_cast<uint8_t>(from * 31 + to * 7 + i * 13 + (i >> 8));
}

/// Two messages from each rank to each, of `bytes` and of `bytes` + 1.
Status exchange(Communicator &ranks, uint64_t bytes) {
  std::vector<std::vector<uint8_t>> out, in;
  std::vector<RankSend> sends;
  std::vector<RankReceive> receives;
  for (uint32_t peer = 0; peer < ranks.size(); ++peer)
    for (uint64_t more = 0; more < 2; ++more) {
      out.emplace_back(bytes + more);
      in.emplace_back(bytes + more);
      for (uint64_t i = 0; i < out.back().size(); ++i)
        out.back()[i] = byteOf(ranks.rank(), peer, i + more);
    }
  for (uint32_t k = 0; k < out.size(); ++k) {
    sends.push_back({k / 2, out[k]});
    receives.push_back({k / 2, in[k]});
  }
  VM_RETURN_IF_ERROR(ranks.start(sends, receives));
  VM_RETURN_IF_ERROR(ranks.finish(kTimeoutNs));
  for (uint32_t k = 0; k < in.size(); ++k)
    for (uint64_t i = 0; i < in[k].size(); ++i)
      if (in[k][i] != byteOf(k / 2, ranks.rank(), i + k % 2))
        return Status(Code::WrongResult,
                      fmt::format("Byte {} of {} from rank {} is wrong.", i,
                                  in[k].size(), k / 2));
  return {};
}

/// A text of each rank, of up to `bytes`.
Status gather(Communicator &ranks, uint64_t bytes) {
  auto textOf = [&](uint32_t rank) {
    return std::string(bytes - bytes * rank / ranks.size(),
                       static_cast<char>('a' + rank));
  };
  Result<std::vector<std::string>> texts =
      gatherAll(ranks, textOf(ranks.rank()), kTimeoutNs);
  if (!texts.ok())
    return texts.status();
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    if ((*texts)[rank] != textOf(rank))
      return Status(Code::WrongResult,
                    fmt::format("The text of rank {} is wrong.", rank));
  return {};
}

Status exchangeAll(Communicator &ranks) {
  for (uint64_t bytes : {0, 1, 4, 8192, 65537, 99'999, 100'000, 1'048'580})
    VM_RETURN_IF_ERROR(exchange(ranks, bytes));
  for (uint64_t bytes : {0, 9, 4096, 4097})
    VM_RETURN_IF_ERROR(gather(ranks, bytes));
  return agree(ranks, {}, kTimeoutNs);
}

/// The last rank fails as `mode` says.
Status fail(Communicator &ranks, std::string_view mode) {
  bool isLast = ranks.rank() + 1 == ranks.size();
  VM_RETURN_IF_ERROR(exchange(ranks, 8));
  if (isLast && mode.starts_with("die"))
    raise(SIGKILL);
  if (isLast && mode.starts_with("stop"))
    raise(SIGSTOP);
  if (isLast && mode == "abort") {
    Status why(Code::OutOfMemory, "There is no memory.");
    ranks.abort(why);
    return why;
  }
  if (mode == "disagree")
    return checkSame(ranks,
                     std::vector<RankFact>{{"the plan", isLast ? "b" : "a"}},
                     kTimeoutNs);
  if (mode == "longer" || mode == "shorter") {
    uint64_t bytes = !isLast ? 100 : mode == "longer" ? 101 : 99;
    std::vector<uint8_t> out(bytes), in(bytes);
    // Rank 0 and the last one.
    uint32_t peer = isLast ? 0 : ranks.size() - 1;
    if (ranks.rank() != 0 && !isLast)
      return {};
    VM_RETURN_IF_ERROR(ranks.start(std::vector<RankSend>{{peer, out}},
                                   std::vector<RankReceive>{{peer, in}}));
    return ranks.finish(kTimeoutNs);
  }
  return mode.ends_with("-gather") ? gather(ranks, 8) : exchange(ranks, 8);
}

} // namespace

int main(int argc, char **argv) {
  std::string_view mode = argc > 1 ? argv[1] : "";
  MpiOptions options;
  options.timeoutNs = kTimeoutNs * 10;
  options.pieceBytes = kPieceBytes;
  Result<std::unique_ptr<Communicator>> ranks = openMpi(options);
  if (!ranks.ok()) {
    fmt::print("{}\n", ranks.status().message());
    return static_cast<int>(ranks.status().code());
  }
  Status status = mode.empty() ? exchangeAll(**ranks) : fail(**ranks, mode);
  fmt::print("rank {} of {} ({} here): {}\n", (*ranks)->rank(),
             (*ranks)->size(), (*ranks)->localRank(),
             status.ok() ? "ok" : status.message());
  std::fflush(stdout);
  return static_cast<int>(status.code());
}
