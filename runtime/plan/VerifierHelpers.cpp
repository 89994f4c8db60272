//===- VerifierHelpers.cpp - helpers of the verifier ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/VerifierHelpers.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/base/Printable.h"
#include "runtime/plan/Limits.h"

namespace vm::verify {

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
  if (!isPrintable(text))
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
