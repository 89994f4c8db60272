//===- ReadMsgpack.cpp - values from bytes --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Msgpack.h"

#include "frontends/Utf8.h"

#include <fmt/format.h>

#include <bit>

using namespace vm::token;

void MsgpackReader::fail(const char *code, std::string reason) {
  if (!failure_)
    failure_ = {code, last_, std::move(reason)};
}

void MsgpackReader::failHere(const char *code, std::string reason) {
  last_ = at_;
  fail(code, std::move(reason));
}

MsgpackType MsgpackReader::peek() const {
  if (at_ >= bytes_.size())
    return MsgpackType::End;
  uint8_t tag = next();
  if (tag < 0x80 || tag >= 0xE0 || (tag >= 0xCC && tag <= 0xD3))
    return MsgpackType::Integer;
  if (tag < 0x90 || tag == 0xDE || tag == 0xDF)
    return MsgpackType::Map;
  if (tag < 0xA0 || tag == 0xDC || tag == 0xDD)
    return MsgpackType::List;
  if (tag < 0xC0 || (tag >= 0xD9 && tag <= 0xDB))
    return MsgpackType::String;
  if (tag == 0xC0)
    return MsgpackType::Nil;
  if (tag == 0xC2 || tag == 0xC3)
    return MsgpackType::Boolean;
  if (tag == 0xCA || tag == 0xCB)
    return MsgpackType::Real;
  return MsgpackType::Other;
}

bool MsgpackReader::has(size_t bytes) {
  if (failure_)
    return false;
  if (bytes_.size() - at_ >= bytes)
    return true;
  fail("X02", fmt::format("has {} bytes at its end ({} are wanted)",
                          bytes_.size() - at_, bytes));
  return false;
}

uint64_t MsgpackReader::big(int bytes) {
  if (!has(size_t(bytes)))
    return 0;
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value = value << 8 | uint8_t(bytes_[at_++]);
  return value;
}

bool MsgpackReader::isSmallest(bool fitsLess) {
  if (!failure_ && fitsLess)
    fail("X02", "has more bytes than are needed (the smallest encoding is "
                "wanted)");
  return ok();
}

bool MsgpackReader::boolean() {
  last_ = at_;
  return uint8_t(bytes_[at_++]) == 0xC3;
}

MsgpackReader::Integer MsgpackReader::integer() {
  last_ = at_;
  uint8_t tag = uint8_t(bytes_[at_++]);
  if (tag < 0x80 || tag >= 0xE0)
    return {int8_t(tag)};
  bool isSigned = tag >= 0xD0;
  int bytes = 1 << (tag & 3);
  uint64_t bits = big(bytes);
  if (!isSigned) {
    // The least that needs as many bytes.
    uint64_t least = bytes == 1 ? 0x80 : uint64_t(1) << (4 * bytes);
    if (!isSmallest(bits < least))
      return {};
    return {int64_t(bits), (bits >> 63) != 0};
  }
  int unused = 64 - 8 * bytes;
  int64_t value = int64_t(bits << unused) >> unused;
  int64_t most = bytes == 1 ? -33 : -(int64_t(1) << (4 * bytes - 1)) - 1;
  return isSmallest(value > most) ? Integer{value} : Integer();
}

double MsgpackReader::real() {
  last_ = at_;
  bool isDouble = uint8_t(bytes_[at_++]) == 0xCB;
  uint64_t bits = big(isDouble ? 8 : 4);
  return isDouble ? std::bit_cast<double>(bits)
                  : double(std::bit_cast<float>(uint32_t(bits)));
}

std::string_view MsgpackReader::string() {
  last_ = at_;
  uint8_t tag = uint8_t(bytes_[at_++]);
  size_t size = tag & 0x1F;
  if (tag >= 0xD9) {
    int bytes = 1 << (tag - 0xD9);
    size = big(bytes);
    size_t least = bytes == 1 ? 32 : size_t(1) << (4 * bytes);
    if (!isSmallest(size < least))
      return {};
  }
  if (!has(size))
    return {};
  std::string_view value = bytes_.substr(at_, size);
  if (!isUtf8(value)) {
    fail("X02",
         fmt::format("has a string of {} bytes that is not UTF-8", size));
    return {};
  }
  at_ += size;
  return value;
}

size_t MsgpackReader::container(uint8_t small, uint8_t large) {
  last_ = at_;
  uint8_t tag = uint8_t(bytes_[at_++]);
  if (tag < 0xC0)
    return tag ^ small;
  int bytes = tag == large ? 2 : 4;
  size_t size = big(bytes);
  return isSmallest(size < (bytes == 2 ? 16 : 0x10000)) ? size : 0;
}
