//===- Regions.cpp - the five memory regions on a device ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation of the regions, and the way from a window to a buffer range.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Regions.h"

#include "runtime/base/CheckedMath.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

MemoryRole roleOf(Region region) {
  switch (region) {
  case Region::Metrics:
    return MemoryRole::HostPolled;
  case Region::Control:
    return MemoryRole::HostPosted;
  default:
    return MemoryRole::DeviceOnly;
  }
}

static constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
    VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

Result<Regions>
Regions::create(const Device &device,
                const std::array<uint64_t, kNumRegions> &regionBytes,
                const std::array<std::vector<Window>, kNumRegions> &windows,
                uint64_t maxBufferBytes) {
  Regions regions;
  regions.bytes_ = regionBytes;
  for (unsigned i = 0; i < kNumRegions; ++i) {
    Region region = static_cast<Region>(i);
    std::string name = fmt::format("region {}", toString(region));
    Result<std::vector<Segment>> segments =
        splitRegion(regionBytes[i], windows[i], maxBufferBytes);
    if (!segments.ok())
      return segments.status().withContext("laying out " + name);
    for (const Segment &segment : *segments) {
      // Whole words, so that every byte can be filled.
      uint64_t bytes = alignUp(segment.length, 4).value_or(segment.length);
      Result<Buffer> buffer =
          Buffer::create(device, bytes, roleOf(region), kUsage, name);
      if (!buffer.ok())
        return buffer.status();
      regions.pieces_[i].push_back({segment, std::move(*buffer)});
    }
  }
  return regions;
}

const Regions::Piece &Regions::pieceAt(Region region, uint64_t offset) const {
  const std::vector<Piece> &pieces = pieces_[static_cast<unsigned>(region)];
  auto after = std::partition_point(
      pieces.begin(), pieces.end(),
      [&](const Piece &piece) { return piece.segment.offset <= offset; });
  return *std::prev(after);
}

BufferRange Regions::locate(const Window &window) const {
  const Piece &piece = pieceAt(window.region, window.offset);
  uint64_t inside = window.offset - piece.segment.offset;
  uint8_t *mapped = piece.buffer.mapped();
  return {piece.buffer.get(), inside, window.length,
          mapped ? mapped + inside : nullptr};
}

BufferRange Regions::firstPart(Region region, uint64_t offset,
                               uint64_t length) const {
  const Segment &segment = pieceAt(region, offset).segment;
  uint64_t end = segment.offset + segment.length;
  return locate({region, offset, std::min(length, end - offset)});
}

std::vector<BufferRange> Regions::buffers(Region region) const {
  std::vector<BufferRange> ranges;
  for (const Piece &piece : pieces_[static_cast<unsigned>(region)])
    ranges.push_back({piece.buffer.get(), 0, piece.buffer.sizeBytes(),
                      piece.buffer.mapped()});
  return ranges;
}

Status Regions::checkRange(Region region, uint64_t offset,
                           uint64_t length) const {
  std::optional<uint64_t> end = checkedAdd(offset, length);
  if (end && *end <= sizeBytes(region))
    return {};
  return Status(
      Code::Usage,
      fmt::format("The range of {} bytes at byte {} ends past the end "
                  "of region {} ({} bytes).",
                  length, offset, toString(region), sizeBytes(region)));
}

} // namespace vm
