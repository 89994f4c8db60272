//===- VerifierHelpers.cpp - what the parts of the plan verifier share ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/VerifierHelpers.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/plan/Limits.h"

namespace vm::verify {
namespace {

/// Bytes of the UTF-8 sequence that `lead` starts, or 0.
size_t sequenceLength(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    return 2;
  if (lead >= 0xE0 && lead <= 0xEF)
    return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// The second byte of a sequence excludes overlong forms, surrogates and code
/// points above U+10FFFF (RFC 3629, section 4).
bool isSecondByte(unsigned char lead, unsigned char byte) {
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return byte >= low && byte <= high;
}

bool isPrintableUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto lead = static_cast<unsigned char>(text[i]);
    size_t length = sequenceLength(lead);
    if (length == 0 || length > text.size() - i || lead < 0x20 || lead == 0x7F)
      return false;
    if (length > 1 && !isSecondByte(lead, text[i + 1]))
      return false;
    for (size_t k = 2; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80)
        return false;
    i += length;
  }
  return true;
}

} // namespace

Status checkCount(std::string_view what, uint64_t count, uint64_t limit) {
  if (count <= limit)
    return {};
  return bad("The number of {} ({}) exceeds the limit ({}).", what, count,
             limit);
}

Status checkText(std::string_view what, std::string_view text) {
  if (text.size() > limits::kMaxNameBytes)
    return bad("{} is {} bytes long (at most {} are allowed).", what,
               text.size(), limits::kMaxNameBytes);
  if (!isPrintableUtf8(text))
    return bad("{} holds a control character or is not UTF-8.", what);
  return {};
}

Status checkName(std::string_view what, std::string_view name) {
  if (name.empty())
    return bad("{} is empty.", what);
  return checkText(what, name);
}

bool isValid(Region region) {
  return static_cast<unsigned>(region) < kNumRegions;
}

Status checkWindow(std::string_view what, const Window &window,
                   const Plan &plan, uint64_t alignment) {
  if (!isValid(window.region))
    return bad("{} lies in region {} (there are {}).", what,
               static_cast<unsigned>(window.region), kNumRegions);
  const char *region = toString(window.region);
  if (window.length == 0)
    return bad("{} is empty (0 bytes at byte {} of region {}).", what,
               window.offset, region);
  if (!isAligned(window.offset, alignment))
    return bad(
        "{} starts at byte {} of region {} (a multiple of {} is needed).", what,
        window.offset, region, alignment);
  uint64_t size = plan.regionBytes[static_cast<unsigned>(window.region)];
  auto end = checkedAdd(window.offset, window.length);
  if (!end)
    return bad("{} starts at byte {} of region {} and its length ({} bytes) "
               "overflows 64 bits.",
               what, window.offset, region, window.length);
  if (*end > size)
    return bad("{} ends at byte {} past the end of region {} ({} bytes).", what,
               *end, region, size);
  return {};
}

bool overlap(const Window &a, const Window &b) {
  return a.region == b.region && a.offset < b.offset + b.length &&
         b.offset < a.offset + a.length;
}

} // namespace vm::verify
