//===- StreamFiles.h - files that stream through a program ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where --stream takes its chunks from and --stream-output puts them: regular
// files or pipes, never held in memory as a whole.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Status.h"
#include "runtime/exec/Stream.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm::run {

/// A file of rows of an input: a .npy file, or raw little-endian elements.
/// Movable.
class StreamReader {
public:
  /// Opens `path`; what its size or header can say against it is said here.
  static Result<StreamReader> open(const std::string &path, const Input &input);
  StreamReader(StreamReader &&other) noexcept;
  StreamReader &operator=(StreamReader &&other) = delete;
  ~StreamReader();

  /// Fills `bytes`, the whole input, as far as the file goes.
  Result<Refill> read(std::span<uint8_t> bytes);
  /// How many chunks there are; nothing where only the end of a pipe says it.
  std::optional<uint64_t> numChunks() const;

private:
  StreamReader() = default;
  Status readHeader(const Input &input);
  Status checkSize() const;
  Result<size_t> readSome(std::span<uint8_t> bytes) const;
  Result<size_t> readFully(std::span<uint8_t> bytes) const;
  Status failure(const std::string &sentence) const;

  std::string path_;
  std::string name_;
  int fd_ = -1;
  DType dtype_ = DType::F32;
  uint64_t chunkBytes_ = 0;
  uint64_t rowBytes_ = 0;
  /// Bytes read past what was asked for: the header's, or to see whether there
  /// are any more.
  std::vector<uint8_t> ahead_;
  std::optional<uint64_t> dataBytes_; ///< In all, if the file says it.
  uint64_t done_ = 0;                 ///< Bytes given so far.
};

/// A file of raw elements that grows chunk by chunk; unless it is a pipe, it
/// appears when it is complete.
class StreamWriter {
public:
  static Result<StreamWriter> create(const std::string &path);
  Status write(std::span<const uint8_t> bytes) { return file_.write(bytes); }
  Status finish() { return file_.commit(); }

private:
  explicit StreamWriter(AtomicFile file) : file_(std::move(file)) {}
  AtomicFile file_;
};

} // namespace vm::run
