//===- Archive.cpp - fields of an executable, written and read ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Archive.h"

#include <fmt/format.h>

namespace vm::linear {

void ArchiveReader::fail(const char *name, const std::string &what) {
  if (status_.ok())
    status_ = Status(Code::BadInput,
                     fmt::format("Byte {}, section \"{}\", field \"{}\": {}.",
                                 at_, section_, name, what));
}

uint64_t ArchiveReader::take(const char *name, size_t bytes) {
  if (status_.ok() && bytes > end_ - at_)
    fail(name, fmt::format("{} bytes are needed, but only {} are left", bytes,
                           end_ - at_));
  if (!status_.ok())
    return 0;
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i)
    value |= uint64_t(file_[at_ + i]) << (8 * i);
  at_ += bytes;
  return value;
}

size_t ArchiveReader::takeCount(const char *name, size_t minBytes) {
  uint64_t count = take(name, 4);
  uint64_t room = end_ - at_;
  if (count <= room / minBytes)
    return count;
  fail(name, fmt::format("{} of at least {} bytes each do not fit into the {} "
                         "bytes that are left",
                         count, minBytes, room));
  return 0;
}

} // namespace vm::linear
