//===- InputFile.h - a file to read, of known size ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readers check a file's size against what its header promises before they
// allocate anything, so they need a regular file and its exact size.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vm {

/// A regular file, open for reading. Not thread-safe; movable.
class InputFile {
public:
  static Result<InputFile> open(const std::string &path);

  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) = delete;
  ~InputFile();

  uint64_t sizeBytes() const { return sizeBytes_; }

  /// Fills `bytes` from file position `offset`; fewer bytes are a failure.
  Status readAt(uint64_t offset, std::span<uint8_t> bytes) const;

private:
  InputFile(int fd, uint64_t sizeBytes) : fd_(fd), sizeBytes_(sizeBytes) {}

  int fd_;
  uint64_t sizeBytes_;
};

/// A zeroed buffer, or OutOfMemory where `sizeBytes` cannot be had.
Result<std::vector<uint8_t>> allocateBytes(uint64_t sizeBytes);

} // namespace vm
