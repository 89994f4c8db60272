//===- InputFile.cpp - a file to read, of known size ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thin wrappers over open(2) and pread(2) that answer with sentences.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/InputFile.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vm;

static Status systemFailure(const char *what) {
  return Status(
      Code::BadInput,
      fmt::format("{} ({}).", what, std::generic_category().message(errno)));
}

Result<InputFile> InputFile::open(const std::string &path) {
  // O_NONBLOCK: a named pipe without a writer would hang the open.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return systemFailure("The file cannot be opened");
  InputFile file(fd, 0);
  struct stat info;
  if (fstat(fd, &info) != 0)
    return systemFailure("The file's size cannot be read");
  if (!S_ISREG(info.st_mode))
    return Status(Code::BadInput, "The path names no regular file.");
  file.sizeBytes_ = static_cast<uint64_t>(info.st_size);
  return file;
}

InputFile::InputFile(InputFile &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), sizeBytes_(other.sizeBytes_) {}

InputFile::~InputFile() {
  if (fd_ >= 0)
    close(fd_);
}

Status InputFile::readAt(uint64_t offset, std::span<uint8_t> bytes) const {
  while (!bytes.empty()) {
    ssize_t got =
        pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemFailure("The file cannot be read");
    if (got == 0)
      return Status(Code::BadInput,
                    fmt::format("The file ends at byte {} while it is read, "
                                "{} bytes early.",
                                offset, bytes.size()));
    offset += static_cast<uint64_t>(got);
    bytes = bytes.subspan(static_cast<size_t>(got));
  }
  return {};
}

Result<std::vector<uint8_t>> vm::allocateBytes(uint64_t sizeBytes) {
  uint64_t machineBytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (sizeBytes > machineBytes)
    return Status(Code::OutOfMemory,
                  fmt::format("{} bytes are more than this machine's memory "
                              "({} bytes).",
                              sizeBytes, machineBytes));
  // The standard library reports exhaustion by exception only.
  try {
    return std::vector<uint8_t>(sizeBytes);
  } catch (const std::bad_alloc &) {
    return Status(
        Code::OutOfMemory,
        fmt::format("{} bytes of host memory cannot be allocated.", sizeBytes));
  }
}
