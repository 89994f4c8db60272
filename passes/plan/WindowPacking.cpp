//===- WindowPacking.cpp - the placement of windows in a region -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimal packing is NP-hard. Memory planners of neural networks place
// greedily: the largest window first, each in the smallest gap that holds it
// (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net
// Inference, 2020). The other orders are better for some programs.
//
//===----------------------------------------------------------------------===//

#include "passes/plan/WindowPacking.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

uint64_t gpuvm::countLiveBytes(ArrayRef<LiveRange> ranges,
                               ArrayRef<unsigned> steps) {
  SmallVector<int64_t> change(steps.back() + 2);
  for (const LiveRange &range : ranges) {
    change[steps[range.first]] += range.bytes;
    change[steps[range.last] + 1] -= range.bytes;
  }
  int64_t live = 0, most = 0;
  for (int64_t delta : change)
    most = std::max(most, live += delta);
  return most;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Cuts each step as late as possible so that no more than `limit` bytes are in
/// use in any part of it, as far as single commands permit.
static Steps cutAt(ArrayRef<LiveRange> ranges, ArrayRef<unsigned> steps,
                   uint64_t limit) {
  SmallVector<int64_t> made(steps.size()), ended(steps.size() + 1);
  for (const LiveRange &range : ranges) {
    made[range.first] += range.bytes;
    ended[range.last + 1] += range.bytes;
  }
  Steps result;
  unsigned added = 0;
  int64_t live = 0;   // In use at this command.
  int64_t inPart = 0; // In use somewhere in its part of a step so far.
  for (unsigned i = 0; i < steps.size(); ++i) {
    live += made[i] - ended[i];
    bool opens = i == 0 || steps[i] != steps[i - 1];
    bool cuts = !opens && inPart + made[i] > static_cast<int64_t>(limit);
    added += cuts;
    inPart = opens || cuts ? live : inPart + made[i];
    result.push_back(steps[i] + added);
  }
  return result;
}

Steps gpuvm::cutSteps(ArrayRef<LiveRange> ranges, ArrayRef<unsigned> steps,
                      uint64_t bytesPerBarrier) {
  constexpr unsigned kLimits = 16; // How many limits are tried.
  Steps each(llvm::to_vector(llvm::seq<unsigned>(0, steps.size())));
  uint64_t least = countLiveBytes(ranges, each);
  uint64_t most = countLiveBytes(ranges, steps);
  Steps best(steps);
  uint64_t lowestCost = most;
  for (unsigned i = kLimits; i-- > 0;) {
    Steps cut = cutAt(ranges, steps, least + (most - least) / kLimits * i);
    uint64_t added = cut.back() - steps.back();
    uint64_t saved = most - countLiveBytes(ranges, cut);
    if (added == 0 || bytesPerBarrier > saved / added)
      continue;
    uint64_t cost = most - saved + added * bytesPerBarrier;
    if (cost >= lowestCost)
      continue;
    lowestCost = cost;
    best = std::move(cut);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

namespace {

/// A range in steps, and its place.
struct Placed {
  unsigned first, last;
  uint64_t begin, end;
};

/// Places one range after the other; keeps what is placed sorted by offset.
class GreedyPacker {
public:
  /// With `bestFit` in the smallest gap that holds it, else in the first one.
  explicit GreedyPacker(bool bestFit) : bestFit(bestFit) {}
  uint64_t place(uint64_t bytes, unsigned first, unsigned last);
  uint64_t bytes() const { return end; }

private:
  bool bestFit;
  std::vector<Placed> placed;
  uint64_t end = 0;
};

} // namespace

uint64_t GreedyPacker::place(uint64_t bytes, unsigned first, unsigned last) {
  uint64_t offset = UINT64_MAX, smallestGap = UINT64_MAX, covered = 0;
  for (const Placed &other : placed) {
    if (other.last < first || last < other.first)
      continue;
    if (other.begin >= covered + bytes && other.begin - covered < smallestGap) {
      offset = covered;
      smallestGap = other.begin - covered;
      if (!bestFit)
        break;
    }
    covered = std::max(covered, other.end);
  }
  if (offset == UINT64_MAX)
    offset = covered;
  Placed now = {first, last, offset, offset + bytes};
  placed.insert(llvm::upper_bound(placed, now,
                                  [](const Placed &a, const Placed &b) {
                                    return a.begin < b.begin;
                                  }),
                now);
  end = std::max(end, now.end);
  return offset;
}

/// The orders, most promising for readable plans first: ranges as they come
/// give inputs the first windows.
static SmallVector<SmallVector<unsigned>> makeOrders(ArrayRef<LiveRange> ranges,
                                                     ArrayRef<unsigned> steps) {
  auto duration = [&](unsigned i) -> uint64_t {
    return steps[ranges[i].last] - steps[ranges[i].first] + 1;
  };
  auto sortedBy = [&](auto key) {
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, ranges.size()));
    llvm::stable_sort(order,
                      [&](unsigned a, unsigned b) { return key(a) > key(b); });
    return order;
  };
  return {sortedBy([](unsigned) { return 0; }),
          sortedBy([&](unsigned i) { return ranges[i].bytes; }),
          sortedBy([&](unsigned i) { return duration(i); }),
          sortedBy([&](unsigned i) {
            return double(ranges[i].bytes) * double(duration(i));
          })};
}

Packing gpuvm::packWindows(ArrayRef<LiveRange> ranges,
                           ArrayRef<unsigned> steps) {
  uint64_t least = countLiveBytes(ranges, steps);
  Packing best;
  best.bytes = UINT64_MAX;
  for (ArrayRef<unsigned> order : makeOrders(ranges, steps))
    for (bool bestFit : {true, false}) {
      GreedyPacker packer(bestFit);
      SmallVector<uint64_t> offsets(ranges.size());
      for (unsigned i : order)
        offsets[i] = packer.place(ranges[i].bytes, steps[ranges[i].first],
                                  steps[ranges[i].last]);
      if (packer.bytes() < best.bytes)
        best = {std::move(offsets), packer.bytes()};
      if (best.bytes == least)
        return best;
    }
  return best;
}
