//===- PipelineCache.h - compiled kernels kept on disk --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver compiles SPIR-V when a pipeline is created, which can take seconds.
// The result is kept in one file for each device and driver. The cache is an
// optimisation: whatever goes wrong with the file, the plan still runs. A file
// that others may have written is not read; new folders and files are for their
// owner alone.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vm {

/// The file for a device: its name holds the device's and the driver's
/// identity, so that an update of the driver starts a new file.
std::string pipelineCacheFileName(const DeviceInfo &info);

/// What a cache file holds around `payload`: magic, size, checksum.
std::vector<uint8_t> wrapCacheFile(const std::vector<uint8_t> &payload);
/// The payload, or nothing if the file is damaged in any way.
std::optional<std::vector<uint8_t>>
unwrapCacheFile(const std::vector<uint8_t> &file);

class PipelineCache {
public:
  /// Starts with what the directory's file holds, if it is sound. An empty
  /// `directory` keeps nothing on disk.
  static Result<PipelineCache> open(const Device &device,
                                    const std::string &directory);

  VkPipelineCache get() const { return cache_.get(); }

  /// Writes the file if the driver has more to keep than it was given. Makes
  /// the directory if need be; failures are ignored.
  void save() const;

private:
  const Device *device_ = nullptr;
  Owned<VkPipelineCache> cache_;
  std::string directory_;
  std::string path_; ///< Empty: nothing is kept on disk.
  std::vector<uint8_t> loaded_;
};

} // namespace vm
