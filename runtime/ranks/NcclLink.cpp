//===- NcclLink.cpp - messages between devices, through NCCL --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA imports the memory that Vulkan has allocated, and NCCL's sends and
// receives work on it, in a stream of their own. The host orders the two: it
// has waited for Vulkan before start(), and waits for the stream in finish().
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/DeviceLink.h"
#include "runtime/ranks/Gather.h"
#include "runtime/ranks/NcclLibrary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <unistd.h>

namespace vm {
namespace {

class NcclLink final : public DeviceLink {
public:
  NcclLink(const NcclLibrary &library, uint32_t ranks, uint32_t rank)
      : library_(library), ranks_(ranks), rank_(rank) {}
  ~NcclLink() override;

  /// What each rank does alone.
  Status openDevice(const cuda::Uuid &uuid);
  Result<nccl::UniqueId> newId() const;
  /// What all do together.
  Status connect(const nccl::UniqueId &id, uint64_t timeoutNs);

  std::string name() const override { return library_.version; }
  Result<uint8_t *> import(int descriptor, uint64_t bytes) override;
  Status start(std::span<const LinkMessage> sends,
               std::span<const LinkMessage> receives) override;
  Status finish(uint64_t timeoutNs) override;

private:
  Status enter() const {
    return library_.checkCuda(library_.contextSet(context_),
                              "use CUDA's context");
  }
  Status list(std::span<const LinkMessage> sends,
              std::span<const LinkMessage> receives) const;

  NcclLibrary library_;
  uint32_t ranks_, rank_;
  std::optional<int> device_; ///< Whose context is kept.
  cuda::Context context_ = nullptr;
  cuda::Stream stream_ = nullptr;
  nccl::Comm comm_ = nullptr;
  bool isAbandoned_ = false; ///< A thread that does not end has it all.
  struct Imported {
    cuda::ExternalMemory memory;
    void *address;
  };
  std::vector<Imported> imported_;
};

} // namespace

NcclLink::~NcclLink() {
  if (!device_ || isAbandoned_)
    return;
  library_.contextSet(context_);
  if (comm_)
    library_.commDestroy(comm_);
  for (const Imported &each : imported_) {
    library_.freeAddress(each.address);
    library_.destroyMemory(each.memory);
  }
  if (stream_)
    library_.streamDestroy(stream_);
  library_.contextRelease(*device_);
}

Status NcclLink::openDevice(const cuda::Uuid &uuid) {
  VM_RETURN_IF_ERROR(library_.checkCuda(library_.init(0), "start CUDA"));
  int count = 0;
  VM_RETURN_IF_ERROR(library_.checkCuda(library_.deviceGetCount(&count),
                                        "ask CUDA for its devices"));
  for (int i = 0; i < count; ++i) {
    int device = 0;
    cuda::Uuid found = {};
    VM_RETURN_IF_ERROR(library_.checkCuda(library_.deviceGet(&device, i),
                                          "open a device of CUDA"));
    VM_RETURN_IF_ERROR(library_.checkCuda(
        library_.deviceGetUuid(&found, device), "ask for a device's UUID"));
    if (found != uuid)
      continue;
    VM_RETURN_IF_ERROR(library_.checkCuda(
        library_.contextRetain(&context_, device), "open CUDA's context"));
    device_ = device;
    VM_RETURN_IF_ERROR(enter());
    return library_.checkCuda(
        library_.streamCreate(&stream_, cuda::kNonBlocking),
        "create a stream of CUDA");
  }
  return Status(Code::NoDevice, "CUDA does not see the device.");
}

Result<nccl::UniqueId> NcclLink::newId() const {
  nccl::UniqueId id = {};
  VM_RETURN_IF_ERROR(
      library_.checkNccl(library_.getUniqueId(&id), "start NCCL"));
  return id;
}

/// NCCL waits for the other ranks without an end, so a thread does.
Status NcclLink::connect(const nccl::UniqueId &id, uint64_t timeoutNs) {
  struct Connected {
    int result = nccl::kSuccess;
    nccl::Comm comm = nullptr;
  };
  std::packaged_task<Connected()> task([library = library_, context = context_,
                                        id, ranks = static_cast<int>(ranks_),
                                        rank = static_cast<int>(rank_)] {
    Connected connected;
    library.contextSet(context);
    connected.result = library.commInitRank(&connected.comm, ranks, id, rank);
    return connected;
  });
  std::future<Connected> future = task.get_future();
  std::thread(std::move(task)).detach();
  // Far in the future there is no time.
  constexpr uint64_t kMostNs = uint64_t(1) << 60;
  auto timeout = std::chrono::nanoseconds(std::min(timeoutNs, kMostNs));
  if (future.wait_for(timeout) != std::future_status::ready) {
    isAbandoned_ = true;
    return Status(Code::NoDevice,
                  fmt::format("NCCL does not connect the devices within {} ms.",
                              timeoutNs / 1'000'000));
  }
  Connected connected = future.get();
  comm_ = connected.comm;
  VM_RETURN_IF_ERROR(enter());
  return library_.checkNccl(connected.result, "connect the devices with NCCL");
}

Result<uint8_t *> NcclLink::import(int descriptor, uint64_t bytes) {
  cuda::ExternalMemoryHandle handle;
  handle.other[0] = handle.other[1] = nullptr;
  handle.descriptor = descriptor;
  handle.bytes = bytes;
  cuda::ExternalMemoryBuffer buffer;
  buffer.bytes = bytes;
  Imported imported = {};
  Status status = enter();
  if (status.ok())
    status =
        library_.checkCuda(library_.importMemory(&imported.memory, &handle),
                           "bring Vulkan's memory to CUDA");
  if (!status.ok()) {
    close(descriptor); // Else CUDA has it.
    return status;
  }
  status = library_.checkCuda(
      library_.mapMemory(&imported.address, imported.memory, &buffer),
      "map Vulkan's memory in CUDA");
  if (!status.ok()) {
    library_.destroyMemory(imported.memory);
    return status;
  }
  imported_.push_back(imported);
  return static_cast<uint8_t *>(imported.address);
}

Status NcclLink::list(std::span<const LinkMessage> sends,
                      std::span<const LinkMessage> receives) const {
  auto peer = [](const LinkMessage &message) {
    return static_cast<int>(message.rank);
  };
  for (const LinkMessage &send : sends)
    VM_RETURN_IF_ERROR(
        library_.checkNccl(library_.send(send.address, send.bytes, nccl::kUint8,
                                         peer(send), comm_, stream_),
                           "send with NCCL"));
  for (const LinkMessage &receive : receives)
    VM_RETURN_IF_ERROR(library_.checkNccl(
        library_.receive(receive.address, receive.bytes, nccl::kUint8,
                         peer(receive), comm_, stream_),
        "receive with NCCL"));
  return {};
}

Status NcclLink::start(std::span<const LinkMessage> sends,
                       std::span<const LinkMessage> receives) {
  VM_RETURN_IF_ERROR(enter());
  VM_RETURN_IF_ERROR(
      library_.checkNccl(library_.groupStart(), "begin an exchange of NCCL"));
  Status listed = list(sends, receives);
  Status ended =
      library_.checkNccl(library_.groupEnd(), "start an exchange of NCCL");
  return listed.ok() ? ended : listed;
}

Status NcclLink::finish(uint64_t timeoutNs) {
  VM_RETURN_IF_ERROR(enter());
  constexpr auto kSpin = std::chrono::milliseconds(2);
  auto start = std::chrono::steady_clock::now();
  for (;;) {
    int state = library_.streamQuery(stream_);
    if (state == cuda::kSuccess)
      return {};
    if (state != cuda::kNotReady)
      return library_.checkCuda(state, "wait for an exchange of NCCL");
    int error = nccl::kSuccess;
    library_.commGetAsyncError(comm_, &error);
    auto elapsed = std::chrono::steady_clock::now() - start;
    bool isLate = static_cast<uint64_t>(
                      std::chrono::nanoseconds(elapsed).count()) > timeoutNs;
    if (error != nccl::kSuccess || isLate) {
      library_.commAbort(std::exchange(comm_, nullptr));
      if (isLate)
        return Status(Code::Rank, "An exchange of NCCL does not end within its "
                                  "time: another rank does not take part.");
      return Status(Code::Rank, fmt::format("An exchange of NCCL fails ({}).",
                                            library_.errorString(error)));
    }
    if (elapsed > kSpin)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

Result<OpenedLink> openNccl(Communicator &ranks,
                            const std::array<uint8_t, 16> &uuid,
                            uint64_t timeoutNs) {
  OpenedLink opened;
  std::unique_ptr<NcclLink> link;
  // All say whether they can before any waits for the others in NCCL.
  auto agree = [&](const Status &own) -> Status {
    Result<std::string> why = firstFailure(ranks, own.message(), timeoutNs);
    if (!why.ok())
      return why.status();
    opened.why = *why;
    return {};
  };
  Result<NcclLibrary> library = NcclLibrary::open();
  Status own = library.status();
  std::string id;
  if (own.ok()) {
    link = std::make_unique<NcclLink>(*library, ranks.size(), ranks.rank());
    own = link->openDevice(uuid);
  }
  if (own.ok() && ranks.rank() == 0) {
    Result<nccl::UniqueId> made = link->newId();
    own = made.status();
    if (made.ok())
      id.assign(made->bytes, sizeof(made->bytes));
  }
  VM_RETURN_IF_ERROR(agree(own));
  if (!opened.why.empty())
    return opened;
  Result<std::vector<std::string>> ids = gatherAll(ranks, id, timeoutNs);
  if (!ids.ok())
    return ids.status();
  nccl::UniqueId first = {};
  std::memcpy(first.bytes, ids->front().data(),
              std::min(sizeof(first.bytes), ids->front().size()));
  VM_RETURN_IF_ERROR(agree(link->connect(first, timeoutNs)));
  if (opened.why.empty())
    opened.link = std::move(link);
  return opened;
}

} // namespace vm
