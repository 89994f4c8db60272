//===- CRanks.cpp - communicators of gpuvm.h ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both ways: an application's functions as a Communicator, and the Communicator
// of MPI as functions.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CRanks.h"

#include "runtime/exec/CHandle.h"
#include "runtime/ranks/MpiCommunicator.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace vm {
namespace {

int startMpi(void *user, const gpuvm_rank_send *sends, size_t numSends,
             const gpuvm_rank_receive *receives, size_t numReceives);
std::vector<int64_t> processesOfMpi(void *user);

class CallerCommunicator final : public Communicator {
public:
  explicit CallerCommunicator(const gpuvm_communicator &ranks)
      : Communicator(ranks.rank, ranks.ranks, ranks.local_rank), ranks_(ranks) {
  }
  std::string name() const override {
    return ranks_.name ? ranks_.name : "the application";
  }
  std::vector<int64_t> processes() const override {
    return ranks_.start == startMpi ? processesOfMpi(ranks_.user)
                                    : std::vector<int64_t>();
  }

private:
  Status outcome(int failed, const char *what) const {
    if (!failed)
      return {};
    const char *sentence = ranks_.error ? ranks_.error(ranks_.user) : nullptr;
    return Status(Code::Rank,
                  sentence && *sentence
                      ? std::string(sentence)
                      : fmt::format("The application cannot {} messages of "
                                    "rank {} ({}).",
                                    what, rank(), failed));
  }

  Status doStart(std::span<const RankSend> sends,
                 std::span<const RankReceive> receives) override {
    std::vector<gpuvm_rank_send> out;
    std::vector<gpuvm_rank_receive> in;
    for (const RankSend &send : sends)
      out.push_back({send.rank, send.bytes.data(), send.bytes.size()});
    for (const RankReceive &receive : receives)
      in.push_back({receive.rank, receive.bytes.data(), receive.bytes.size()});
    return outcome(
        ranks_.start(ranks_.user, out.data(), out.size(), in.data(), in.size()),
        "start");
  }
  Status doFinish(uint64_t timeoutNs) override {
    return outcome(ranks_.finish(ranks_.user, timeoutNs), "finish");
  }
  void doAbort(const std::string &sentence) override {
    if (ranks_.abort)
      ranks_.abort(ranks_.user, sentence.c_str());
  }

  gpuvm_communicator ranks_;
};

/// What vm_mpi_open gives.
struct MpiRanks {
  std::unique_ptr<Communicator> ranks;
  std::string name, error;
  gpuvm_communicator functions = {};

  int keep(const Status &status) {
    error = status.message();
    return static_cast<int>(status.code());
  }
};

MpiRanks &of(void *user) { return *static_cast<MpiRanks *>(user); }

int startMpi(void *user, const gpuvm_rank_send *sends, size_t numSends,
             const gpuvm_rank_receive *receives, size_t numReceives) {
  std::vector<RankSend> out;
  std::vector<RankReceive> in;
  for (const gpuvm_rank_send &send : std::span(sends, numSends))
    out.push_back({send.rank, inBytes(send.data, send.size_bytes)});
  for (const gpuvm_rank_receive &receive : std::span(receives, numReceives))
    in.push_back({receive.rank, outBytes(receive.data, receive.size_bytes)});
  return of(user).keep(of(user).ranks->start(out, in));
}

std::vector<int64_t> processesOfMpi(void *user) {
  return of(user).ranks->processes();
}

int finishMpi(void *user, uint64_t timeoutNs) {
  return of(user).keep(of(user).ranks->finish(timeoutNs));
}

void abortMpi(void *user, const char *sentence) {
  of(user).ranks->abort(Status(Code::Rank, sentence));
}

const char *errorOfMpi(void *user) { return of(user).error.c_str(); }

} // namespace

Result<std::shared_ptr<Communicator>>
makeCommunicator(const gpuvm_communicator &ranks) {
  if (ranks.struct_bytes != sizeof(ranks))
    return Status(Code::Usage,
                  fmt::format("The field struct_bytes of the communicator is "
                              "{} (set it to the sizeof of the struct, {} in "
                              "this library).",
                              ranks.struct_bytes, sizeof(ranks)));
  if (ranks.rank >= ranks.ranks)
    return Status(Code::Usage, fmt::format("The communicator is of rank {} "
                                           "(there are {}).",
                                           ranks.rank, ranks.ranks));
  if (!ranks.start || !ranks.finish)
    return nullPointer(ranks.start ? "ranks.finish" : "ranks.start");
  return std::shared_ptr<Communicator>(
      std::make_shared<CallerCommunicator>(ranks));
}

} // namespace vm

int vm_mpi_open(uint64_t milliseconds, const gpuvm_communicator **ranks) {
  return vm::guard(vm::bootError, [&]() -> vm::Status {
    if (!ranks)
      return vm::nullPointer("ranks");
    *ranks = nullptr;
    vm::MpiOptions options;
    options.timeoutNs = vm::nanoseconds(milliseconds);
    auto opened = vm::openMpi(options);
    if (!opened.ok())
      return opened.status();
    auto mpi = std::make_unique<vm::MpiRanks>();
    mpi->ranks = std::move(*opened);
    mpi->name = mpi->ranks->name();
    gpuvm_communicator &functions = mpi->functions;
    functions.struct_bytes = sizeof(functions);
    functions.name = mpi->name.c_str();
    functions.rank = mpi->ranks->rank();
    functions.ranks = mpi->ranks->size();
    functions.local_rank = mpi->ranks->localRank();
    functions.user = mpi.get();
    functions.start = vm::startMpi;
    functions.finish = vm::finishMpi;
    functions.abort = vm::abortMpi;
    functions.error = vm::errorOfMpi;
    *ranks = &mpi.release()->functions;
    return {};
  });
}

void vm_mpi_close(const gpuvm_communicator *ranks) {
  if (ranks)
    delete &vm::of(ranks->user);
}
