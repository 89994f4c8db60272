//===- PipelineCache.cpp - compiled kernels kept on disk ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers are known to trust the bytes they are given, so the file carries a
// checksum of its own and is dropped whole if that does not match.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/PipelineCache.h"

#include "runtime/base/FileLimit.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vm {

namespace {
struct CacheHeader {
  char magic[8];
  uint64_t payloadBytes;
  uint64_t checksum; ///< xxh3 of the payload.
};
} // namespace

static constexpr char kMagic[8] = {'G', 'V', 'P', 'I', 'P', 'E', '0', '1'};
/// A file larger than this is not ours.
static constexpr uint64_t kMaxFileBytes = 256u << 20;

static std::string hex(const std::array<uint8_t, 16> &bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

std::string pipelineCacheFileName(const DeviceInfo &info) {
  return fmt::format("pipelines-{}-{:08x}-{}.bin", hex(info.uuid),
                     info.driverVersion, hex(info.pipelineCacheUuid));
}

std::vector<uint8_t> wrapCacheFile(const std::vector<uint8_t> &payload) {
  CacheHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.payloadBytes = payload.size();
  header.checksum = XXH3_64bits(payload.data(), payload.size());
  std::vector<uint8_t> file(sizeof(header) + payload.size());
  std::memcpy(file.data(), &header, sizeof(header));
  std::copy(payload.begin(), payload.end(), file.begin() + sizeof(header));
  return file;
}

std::optional<std::vector<uint8_t>>
unwrapCacheFile(const std::vector<uint8_t> &file) {
  CacheHeader header;
  if (file.size() < sizeof(header))
    return std::nullopt;
  std::memcpy(&header, file.data(), sizeof(header));
  std::vector<uint8_t> payload(file.begin() + sizeof(header), file.end());
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 ||
      header.payloadBytes != payload.size() ||
      header.checksum != XXH3_64bits(payload.data(), payload.size()))
    return std::nullopt;
  return payload;
}

namespace {
/// A file descriptor that is closed with its scope.
struct OwnedFd {
  explicit OwnedFd(int descriptor) : fd(descriptor) {}
  OwnedFd(const OwnedFd &) = delete;
  ~OwnedFd() {
    if (fd >= 0)
      close(fd);
  }
  int fd;
};
} // namespace

/// Whether only this user, or the superuser, can have written the file: its
/// checksum is no secret, and the driver trusts what is in it.
static bool isOurs(const struct stat &info) {
  constexpr mode_t kOthersWrite = 0022;
  return S_ISREG(info.st_mode) && !(info.st_mode & kOthersWrite) &&
         (info.st_uid == geteuid() || info.st_uid == 0);
}

/// The driver's bytes from `path`, or none.
static std::vector<uint8_t> loadPayload(const std::string &path) {
  OwnedFd file(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0 || !isOurs(info) ||
      uint64_t(info.st_size) > kMaxFileBytes)
    return {};
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got = read(file.fd, bytes.data() + done, bytes.size() - done);
    if (got <= 0)
      return {};
    done += static_cast<size_t>(got);
  }
  return unwrapCacheFile(bytes).value_or(std::vector<uint8_t>());
}

Result<PipelineCache> PipelineCache::open(const Device &device,
                                          const std::string &directory) {
  PipelineCache result;
  result.device_ = &device;
  result.directory_ = directory;
  if (!directory.empty()) {
    result.path_ = directory + "/" + pipelineCacheFileName(device.info());
    result.loaded_ = loadPayload(result.path_);
  }
  VkPipelineCacheCreateInfo info = {
      VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = result.loaded_.size();
  info.pInitialData = result.loaded_.data();
  VkPipelineCache cache = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(device.vk()->vkCreatePipelineCache(
                            device.handle(), &info, nullptr, &cache),
                        "create a pipeline cache");
  result.cache_ = Owned<VkPipelineCache>(device, cache,
                                         device.vk()->vkDestroyPipelineCache);
  return result;
}

static bool writeAll(int fd, const std::vector<uint8_t> &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = writeWithoutSignal(fd, std::span(bytes).subspan(done));
    if (written <= 0)
      return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

/// Writes a temporary file next to `path` and renames it. Its name is new
/// (O_EXCL), so that no link that was planted there is followed.
static void replaceFile(const std::string &path,
                        const std::vector<uint8_t> &bytes) {
  std::string temporary = path + ".XXXXXX";
  OwnedFd file(mkostemp(temporary.data(), O_CLOEXEC)); // Mode 0600.
  if (file.fd < 0)
    return;
  if (!writeAll(file.fd, bytes) || rename(temporary.c_str(), path.c_str()) != 0)
    unlink(temporary.c_str());
}

/// Makes `directory` and the folders above it, for us alone.
static bool makePrivateFolders(const std::string &directory) {
  for (size_t end = directory.find('/', 1); end != std::string::npos;
       end = directory.find('/', end + 1))
    mkdir(directory.substr(0, end).c_str(), 0700);
  return mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST;
}

void PipelineCache::save() const {
  if (path_.empty())
    return;
  DriverTable vk = device_->vk();
  size_t size = 0;
  if (vk->vkGetPipelineCacheData(device_->handle(), get(), &size, nullptr) !=
      VK_SUCCESS)
    return;
  std::vector<uint8_t> payload(size);
  if (vk->vkGetPipelineCacheData(device_->handle(), get(), &size,
                                 payload.data()) != VK_SUCCESS)
    return;
  payload.resize(size);
  if (payload == loaded_)
    return;
  if (makePrivateFolders(directory_))
    replaceFile(path_, wrapCacheFile(payload));
}

} // namespace vm
