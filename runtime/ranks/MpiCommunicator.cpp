//===- MpiCommunicator.cpp - messages through Open MPI --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message to end all has a tag of its own, for which a receive is always
// open.
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/MpiCommunicator.h"

#include "runtime/base/Deadline.h"
#include "runtime/ranks/Dissemination.h"
#include "runtime/ranks/MpiLibrary.h"
#include "runtime/ranks/ProcessIdentity.h"

#include <fmt/format.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace vm {
namespace {

constexpr int kMessageTag = 0;
constexpr int kAbortTag = 1;
constexpr size_t kMaxAbortBytes = 1024;
constexpr uint64_t kAbortNs = 1'000'000'000;
constexpr uint64_t kGraceNs = 500'000'000;
/// How often the processes of late ranks are looked at.
constexpr uint64_t kLookNs = 100'000'000;
/// How long it takes at most until all have been told of a failure.
constexpr uint64_t kToldNs = 300'000'000;
/// Polls come without a pause so long: a message of 8 KiB takes 5 us. Then the
/// processor is left to other ranks, which on a small machine share it.
constexpr uint64_t kSpinNs = 10'000'000;
constexpr unsigned kPauseUs = 50;

/// A piece of a message on its way.
struct Piece {
  mpi::Request request = nullptr;
  bool isReceive = false;
  uint32_t rank = 0;
  uint64_t bytes = 0;
};

class MpiCommunicator final : public Communicator {
public:
  MpiCommunicator(const MpiLibrary &library, mpi::Comm comm, uint32_t rank,
                  uint32_t size, bool finalizes, const MpiOptions &options)
      : Communicator(rank, size, 0), mpi_(library), comm_(comm),
        finalizes_(finalizes), options_(options) {}
  ~MpiCommunicator() override;

  /// Learns which process each rank is.
  Status meet();
  std::string name() const override {
    return fmt::format("MPI ({})", mpi_.version);
  }

  std::vector<int64_t> processes() const override;

private:
  Status doStart(std::span<const RankSend> sends,
                 std::span<const RankReceive> receives) override;
  Status doFinish(uint64_t timeoutNs) override;
  void doAbort(const std::string &sentence) override;

  Status startPieces(uint32_t rank, const uint8_t *from, uint8_t *to,
                     uint64_t bytes);
  Result<bool> test(Piece &piece);
  Status testAll();
  Status takeAbort();
  bool hasEnded(uint32_t rank) const;
  Status findEnded() const;
  const Piece &latePiece() const;
  Status checkLate(uint64_t timeoutNs, uint64_t waitedNs) const;
  Status failure(const Piece &piece, int error) const;
  std::string nameOf(uint32_t rank) const;

  MpiLibrary mpi_;
  mpi::Comm comm_;
  bool finalizes_;
  MpiOptions options_;
  std::vector<ProcessIdentity> processes_; ///< By rank.
  std::vector<Piece> pieces_;
  mpi::Request abortRequest_ = nullptr;
  std::array<char, kMaxAbortBytes> abortText_{};
  std::string ownAbort_;
};

MpiCommunicator::~MpiCommunicator() {
  // After a failure others may not come to MPI_Finalize, which would wait.
  if (failed())
    return;
  if (finalizes_) {
    std::vector<uint64_t> nothing(size(), 0);
    auto all = std::make_shared<Dissemination>(rank(), nothing);
    if (!disseminate(*this, all, options_.timeoutNs).ok())
      return;
  }
  if (abortRequest_) {
    mpi_.cancel(&abortRequest_);
    mpi_.requestFree(&abortRequest_);
  }
  if (finalizes_)
    mpi_.finalize();
}

Status MpiCommunicator::meet() {
  processes_.resize(size());
  ProcessIdentity own = ProcessIdentity::own();
  std::vector<uint64_t> sizes(size(), sizeof(own));
  auto all = std::make_shared<Dissemination>(rank(), sizes);
  std::memcpy(all->own().data(), &own, sizeof(own));
  if (int error = mpi_.irecv(abortText_.data(), kMaxAbortBytes, mpi_.byte,
                             mpi::kAnySource, kAbortTag, comm_, &abortRequest_))
    return Status(Code::Rank,
                  fmt::format("MPI cannot receive: {}.", mpi_.describe(error)));
  VM_RETURN_IF_ERROR(disseminate(*this, all, options_.timeoutNs));
  for (uint32_t rank = 0; rank < size(); ++rank)
    std::memcpy(&processes_[rank], all->block(rank).data(), sizeof(own));
  setLocalRank(static_cast<uint32_t>(std::ranges::count(
      std::span(processes_).first(rank()), own.host, &ProcessIdentity::host)));
  return {};
}

std::vector<int64_t> MpiCommunicator::processes() const {
  const ProcessIdentity &own = processes_[rank()];
  std::vector<int64_t> pids;
  for (const ProcessIdentity &process : processes_)
    pids.push_back(isSeen(process, own) ? process.pid : 0);
  return pids;
}

std::string MpiCommunicator::nameOf(uint32_t rank) const {
  const ProcessIdentity &process = processes_[rank];
  return process.pid == 0
             ? fmt::format("Rank {}", rank)
             : fmt::format("Rank {} ({})", rank, vm::describe(process));
}

Status MpiCommunicator::failure(const Piece &piece, int error) const {
  if (error == mpi::kTruncated)
    return Status(Code::Rank,
                  fmt::format("Rank {} sends more than the {} bytes that rank "
                              "{} expects.",
                              piece.rank, piece.bytes, rank()));
  return Status(Code::Rank,
                fmt::format("{} cannot be reached: {}.", nameOf(piece.rank),
                            mpi_.describe(error)));
}

Status MpiCommunicator::startPieces(uint32_t rank, const uint8_t *from,
                                    uint8_t *to, uint64_t bytes) {
  uint64_t done = 0;
  do { // An empty message is one, too.
    Piece piece;
    piece.isReceive = to != nullptr;
    piece.rank = rank;
    piece.bytes = std::min(bytes - done, options_.pieceBytes);
    int count = static_cast<int>(piece.bytes);
    int peer = static_cast<int>(rank);
    int error = to ? mpi_.irecv(to + done, count, mpi_.byte, peer, kMessageTag,
                                comm_, &piece.request)
                   : mpi_.isend(from + done, count, mpi_.byte, peer,
                                kMessageTag, comm_, &piece.request);
    if (error != mpi::kSuccess)
      return failure(piece, error);
    done += piece.bytes;
    pieces_.push_back(piece);
  } while (done < bytes);
  return {};
}

Status MpiCommunicator::doStart(std::span<const RankSend> sends,
                                std::span<const RankReceive> receives) {
  static uint8_t nothing = 0; // Says which way an empty message goes.
  for (const RankReceive &receive : receives)
    VM_RETURN_IF_ERROR(
        startPieces(receive.rank, nullptr,
                    receive.bytes.empty() ? &nothing : receive.bytes.data(),
                    receive.bytes.size()));
  for (const RankSend &send : sends)
    VM_RETURN_IF_ERROR(
        startPieces(send.rank, send.bytes.data(), nullptr, send.bytes.size()));
  return {};
}

Result<bool> MpiCommunicator::test(Piece &piece) {
  int done = 0;
  mpi::MessageStatus status{};
  if (int error = mpi_.test(&piece.request, &done, &status))
    return failure(piece, error);
  if (!done || !piece.isReceive)
    return done != 0;
  int count = 0;
  mpi_.getCount(&status, mpi_.byte, &count);
  if (static_cast<uint64_t>(count) == piece.bytes)
    return true;
  return Status(Code::Rank,
                fmt::format("Rank {} sends {} bytes where rank {} expects {}.",
                            piece.rank, count, rank(), piece.bytes));
}

Status MpiCommunicator::testAll() {
  for (size_t i = 0; i < pieces_.size();) {
    Result<bool> done = test(pieces_[i]);
    if (!done.ok())
      return done.status();
    if (*done) {
      pieces_[i] = pieces_.back();
      pieces_.pop_back();
    } else {
      ++i;
    }
  }
  return {};
}

Status MpiCommunicator::takeAbort() {
  int done = 0;
  mpi::MessageStatus status{};
  if (mpi_.test(&abortRequest_, &done, &status) != mpi::kSuccess || !done)
    return {};
  abortRequest_ = nullptr;
  setTold();
  int count = 0;
  mpi_.getCount(&status, mpi_.byte, &count);
  return Status(Code::Rank,
                std::string(abortText_.data(), static_cast<size_t>(count)));
}

bool MpiCommunicator::hasEnded(uint32_t rank) const {
  return stateOf(processes_[rank], processes_[this->rank()]) ==
         ProcessState::Ended;
}

/// Code::Rank if a rank whose message is missing is no longer there.
Status MpiCommunicator::findEnded() const {
  for (const Piece &piece : pieces_)
    if (hasEnded(piece.rank))
      return Status(Code::Rank, fmt::format("{} has ended, and {} bytes of it "
                                            "are missing.",
                                            nameOf(piece.rank), piece.bytes));
  return {};
}

/// The message that is missing most likely because of its own rank: of one that
/// is stopped, or else what others send; what they do not take may wait for a
/// third rank.
const Piece &MpiCommunicator::latePiece() const {
  auto isStopped = [this](const Piece &piece) {
    return stateOf(processes_[piece.rank], processes_[rank()]) ==
           ProcessState::Stopped;
  };
  auto found = std::ranges::find_if(pieces_, isStopped);
  if (found == pieces_.end())
    found = std::ranges::find_if(pieces_, &Piece::isReceive);
  return found == pieces_.end() ? pieces_.front() : *found;
}

/// Code::Rank once nothing more is to be waited for.
Status MpiCommunicator::checkLate(uint64_t timeoutNs, uint64_t waitedNs) const {
  const Piece &piece = latePiece();
  const ProcessIdentity &process = processes_[piece.rank];
  const ProcessIdentity &own = processes_[rank()];
  bool stopped = stateOf(process, own) == ProcessState::Stopped;
  // A rank that lives may be late because of another, which it will name.
  if (!stopped && isSeen(process, own) && waitedNs < timeoutNs + kGraceNs)
    return {};
  return Status(
      Code::Rank,
      fmt::format(
          "{} {} within the timeout ({} ms): {} bytes {}.", nameOf(piece.rank),
          stopped ? "is stopped and does not answer" : "does not answer",
          timeoutNs / 1'000'000, piece.bytes,
          piece.isReceive ? "of it are missing" : "are not taken"));
}

Status MpiCommunicator::doFinish(uint64_t timeoutNs) {
  Deadline deadline(timeoutNs);
  uint64_t beganNs = Deadline::steadyNs();
  uint64_t lookNs = beganNs + kLookNs;
  std::optional<uint64_t> endedNs; // When a rank was first seen to have ended.
  while (true) {
    VM_RETURN_IF_ERROR(testAll());
    if (pieces_.empty())
      return {};
    VM_RETURN_IF_ERROR(takeAbort());
    uint64_t nowNs = Deadline::steadyNs();
    if (deadline.isOver())
      VM_RETURN_IF_ERROR(checkLate(timeoutNs, nowNs - beganNs));
    if (nowNs >= lookNs) {
      Status ended = findEnded();
      if (!ended.ok() && !endedNs)
        endedNs = nowNs;
      // It may have ended because of a third one, of which all are being told.
      if (!ended.ok() && (size() == 2 || nowNs - *endedNs >= kToldNs))
        return ended;
      lookNs = nowNs + kLookNs;
    }
    if (nowNs - beganNs < kSpinNs)
      sched_yield();
    else
      usleep(kPauseUs);
  }
}

void MpiCommunicator::doAbort(const std::string &sentence) {
  ownAbort_ = sentence.substr(0, kMaxAbortBytes);
  std::vector<Piece> sends;
  for (uint32_t peer = 0; peer < size(); ++peer) {
    Piece send;
    send.rank = peer;
    if (peer != rank() &&
        mpi_.isend(ownAbort_.data(), static_cast<int>(ownAbort_.size()),
                   mpi_.byte, static_cast<int>(peer), kAbortTag, comm_,
                   &send.request) == mpi::kSuccess)
      sends.push_back(send);
  }
  Deadline deadline(kAbortNs);
  while (!sends.empty() && !deadline.isOver()) {
    std::erase_if(sends, [this](Piece &send) {
      Result<bool> done = test(send);
      return !done.ok() || *done || hasEnded(send.rank);
    });
    usleep(kPauseUs);
  }
}

Status mpiFailure(const MpiLibrary &library, const char *what, int error) {
  return Status(Code::Rank, fmt::format("MPI cannot {}: {}.", what,
                                        library.describe(error)));
}

/// A communicator with the ranks of MPI_COMM_WORLD.
Result<mpi::Comm> copyWorld(const MpiLibrary &library, uint64_t timeoutNs) {
  mpi::Comm copy = nullptr;
  mpi::Request request = nullptr;
  if (int error = library.commIdup(library.world, &copy, &request))
    return mpiFailure(library, "make a communicator", error);
  Deadline deadline(timeoutNs);
  for (int done = 0; !done; sched_yield()) {
    mpi::MessageStatus status{};
    if (int error = library.test(&request, &done, &status))
      return mpiFailure(library, "make a communicator", error);
    if (!done && deadline.isOver())
      return Status(Code::Rank, fmt::format("A rank does not start within the "
                                            "timeout ({} ms).",
                                            timeoutNs / 1'000'000));
  }
  library.commSetErrhandler(copy, library.errorsReturn);
  return copy;
}

} // namespace

Result<std::unique_ptr<Communicator>> openMpi(const MpiOptions &options) {
  Result<MpiLibrary> library = MpiLibrary::open();
  if (!library.ok())
    return library.status();
  int initialized = 0, finalized = 0, threads = 0;
  library->initialized(&initialized);
  library->finalized(&finalized);
  if (finalized)
    return Status(Code::Usage, "MPI is finalized in this process, and cannot "
                               "be initialized again.");
  if (!initialized)
    if (int error = library->initThread(nullptr, nullptr,
                                        mpi::kThreadSerialized, &threads))
      return mpiFailure(*library, "start", error);
  library->commSetErrhandler(library->world, library->errorsReturn);
  Result<mpi::Comm> comm = copyWorld(*library, options.timeoutNs);
  if (!comm.ok())
    return comm.status();
  int rank = 0, size = 1;
  library->commRank(*comm, &rank);
  library->commSize(*comm, &size);
  auto ranks = std::make_unique<MpiCommunicator>(
      *library, *comm, static_cast<uint32_t>(rank), static_cast<uint32_t>(size),
      !initialized, options);
  VM_RETURN_IF_ERROR(ranks->meet());
  return std::unique_ptr<Communicator>(std::move(ranks));
}

} // namespace vm
