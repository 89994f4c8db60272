//===- SortTile.cpp - elements of a workgroup in order --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/SortTile.h"

using namespace mlir;
using namespace mlir::gpuvm;

using Values = SortTile::Values;

/// Digits of a round, and the words that count them: two digits share one, d
/// the lower and d + kPairs the upper half.
static constexpr int64_t kPairs = (1 << SortTile::kBits) / 2;
static constexpr int64_t kHalf = 16;
/// Lanes whose sums one lane adds up.
static constexpr int64_t kLanesPerGroup = 16;
static constexpr int64_t kBanks = 32;

SortTile::SortTile(KernelBuilder &k, KeyImage &key, int64_t lanes,
                   int64_t items)
    : lane(k.laneId()), k(k), key(key), lanes(lanes), items(items) {}

void SortTile::allocate() {
  Type i32 = k.ir().getI32Type();
  auto allocatePadded = [&](int64_t count) {
    return k.allocateWorkgroup(i32, count + count / kBanks);
  };
  words = allocatePadded(lanes * items);
  counts = allocatePadded(lanes * kPairs);
  allocateForScans();
}

void SortTile::allocateForScans() {
  Type i32 = k.ir().getI32Type();
  sums = k.allocateWorkgroup(i32, lanes);
  groups = k.allocateWorkgroup(i32, lanes / kLanesPerGroup);
}

Value SortTile::padded(Value i) { return k(i) + k(i) / kBanks; }

void SortTile::put(Value word, Value i) {
  k.storeWorkgroup(words, word, padded(i));
}

Value SortTile::get(Value i) {
  return k.loadWorkgroup(words, k.ir().getI32Type(), padded(i));
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

/// Lanes are added up in groups, by the first lanes, and then groups by all.
std::pair<Value, Value> SortTile::scan(Value value) {
  Type i32 = k.ir().getI32Type();
  int64_t groupCount = lanes / kLanesPerGroup;
  k.storeWorkgroup(sums, value, lane);
  k.workgroupBarrier();
  k.ifThen(k(lane) < groupCount, [&] {
    Expr first = k(lane) * kLanesPerGroup, total = k.word(0);
    Values own; // All of them are under way before the first is written.
    for (int64_t i = 0; i < kLanesPerGroup; ++i)
      own.push_back(k.loadWorkgroup(sums, i32, first + i));
    for (int64_t i = 0; i < kLanesPerGroup; ++i) {
      k.storeWorkgroup(sums, total, first + i);
      total = total + own[i];
    }
    k.storeWorkgroup(groups, total, lane);
  });
  k.workgroupBarrier();
  Expr own = k(lane) / kLanesPerGroup;
  Value below = k.loadWorkgroup(sums, i32, lane), total = k.word(0);
  for (int64_t i = 0; i < groupCount; ++i) {
    Value sum = k.loadWorkgroup(groups, i32, k.index(i));
    below = k(below) + select(i < own, sum, k.word(0));
    total = k(total) + sum;
  }
  return {below, total};
}

/// Each lane has counted its digits in its column; makes of each count where
/// the first such element goes.
void SortTile::scanCounts() {
  Type i32 = k.ir().getI32Type();
  Values own;
  Expr sum = k.word(0);
  auto place = [&](int64_t i) { return padded(k(lane) * kPairs + i); };
  for (int64_t i = 0; i < kPairs; ++i) {
    own.push_back(k.loadWorkgroup(counts, i32, place(i)));
    sum = sum + own.back();
  }
  auto [below, total] = scan(sum);
  // The digits of the upper halves come behind all those of the lower ones.
  Expr next = k(below) + (k(total) << kHalf);
  for (int64_t i = 0; i < kPairs; ++i) {
    k.storeWorkgroup(counts, next, place(i));
    next = next + own[i];
  }
}

/// Where each element of the lane goes.
Values SortTile::rank(ValueRange elements, Value shift) {
  Type i32 = k.ir().getI32Type();
  Value low = k.word((1 << kHalf) - 1);
  int64_t perItem = elements.size() / items;
  auto column = [&](Value pair) { return padded(k(pair) * lanes + lane); };
  for (int64_t i = 0; i < kPairs; ++i)
    k.storeWorkgroup(counts, k.word(0), column(k.index(i)));
  struct Counted {
    Value at, half, before;
  };
  SmallVector<Counted> counted;
  for (int64_t i = 0; i < items; ++i) {
    Values own(elements.slice(i * perItem, key.words()));
    Value digit = key.digit(own, shift, kBits);
    Value at = column((k(digit) & (kPairs - 1)).toIndex());
    // 0 or kHalf: the upper bit of the digit, moved.
    Value half = (k(digit) << 1) & kHalf;
    Value count = k.loadWorkgroup(counts, i32, at);
    k.storeWorkgroup(counts, k(count) + (k.word(1) << half), at);
    counted.push_back({at, half, (k(count) >> half) & low});
  }
  k.workgroupBarrier();
  scanCounts();
  k.workgroupBarrier();
  Values ranks;
  for (const Counted &c : counted) {
    Value first = k.loadWorkgroup(counts, i32, c.at);
    first = (k(first) >> c.half) & low;
    ranks.push_back(k(first) + c.before);
  }
  return ranks;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Takes element i of a lane to place to(i), and then from place from(i).
Values SortTile::exchange(ValueRange elements,
                          function_ref<Value(int64_t item)> to,
                          function_ref<Value(int64_t item)> from) {
  int64_t perItem = elements.size() / items;
  Values taken(elements.size()), places;
  for (int64_t i = 0; i < items; ++i)
    places.push_back(to(i));
  for (int64_t word = 0; word < perItem; ++word) {
    if (word > 0)
      k.workgroupBarrier();
    for (int64_t i = 0; i < items; ++i)
      put(elements[i * perItem + word], places[i]);
    k.workgroupBarrier();
    for (int64_t i = 0; i < items; ++i)
      taken[i * perItem + word] = get(from(i));
  }
  return taken;
}

Values SortTile::round(ValueRange elements, Value shift) {
  Values ranks = rank(elements, shift);
  Expr first = k(lane) * items;
  return exchange(
      elements, [&](int64_t i) { return k(ranks[i]).toIndex(); },
      [&](int64_t i) { return first + i; });
}

Values SortTile::sort(ValueRange elements, Value from, int64_t count) {
  return k.loop(
      from, k(from) + count, k.index(kBits), elements,
      [&](Value shift, ValueRange now) {
        return round(now, k(shift).toWord());
      },
      /*runs=*/true);
}

Values SortTile::dealOut(ArrayRef<Value> elements) {
  Expr first = k(lane) * items;
  k.workgroupBarrier();
  return exchange(
      elements, [&](int64_t i) { return first + i; },
      [&](int64_t i) { return k(lane) + i * lanes; });
}
