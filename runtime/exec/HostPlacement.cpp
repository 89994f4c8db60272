//===- HostPlacement.cpp - what of a plan lies in host memory -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows that overlap are one block, which is moved as a whole. The cost of a
// block is how often an execution reads each of its bytes.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/HostPlacement.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/exec/Regions.h"
#include "runtime/plan/Hazards.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace vm {

namespace {
struct Block {
  Region region;
  Segment range;
  double readsOfByte = 0; ///< In an execution of each program.
  bool isWritten = false;
};

/// All blocks of the regions that are not mapped anyway.
class Blocks {
public:
  explicit Blocks(const Plan &plan) {
    for (unsigned i = 0; i < kNumRegions; ++i) {
      Region region = static_cast<Region>(i);
      if (roleOf(region) != MemoryRole::DeviceOnly)
        continue;
      for (const Segment &range : blocksOf(windowsOf(plan, region)))
        blocks_[i].push_back({region, range});
    }
  }

  void addRead(const Window &window, double times) {
    if (Block *block = find(window))
      block->readsOfByte += times * static_cast<double>(window.length) /
                            static_cast<double>(block->range.length);
  }
  void addWrite(const Window &window) {
    if (Block *block = find(window))
      block->isWritten = true;
  }
  std::vector<Block> unwritten() const {
    std::vector<Block> all;
    for (const std::vector<Block> &blocks : blocks_)
      std::ranges::copy_if(blocks, std::back_inserter(all),
                           [](const Block &block) { return !block.isWritten; });
    return all;
  }

private:
  /// The block of a window; null if its region is mapped.
  Block *find(const Window &window) {
    std::vector<Block> &blocks = blocks_[static_cast<unsigned>(window.region)];
    auto after = std::ranges::partition_point(blocks, [&](const Block &block) {
      return block.range.offset <= window.offset;
    });
    return after == blocks.begin() ? nullptr : &*std::prev(after);
  }

  std::array<std::vector<Block>, kNumRegions> blocks_;
};
} // namespace

static void addCommands(const Plan &plan, Blocks &blocks) {
  struct Loop {
    size_t end;
    double times;
  };
  std::vector<Loop> open = {{plan.commands.size(), 1}};
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    while (open.back().end <= i)
      open.pop_back();
    const Command &command = plan.commands[i];
    for (const Access &access : accessesOf(plan, command)) {
      if (access.reads)
        blocks.addRead(access.window, open.back().times);
      if (access.writes)
        blocks.addWrite(access.window);
    }
    auto *repeat = std::get_if<Repeat>(&command.op);
    if (!repeat)
      continue;
    // What is written in one of them is in all of them in time.
    for (const Rotation &rotation : repeat->rotations)
      for (const Window &window : rotation)
        blocks.addWrite(window);
    open.push_back({i + 1 + repeat->commands,
                    open.back().times * static_cast<double>(repeat->times)});
  }
}

/// The blocks that no execution writes, in the order in which they are moved.
static std::vector<Block> candidatesOf(const Plan &plan) {
  Blocks blocks(plan);
  addCommands(plan, blocks);
  for (const Input &input : plan.inputs)
    if (input.residency == Residency::Execution)
      blocks.addWrite(input.window);
  std::vector<Block> candidates = blocks.unwritten();
  // Up to where the next window can begin.
  for (Block &block : candidates) {
    uint64_t rest = plan.regionBytes[static_cast<unsigned>(block.region)] -
                    block.range.offset;
    block.range.length = std::min(
        alignUp(block.range.length, kWindowAlignment).value_or(rest), rest);
  }
  std::ranges::stable_sort(candidates, [](const Block &a, const Block &b) {
    return std::tuple(a.readsOfByte, b.range.length) <
           std::tuple(b.readsOfByte, a.range.length);
  });
  return candidates;
}

/// At least `bytes` bytes of them, cheap ones first; or all.
static std::vector<Block> takeBlocks(const std::vector<Block> &candidates,
                                     uint64_t bytes) {
  std::vector<Block> taken;
  uint64_t missing = bytes;
  for (auto first = candidates.begin(); first != candidates.end() && missing;) {
    auto end = std::find_if(first, candidates.end(), [&](const Block &block) {
      return block.readsOfByte != first->readsOfByte;
    });
    // Large ones first, but none that is more than is missing if less will do.
    const Block *smallest = nullptr;
    for (auto block = first; block != end; ++block) {
      if (block->range.length > missing) {
        smallest = &*block;
        continue;
      }
      taken.push_back(*block);
      missing -= block->range.length;
    }
    if (missing && smallest) {
      taken.push_back(*smallest);
      missing = 0;
    }
    first = end;
  }
  return taken;
}

HostPlacement placeOnHost(const Plan &plan, uint64_t bytes) {
  std::vector<Block> taken = takeBlocks(candidatesOf(plan), bytes);
  uint64_t sum = 0;
  for (const Block &block : taken)
    sum += block.range.length;
  // With the last one others may not be needed: the costliest go back first.
  HostPlacement placement;
  for (auto block = taken.rbegin(); block != taken.rend(); ++block) {
    uint64_t length = block->range.length;
    if (sum >= bytes && sum - bytes >= length) {
      sum -= length;
      continue;
    }
    placement.ranges[static_cast<unsigned>(block->region)].push_back(
        {block->range.offset, length, /*onHost=*/true});
  }
  placement.bytes = sum;
  for (std::vector<Segment> &ranges : placement.ranges)
    std::ranges::sort(ranges, {}, &Segment::offset);
  return placement;
}

} // namespace vm
