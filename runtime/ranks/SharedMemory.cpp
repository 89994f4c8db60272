//===- SharedMemory.cpp - memory that ranks of a host have together -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memfd_create(2) makes memory that no folder lists, so that nothing is left
// after a kill and the size of /dev/shm does not matter. Others open it as
// /proc/PROCESS/fd/DESCRIPTOR, which processes of one user may (proc(5)).
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/SharedMemory.h"

#include "runtime/ranks/Gather.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace vm {

namespace {
/// Is closed with its scope.
class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0)
      close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return number_; }

private:
  int number_;
};
} // namespace

static std::string failure(const char *what, uint64_t bytes, int error) {
  return fmt::format("{} bytes of shared memory cannot be {} ({}).", bytes,
                     what, std::strerror(error));
}

/// What is wrong with it; or empty.
static std::string reserve(int descriptor, uint64_t bytes) {
  if (descriptor < 0)
    return failure("made", bytes, errno);
  // More than the limit of files would end the process (SIGXFSZ).
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
    return failure("made", bytes, EFBIG);
  // Memory that is not there now would end it later (SIGBUS).
  int error = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  return error ? failure("made", bytes, error) : "";
}

SharedMemory::~SharedMemory() {
  for (const Piece &piece : pieces_)
    if (piece.start)
      munmap(piece.start, piece.length);
}

/// Maps the piece of a rank; what is wrong, or empty.
std::string SharedMemory::map(uint32_t rank, int descriptor, uint64_t bytes,
                              uint64_t alignment) {
  // Room for it at any address, then the piece at an aligned one.
  uint64_t length = bytes + alignment;
  void *start = mmap(nullptr, length, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    return failure("mapped", bytes, errno);
  pieces_[rank] = {start, length, {}};
  uint64_t past = reinterpret_cast<uintptr_t>(start) % alignment;
  uint8_t *begin =
      static_cast<uint8_t *>(start) + (past ? alignment - past : 0);
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           descriptor, 0) == MAP_FAILED)
    return failure("mapped", bytes, errno);
  pieces_[rank].bytes = {begin, bytes};
  return "";
}

std::string SharedMemory::mapOther(uint32_t rank, int64_t process,
                                   const std::string &descriptor,
                                   uint64_t bytes, uint64_t alignment) {
  std::string path = fmt::format("/proc/{}/fd/{}", process, descriptor);
  Descriptor opened(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (opened.get() < 0)
    return fmt::format("The memory of rank {} cannot be opened ({}).", rank,
                       std::strerror(errno));
  return map(rank, opened.get(), bytes, alignment);
}

std::vector<bool> SharedMemory::sharers(const Communicator &ranks) {
  std::vector<int64_t> processes = ranks.processes();
  processes.resize(ranks.size(), 0);
  std::vector<bool> sharers;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    sharers.push_back(rank != ranks.rank() && processes[rank] != 0);
  return sharers;
}

Result<OpenedMemory> SharedMemory::open(Communicator &ranks, uint64_t bytes,
                                        uint64_t alignment,
                                        uint64_t timeoutNs) {
  auto refusal = [](const Result<std::string> &why) -> Result<OpenedMemory> {
    if (!why.ok())
      return why.status();
    return OpenedMemory{nullptr, *why};
  };
  std::unique_ptr<SharedMemory> memory(new SharedMemory(ranks.size()));
  Descriptor own(memfd_create("gpuvm-ranks", MFD_CLOEXEC));
  std::string failure = reserve(own.get(), bytes);
  if (failure.empty())
    failure = memory->map(ranks.rank(), own.get(), bytes, alignment);
  Result<std::string> why = firstFailure(ranks, failure, timeoutNs);
  if (!why.ok() || !why->empty())
    return refusal(why);
  Result<std::vector<std::string>> descriptors =
      gatherAll(ranks, fmt::to_string(own.get()), timeoutNs);
  if (!descriptors.ok())
    return descriptors.status();
  std::vector<int64_t> processes = ranks.processes();
  std::vector<bool> shares = sharers(ranks);
  for (uint32_t rank = 0; rank < ranks.size() && failure.empty(); ++rank)
    if (shares[rank])
      failure = memory->mapOther(rank, processes[rank], (*descriptors)[rank],
                                 bytes, alignment);
  // Descriptors stay open until all have mapped what they are of.
  why = firstFailure(ranks, failure, timeoutNs);
  if (!why.ok() || !why->empty())
    return refusal(why);
  return OpenedMemory{std::move(memory), ""};
}

} // namespace vm
