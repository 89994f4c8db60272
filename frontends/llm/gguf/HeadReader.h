//===- HeadReader.h - the first bytes of a model file ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the reader of GGUF files. Nothing in such a file says where its
// tensors' data begins, so the bytes before it are read as they are asked for.
// They are copied, not mapped: a file that shrinks or cannot be read is then a
// message and no signal, and what was checked stays as it was.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/InputFile.h"

#include <string>

namespace vm::llm {

/// The most bytes before the data of tensors. The largest vocabularies of 2026
/// take some 20 MB.
inline constexpr uint64_t kMaxHeadBytes = uint64_t(128) << 20;

class HeadReader {
public:
  explicit HeadReader(const InputFile &file) : file_(file) {}

  uint64_t position() const { return at_; }
  uint64_t bytesLeft() const { return file_.sizeBytes() - at_; }

  // `what` is of a message: "the length of a key".

  /// A little-endian word of 4 or 8 bytes.
  Result<uint32_t> readU32(const char *what);
  Result<uint64_t> readU64(const char *what);
  /// A length, which is 1 to `limit`, and as many bytes of printable UTF-8.
  Result<std::string> readName(const char *what, uint64_t limit);
  /// The next bytes, which stay valid until more is read.
  Result<std::span<const uint8_t>> readBytes(uint64_t count, const char *what);

  /// What was read, and perhaps more.
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::vector<uint8_t> takeBytes() { return std::move(bytes_); }

private:
  Status fill(uint64_t end);

  const InputFile &file_;
  std::vector<uint8_t> bytes_; ///< The first bytes of the file.
  uint64_t at_ = 0;
};

/// A little-endian number of bytes.size() <= 8 bytes.
uint64_t loadNumber(std::span<const uint8_t> bytes);

} // namespace vm::llm
