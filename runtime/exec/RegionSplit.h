//===- RegionSplit.h - cuts a large region into buffers -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region can be larger than one allocation of the device, and some of it can
// lie in host memory. It is then several buffers, cut where no window lies
// across, so that every window is still one range of one buffer.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vm {

/// The bytes [offset, offset + length) of a region.
struct Segment {
  uint64_t offset = 0; ///< A multiple of kWindowAlignment.
  uint64_t length = 0; ///< Greater than zero.
  bool onHost = false; ///< In host memory, which the device reads.
  bool operator==(const Segment &) const = default;
};

/// What may not be cut of a region, sorted and disjoint: windows, those that
/// overlap each other as one.
std::vector<Segment> blocksOf(std::span<const Window> windows);

/// Cuts [0, regionBytes) into as few segments of at most `maxBytes` bytes as
/// go without cutting any of `windows` (windows of this one region, in any
/// order, overlaps allowed, all inside the region). Those of `onHost`, which
/// are sorted and disjoint and cut no window, are on the host, and no others.
/// Segments are in order and without gaps; an empty region has none. Fails with
/// Code::NoDevice if windows that overlap each other span more than `maxBytes`.
Result<std::vector<Segment>> splitRegion(uint64_t regionBytes,
                                         std::span<const Window> windows,
                                         uint64_t maxBytes,
                                         std::span<const Segment> onHost = {});

/// Every window of region `region` that commands or the host address in `plan`.
std::vector<Window> windowsOf(const Plan &plan, Region region);

} // namespace vm
