//===- HeadReader.cpp - the first bytes of a model file -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/gguf/HeadReader.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm::llm {

uint64_t loadNumber(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

/// Makes the bytes before `end`, which is in the file, be there. The buffer
/// doubles, so that all is copied a constant number of times.
Status HeadReader::fill(uint64_t end) {
  if (end <= bytes_.size())
    return {};
  constexpr uint64_t kFirstBytes = 64 << 10;
  uint64_t size = std::max({end, 2 * bytes_.size(), kFirstBytes});
  auto larger =
      allocateBytes(std::min({size, kMaxHeadBytes, file_.sizeBytes()}));
  if (!larger.ok())
    return larger.status();
  std::ranges::copy(bytes_, larger->begin());
  VM_RETURN_IF_ERROR(
      file_.readAt(bytes_.size(), std::span(*larger).subspan(bytes_.size())));
  bytes_ = std::move(*larger);
  return {};
}

Result<std::span<const uint8_t>> HeadReader::readBytes(uint64_t count,
                                                       const char *what) {
  if (count > bytesLeft())
    return Status(Code::BadInput,
                  fmt::format("At byte {}, {} takes {} bytes, but the file "
                              "ends after {} more.",
                              at_, what, count, bytesLeft()));
  if (count > kMaxHeadBytes - at_)
    return Status(Code::BadInput,
                  fmt::format("At byte {}, {} takes {} bytes and ends past the "
                              "limit of what may precede the data of tensors "
                              "({} bytes).",
                              at_, what, count, kMaxHeadBytes));
  VM_RETURN_IF_ERROR(fill(at_ + count));
  std::span<const uint8_t> result = std::span(bytes_).subspan(at_, count);
  at_ += count;
  return result;
}

Result<uint32_t> HeadReader::readU32(const char *what) {
  auto bytes = readBytes(4, what);
  if (!bytes.ok())
    return bytes.status();
  return static_cast<uint32_t>(loadNumber(*bytes));
}

Result<uint64_t> HeadReader::readU64(const char *what) {
  auto bytes = readBytes(8, what);
  if (!bytes.ok())
    return bytes.status();
  return loadNumber(*bytes);
}

Result<std::string> HeadReader::readName(const char *what, uint64_t limit) {
  uint64_t begin = at_;
  auto length = readU64(what);
  if (!length.ok())
    return length.status();
  if (*length == 0 || *length > limit)
    return Status(Code::BadInput,
                  fmt::format("At byte {}, {} has {} bytes (1 to {} are "
                              "allowed).",
                              begin, what, *length, limit));
  auto bytes = readBytes(*length, what);
  if (!bytes.ok())
    return bytes.status();
  std::string name(bytes->begin(), bytes->end());
  if (!isPrintable(name))
    return Status(Code::BadInput,
                  fmt::format("At byte {}, {} is \"{}\", which is not "
                              "printable UTF-8.",
                              begin, what, printable(name)));
  return name;
}

} // namespace vm::llm
