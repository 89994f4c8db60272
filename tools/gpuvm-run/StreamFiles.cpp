//===- StreamFiles.cpp - files that stream through a program --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/StreamFiles.h"

#include "runtime/exec/NamedSlots.h"
#include "runtime/io/HostTensor.h"
#include "runtime/io/NpyHeader.h"
#include "runtime/plan/PlanNames.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace vm::run {

//===--- Reading ----------------------------------------------------------===//

StreamReader::StreamReader(StreamReader &&other) noexcept
    : path_(std::move(other.path_)), name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)), dtype_(other.dtype_),
      chunkBytes_(other.chunkBytes_), rowBytes_(other.rowBytes_),
      ahead_(std::move(other.ahead_)), dataBytes_(other.dataBytes_),
      done_(other.done_) {}

StreamReader::~StreamReader() {
  if (fd_ >= 0)
    close(fd_);
}

Status StreamReader::failure(const std::string &sentence) const {
  return Status(Code::BadInput, sentence)
      .withContext(
          fmt::format("streaming \"{}\" into input \"{}\"", path_, name_));
}

static std::string errorText(int error) {
  return std::generic_category().message(error);
}

/// At least one byte, unless the file has ended.
Result<size_t> StreamReader::readSome(std::span<uint8_t> bytes) const {
  while (true) {
    ssize_t count = ::read(fd_, bytes.data(), bytes.size());
    if (count >= 0)
      return static_cast<size_t>(count);
    if (errno != EINTR)
      return failure(
          fmt::format("The file cannot be read ({}).", errorText(errno)));
  }
}

/// All of `bytes`, unless the file ends before.
Result<size_t> StreamReader::readFully(std::span<uint8_t> bytes) const {
  size_t done = 0;
  while (done < bytes.size()) {
    Result<size_t> count = readSome(bytes.subspan(done));
    if (!count.ok() || *count == 0)
      return count.ok() ? Result<size_t>(done) : count;
    done += *count;
  }
  return done;
}

/// The rows of a .npy file must be the input's.
Status StreamReader::readHeader(const Input &input) {
  ahead_.resize(kMaxNpyPreambleBytes + kMaxNpyHeaderBytes);
  Result<size_t> count = readFully(ahead_);
  if (!count.ok())
    return count.status();
  ahead_.resize(*count);
  constexpr char kMagic[] = "\x93NUMPY";
  constexpr size_t kMagicBytes = sizeof(kMagic) - 1;
  if (ahead_.size() < kMagicBytes ||
      std::memcmp(ahead_.data(), kMagic, kMagicBytes) != 0)
    return {};
  Result<NpyHeader> header = parseNpyHeader(ahead_);
  if (!header.ok())
    return failure(header.status().message());
  HostTensor given{header->dtype, header->shape, {}};
  bool sameRows = header->shape.size() == input.shape.size() &&
                  std::equal(header->shape.begin() + 1, header->shape.end(),
                             input.shape.begin() + 1);
  if (header->dtype != input.dtype || !sameRows)
    return failure(
        fmt::format("The file has {}, but the rows of {} are wanted.",
                    given.typeString(), typeString(input)));
  ahead_.erase(ahead_.begin(), ahead_.begin() + ptrdiff_t(header->dataOffset));
  dataBytes_ = header->dataBytes;
  return {};
}

Status StreamReader::checkSize() const {
  struct stat info = {};
  if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode))
    return {};
  off_t position = lseek(fd_, 0, SEEK_CUR);
  uint64_t bytes =
      static_cast<uint64_t>(info.st_size - position) + ahead_.size();
  if (dataBytes_ && bytes != *dataBytes_)
    return failure(fmt::format("The file has {} bytes of data, but its header "
                               "says {}.",
                               bytes, *dataBytes_));
  if (bytes % rowBytes_ != 0)
    return failure(fmt::format("The file has {} bytes, which is not a multiple "
                               "of a row ({} bytes).",
                               bytes, rowBytes_));
  return {};
}

Result<StreamReader> StreamReader::open(const std::string &path,
                                        const Input &input) {
  StreamReader reader;
  reader.path_ = path;
  reader.name_ = input.name;
  reader.dtype_ = input.dtype;
  reader.chunkBytes_ = byteSizeOf(input);
  if (input.shape.empty() || reader.chunkBytes_ == 0)
    return reader.failure(
        fmt::format("The input has no rows ({}).", typeString(input)));
  reader.rowBytes_ = reader.chunkBytes_ / uint64_t(input.shape[0]);
  reader.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (reader.fd_ < 0)
    return reader.failure(
        fmt::format("The file cannot be opened ({}).", errorText(errno)));
  VM_RETURN_IF_ERROR(reader.readHeader(input));
  VM_RETURN_IF_ERROR(reader.checkSize());
  struct stat info = {};
  if (!reader.dataBytes_ && fstat(reader.fd_, &info) == 0 &&
      S_ISREG(info.st_mode))
    reader.dataBytes_ = static_cast<uint64_t>(info.st_size);
  return reader;
}

std::optional<uint64_t> StreamReader::numChunks() const {
  if (!dataBytes_)
    return std::nullopt;
  return (*dataBytes_ + chunkBytes_ - 1) / chunkBytes_;
}

Result<Refill> StreamReader::read(std::span<uint8_t> bytes) {
  size_t count = std::min(ahead_.size(), bytes.size());
  std::copy_n(ahead_.begin(), count, bytes.begin());
  ahead_.erase(ahead_.begin(), ahead_.begin() + ptrdiff_t(count));
  Result<size_t> more = readFully(bytes.subspan(count));
  if (!more.ok())
    return more.status();
  count += *more;
  done_ += count;
  if (count % rowBytes_ != 0)
    return failure(fmt::format("The file ends after {} bytes, which is not a "
                               "multiple of a row ({} bytes).",
                               done_, rowBytes_));
  if (count == bytes.size() && ahead_.empty()) {
    ahead_.resize(1);
    Result<size_t> next = readSome(ahead_);
    if (!next.ok())
      return next.status();
    ahead_.resize(*next);
  }
  bool last = ahead_.empty();
  if (last && dataBytes_ && done_ != *dataBytes_)
    return failure(fmt::format("The file ends after {} bytes of data instead "
                               "of {}.",
                               done_, *dataBytes_));
  std::span<const uint8_t> rows = bytes.first(count);
  if (dtype_ == DType::I1 &&
      std::any_of(rows.begin(), rows.end(), [](uint8_t b) { return b > 1; }))
    return failure("An element of type i1 is neither 0 nor 1.");
  return Refill{count / rowBytes_, last};
}

//===--- Writing ----------------------------------------------------------===//

Result<StreamWriter> StreamWriter::create(const std::string &path) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  return StreamWriter(std::move(*file));
}

} // namespace vm::run
