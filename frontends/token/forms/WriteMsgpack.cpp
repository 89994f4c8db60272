//===- WriteMsgpack.cpp - values as bytes ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Msgpack.h"

#include <bit>
#include <limits>

using namespace vm::token;

void MsgpackWriter::big(uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    bytes_ += char(value >> shift);
}

void MsgpackWriter::tagged(uint8_t tag, uint64_t value, int bytes) {
  bytes_ += char(tag);
  big(value, bytes);
}

void MsgpackWriter::unsignedInteger(uint64_t value) {
  if (value < 0x80)
    big(value, 1);
  else if (value <= 0xFF)
    tagged(0xCC, value, 1);
  else if (value <= 0xFFFF)
    tagged(0xCD, value, 2);
  else if (value <= 0xFFFFFFFF)
    tagged(0xCE, value, 4);
  else
    tagged(0xCF, value, 8);
}

void MsgpackWriter::integer(int64_t value) {
  if (value >= 0)
    unsignedInteger(uint64_t(value));
  else if (value >= -32)
    big(uint64_t(value), 1);
  else if (value >= std::numeric_limits<int8_t>::min())
    tagged(0xD0, uint64_t(value), 1);
  else if (value >= std::numeric_limits<int16_t>::min())
    tagged(0xD1, uint64_t(value), 2);
  else if (value >= std::numeric_limits<int32_t>::min())
    tagged(0xD2, uint64_t(value), 4);
  else
    tagged(0xD3, uint64_t(value), 8);
}

void MsgpackWriter::real(double value) {
  // A double beyond the range of floats would be undefined to convert.
  bool isInRange = value >= -std::numeric_limits<float>::max() &&
                   value <= std::numeric_limits<float>::max();
  bool isInfinite = value == std::numeric_limits<double>::infinity() ||
                    value == -std::numeric_limits<double>::infinity();
  if ((isInRange || isInfinite) && double(float(value)) == value)
    tagged(0xCA, std::bit_cast<uint32_t>(float(value)), 4);
  else
    tagged(0xCB, std::bit_cast<uint64_t>(value), 8);
}

void MsgpackWriter::string(std::string_view value) {
  size_t size = value.size();
  if (size < 32)
    big(0xA0 | size, 1);
  else if (size <= 0xFF)
    tagged(0xD9, size, 1);
  else if (size <= 0xFFFF)
    tagged(0xDA, size, 2);
  else
    tagged(0xDB, size, 4);
  bytes_ += value;
}

void MsgpackWriter::container(size_t size, uint8_t small, uint8_t large) {
  if (size < 16)
    big(small | size, 1);
  else if (size <= 0xFFFF)
    tagged(large, size, 2);
  else
    tagged(uint8_t(large + 1), size, 4);
}
