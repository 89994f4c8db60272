//===- RegionSplit.cpp - cuts a large region into buffers -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy: windows that overlap are merged into blocks, and each segment is as
// long as it can be without its end lying inside a block. Greedy is optimal
// here, because a later cut never leaves less room to what follows.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/RegionSplit.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

std::vector<Segment> blocksOf(std::span<const Window> windows) {
  std::vector<Segment> blocks;
  for (const Window &window : windows)
    blocks.push_back({window.offset, window.length});
  std::sort(
      blocks.begin(), blocks.end(),
      [](const Segment &a, const Segment &b) { return a.offset < b.offset; });
  std::vector<Segment> merged;
  for (const Segment &block : blocks) {
    if (merged.empty() ||
        block.offset >= merged.back().offset + merged.back().length) {
      merged.push_back(block);
      continue;
    }
    Segment &last = merged.back();
    last.length =
        std::max(last.length, block.offset + block.length - last.offset);
  }
  return merged;
}

/// The last place at or before `limit` where no block is cut. Blocks start at
/// aligned offsets, so rounding down never moves into another block.
static uint64_t lastCut(const std::vector<Segment> &blocks, uint64_t limit) {
  uint64_t cut = limit / kWindowAlignment * kWindowAlignment;
  auto after = std::partition_point(
      blocks.begin(), blocks.end(),
      [&](const Segment &block) { return block.offset < cut; });
  if (after == blocks.begin())
    return cut;
  const Segment &block = *std::prev(after);
  return cut < block.offset + block.length ? block.offset : cut;
}

/// Appends the segments of [start, end).
static Status cutRange(const std::vector<Segment> &blocks, uint64_t start,
                       uint64_t end, bool onHost, uint64_t maxBytes,
                       std::vector<Segment> &segments) {
  while (end - start > maxBytes) {
    uint64_t cut = lastCut(blocks, start + maxBytes);
    if (cut <= start)
      return Status(
          Code::NoDevice,
          fmt::format("Windows that overlap each other from byte {} on span "
                      "more bytes than one allocation of the device can hold "
                      "({} bytes).",
                      start, maxBytes));
    segments.push_back({start, cut - start, onHost});
    start = cut;
  }
  if (end > start)
    segments.push_back({start, end - start, onHost});
  return {};
}

Result<std::vector<Segment>> splitRegion(uint64_t regionBytes,
                                         std::span<const Window> windows,
                                         uint64_t maxBytes,
                                         std::span<const Segment> onHost) {
  std::vector<Segment> blocks = blocksOf(windows);
  std::vector<Segment> segments;
  uint64_t start = 0;
  for (const Segment &range : onHost) {
    VM_RETURN_IF_ERROR(cutRange(blocks, start, range.offset, /*onHost=*/false,
                                maxBytes, segments));
    start = range.offset + range.length;
    VM_RETURN_IF_ERROR(cutRange(blocks, range.offset, start, /*onHost=*/true,
                                maxBytes, segments));
  }
  VM_RETURN_IF_ERROR(cutRange(blocks, start, regionBytes, /*onHost=*/false,
                              maxBytes, segments));
  return segments;
}

namespace {
/// Appends the windows of one region that a command touches.
struct CommandWindows {
  Region region;
  std::vector<Window> &out;

  void add(const Window &window) const {
    if (window.region == region)
      out.push_back(window);
  }
  void add(const std::vector<BoundWindow> &windows) const {
    for (const BoundWindow &bound : windows)
      add(bound.window);
  }
  void operator()(const Dispatch &dispatch) const { add(dispatch.windows); }
  void operator()(const DispatchIndirect &dispatch) const {
    add(dispatch.windows);
    uint64_t block = dispatch.controlOffset / kWindowAlignment;
    uint64_t start = block * kWindowAlignment;
    add({Region::Control, start, dispatch.controlOffset + 12 - start});
  }
  void operator()(const Barrier &) const {}
  void operator()(const Copy &copy) const {
    add(copy.source);
    add(copy.destination);
  }
  void operator()(const Fill &fill) const { add(fill.window); }
  void operator()(const Repeat &repeat) const {
    if (repeat.condition)
      add(*repeat.condition);
    for (const Rotation &rotation : repeat.rotations)
      for (const Window &window : rotation)
        add(window);
  }
  void operator()(const Clock &clock) const { add(clock.window); }
  void operator()(const Exchange &exchange) const {
    for (const RankTransfer &transfer : exchange.transfers) {
      add(transfer.source);
      add(transfer.destination);
      for (const auto &words : {transfer.counts, transfer.received})
        if (words)
          add(*words);
    }
  }
  void operator()(const Await &) const {}
  void operator()(const LeftOut &) const {}
};
} // namespace

std::vector<Window> windowsOf(const Plan &plan, Region region) {
  std::vector<Window> windows;
  CommandWindows collect{region, windows};
  for (const Command &command : plan.commands)
    std::visit(collect, command.op);
  auto addSlots = [&](const auto &slots) {
    for (const Slot &slot : slots)
      collect.add(slot.window);
  };
  addSlots(plan.inputs);
  addSlots(plan.outputs);
  addSlots(plan.symbols);
  addSlots(plan.registers);
  return windows;
}

} // namespace vm
