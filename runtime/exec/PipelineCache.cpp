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

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace vm {

namespace fs = std::filesystem;

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

std::string defaultCacheDirectory() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/')
    return std::string(cache) + "/gpuvm";
  const char *home = std::getenv("HOME");
  if (home && *home == '/')
    return std::string(home) + "/.cache/gpuvm";
  return "";
}

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

/// The driver's bytes from `path`, or none.
static std::vector<uint8_t> loadPayload(const std::string &path) {
  std::error_code error;
  uint64_t bytes = fs::file_size(path, error);
  if (error || bytes > kMaxFileBytes)
    return {};
  std::vector<uint8_t> file(bytes);
  std::ifstream in(path, std::ios::binary);
  if (!in.read(reinterpret_cast<char *>(file.data()),
               static_cast<std::streamsize>(bytes)))
    return {};
  return unwrapCacheFile(file).value_or(std::vector<uint8_t>());
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
  VM_RETURN_IF_VK_ERROR(device.vk().vkCreatePipelineCache(
                            device.handle(), &info, nullptr, &cache),
                        "create a pipeline cache");
  result.cache_ =
      Owned<VkPipelineCache>(device, cache, device.vk().vkDestroyPipelineCache);
  return result;
}

/// Writes a temporary file next to `path` and renames it.
static void replaceFile(const std::string &path,
                        const std::vector<uint8_t> &bytes) {
  std::error_code error;
  std::string temporary = fmt::format("{}.{}", path, getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, path, error);
  if (error)
    fs::remove(temporary, error);
}

void PipelineCache::save() const {
  if (path_.empty())
    return;
  const VolkDeviceTable &vk = device_->vk();
  size_t size = 0;
  if (vk.vkGetPipelineCacheData(device_->handle(), get(), &size, nullptr) !=
      VK_SUCCESS)
    return;
  std::vector<uint8_t> payload(size);
  if (vk.vkGetPipelineCacheData(device_->handle(), get(), &size,
                                payload.data()) != VK_SUCCESS)
    return;
  payload.resize(size);
  if (payload == loaded_)
    return;
  std::error_code error;
  fs::create_directories(directory_, error);
  if (!error)
    replaceFile(path_, wrapCacheFile(payload));
}

} // namespace vm
