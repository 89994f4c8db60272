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
#include <optional>

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

namespace {
/// Gives segments their places in buffers, which are as few as hold them: those
/// on the host and the others are not in the same one.
class Packing {
public:
  struct Place {
    size_t buffer;
    uint64_t start;
  };
  struct Needed {
    uint64_t bytes;
    bool onHost;
  };

  explicit Packing(uint64_t maxBytes) : maxBytes_(maxBytes) {}

  Place add(const Segment &segment) {
    std::optional<size_t> &open = open_[segment.onHost];
    if (!open || segment.length > maxBytes_ - needed_[*open].bytes) {
      open = needed_.size();
      needed_.push_back({0, segment.onHost});
    }
    Needed &buffer = needed_[*open];
    Place place = {*open, buffer.bytes};
    buffer.bytes += segment.length;
    return place;
  }
  const std::vector<Needed> &needed() const { return needed_; }

private:
  uint64_t maxBytes_;
  std::vector<Needed> needed_;
  std::array<std::optional<size_t>, 2> open_;
};
} // namespace

Result<Regions>
Regions::create(const Device &device,
                const std::array<uint64_t, kNumRegions> &regionBytes,
                const std::array<std::vector<Window>, kNumRegions> &windows,
                const std::array<std::vector<Segment>, kNumRegions> &onHost,
                uint64_t maxBufferBytes, bool areExported) {
  Regions regions;
  regions.bytes_ = regionBytes;
  for (unsigned i = 0; i < kNumRegions; ++i) {
    Region region = static_cast<Region>(i);
    std::string name = fmt::format("region {}", toString(region));
    Result<std::vector<Segment>> segments =
        splitRegion(regionBytes[i], windows[i], maxBufferBytes, onHost[i]);
    if (!segments.ok())
      return segments.status().withContext("laying out " + name);
    Memory &memory = regions.memory_[i];
    Packing packing(maxBufferBytes);
    for (const Segment &segment : *segments) {
      Packing::Place place = packing.add(segment);
      memory.pieces.push_back({segment, place.buffer, place.start});
    }
    for (const Packing::Needed &needed : packing.needed()) {
      // Whole words, so that every byte can be filled.
      uint64_t bytes = alignUp(needed.bytes, 4).value_or(needed.bytes);
      MemoryRole role = needed.onHost ? MemoryRole::Upload : roleOf(region);
      Result<Buffer> buffer =
          Buffer::create(device, bytes, role, kUsage, name,
                         areExported && role == MemoryRole::DeviceOnly);
      if (!buffer.ok())
        return buffer.status();
      memory.buffers.push_back(std::move(*buffer));
    }
  }
  return regions;
}

Status Regions::exportMemory(
    const Device &device,
    const std::function<Status(VkBuffer, int, uint64_t)> &import) const {
  for (unsigned i = 0; i < kNumRegions; ++i)
    for (const Buffer &buffer : memory_[i].buffers) {
      if (buffer.mapped())
        continue;
      Result<int> descriptor = buffer.exportMemory(device);
      if (!descriptor.ok())
        return descriptor.status();
      VM_RETURN_IF_ERROR(
          import(buffer.get(), *descriptor, buffer.memoryBytes()));
    }
  return {};
}

const Regions::Piece &Regions::pieceAt(Region region, uint64_t offset) const {
  const std::vector<Piece> &pieces = memoryOf(region).pieces;
  auto after = std::partition_point(
      pieces.begin(), pieces.end(),
      [&](const Piece &piece) { return piece.segment.offset <= offset; });
  return *std::prev(after);
}

BufferRange Regions::locate(const Window &window) const {
  const Piece &piece = pieceAt(window.region, window.offset);
  const Buffer &buffer = memoryOf(window.region).buffers[piece.buffer];
  uint64_t inside = piece.start + window.offset - piece.segment.offset;
  uint8_t *mapped = buffer.mapped();
  return {buffer.get(), inside, window.length,
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
  for (const Buffer &buffer : memoryOf(region).buffers)
    ranges.push_back({buffer.get(), 0, buffer.sizeBytes(), buffer.mapped()});
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
