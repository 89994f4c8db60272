//===- BallotTile.cpp - ranks by ballots of subgroups ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/BallotTile.h"
#include "kernels/analysis/Subgroups.h"

using namespace mlir;
using namespace mlir::gpuvm;

using Values = BallotTile::Values;

BallotTile::BallotTile(EmitterContext &context, KeyImage &key)
    : k(context.kernel), key(key), subgroupLanes(subgroupLanesOf(context.op)),
      lanes(context.layout.lanes), items(context.layoutAs<SortLayout>().items),
      subgroup(k.subgroupId()), laneInSubgroup(k.laneInSubgroup()) {
  lane = k(subgroup) * subgroupLanes + laneInSubgroup;
}

void BallotTile::allocate() {
  Type i32 = k.ir().getI32Type();
  int64_t counters = lanes / subgroupLanes * kDigits;
  words = k.allocateWorkgroup(i32, std::max(lanes * items, counters));
  sums = k.allocateWorkgroup(i32, lanes / subgroupLanes);
}

Value BallotTile::place(int64_t item) {
  return k(subgroup) * (subgroupLanes * items) + laneInSubgroup +
         item * subgroupLanes;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

Value BallotTile::hasDigit() { return k(lane) < kDigits; }

Value BallotTile::counter(Value subgroup, Value digit) {
  return k(subgroup) * kDigits + digit;
}

/// A bit for each lane of the subgroup that holds the same digit.
Value BallotTile::findSame(Value digit) {
  constexpr int64_t kBallotBits = 32;
  Value all = k.word(~0u >> (kBallotBits - subgroupLanes)), same = all,
        zero = k.word(0);
  for (int64_t bit = 0; bit < kBits; ++bit) {
    Expr isClear = (k(digit) & (1u << bit)) == zero;
    Value agrees = k(k.ballot(isClear)) ^ select(isClear, zero, all);
    same = k(same) & agrees;
  }
  return same;
}

/// Counts the elements of a subgroup, and returns for each of the lane's how
/// many with its digit come before it there. The highest lane with a digit
/// counts for all of them.
Values BallotTile::countOwn(ArrayRef<Value> digits) {
  Type i32 = k.ir().getI32Type();
  Expr one = k.word(1), own = k(laneInSubgroup).toWord();
  Value lower = (one << own) - one;
  for (int64_t i = 0; i < kDigits; i += subgroupLanes)
    k.storeWorkgroup(words, k.word(0),
                     counter(subgroup, k(laneInSubgroup) + i));
  k.subgroupBarrier();
  // Ballots do not wait for each other as long as no barrier is between them.
  Values same, before;
  for (Value digit : digits) {
    same.push_back(findSame(digit));
    before.push_back(countBits(k(same.back()) & lower));
  }
  for (auto [digit, lanes, below] : llvm::zip_equal(digits, same, before)) {
    Value isHighest = (k(lanes) >> own) == one;
    Value at = counter(subgroup, k(digit).toIndex());
    below = k(below) + k.loadWorkgroup(words, i32, at);
    k.subgroupBarrier();
    k.ifThen(isHighest, [&, through = k(below) + one] {
      k.storeWorkgroup(words, through, at);
    });
    k.subgroupBarrier();
  }
  return before;
}

/// Makes of each subgroup's counts of the lane's digits where its first such
/// element goes.
void BallotTile::placeDigits(Ranks &ranks) {
  Type i32 = k.ir().getI32Type();
  int64_t subgroups = lanes / subgroupLanes;
  int64_t perLane = std::max<int64_t>(kDigits / lanes, 1);
  Expr first = min(k(lane), kDigits - 1) * perLane;
  auto at = [&](int64_t digit, int64_t s) {
    return counter(k.index(s), first + digit);
  };
  SmallVector<Values> inSubgroups(perLane);
  Expr sum = k.word(0);
  for (int64_t d = 0; d < perLane; ++d) {
    Expr count = k.word(0);
    for (int64_t s = 0; s < subgroups; ++s) {
      inSubgroups[d].push_back(count);
      count = count + k.loadWorkgroup(words, i32, at(d, s));
    }
    ranks.begins.push_back(sum);
    ranks.counts.push_back(count);
    sum = sum + count;
  }
  // Lanes without a digit are behind those that have one.
  Value below = k.sumBelow(sum);
  k.ifThen(k(laneInSubgroup) == subgroupLanes - 1,
           [&] { k.storeWorkgroup(sums, k(below) + sum, subgroup); });
  k.workgroupBarrier();
  int64_t withDigits = std::min(subgroups, kDigits / subgroupLanes);
  for (int64_t s = 0; s + 1 < withDigits; ++s) {
    Value own = k.loadWorkgroup(sums, i32, k.index(s));
    below = k(below) + select(s < k(subgroup), own, k.word(0));
  }
  for (Value &begin : ranks.begins)
    begin = k(begin) + below;
  k.ifThen(hasDigit(), [&] {
    for (int64_t d = 0; d < perLane; ++d)
      for (int64_t s = 0; s < subgroups; ++s)
        k.storeWorkgroup(words, k(ranks.begins[d]) + inSubgroups[d][s],
                         at(d, s));
  });
}

BallotTile::Ranks BallotTile::rank(ValueRange elements, Value shift) {
  int64_t perItem = elements.size() / items;
  Values digits;
  for (int64_t i = 0; i < items; ++i)
    digits.push_back(key.digit(Values(elements.slice(i * perItem, key.words())),
                               shift, kBits));
  k.workgroupBarrier(); // Words have been taken.
  Values before = countOwn(digits);
  k.workgroupBarrier();
  Ranks ranks;
  placeDigits(ranks);
  k.workgroupBarrier();
  for (auto [digit, own] : llvm::zip_equal(digits, before)) {
    Value first = k.loadWorkgroup(words, k.ir().getI32Type(),
                                  counter(subgroup, k(digit).toIndex()));
    ranks.places.push_back(k(first) + own);
  }
  k.workgroupBarrier(); // Counters have been taken.
  return ranks;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Values BallotTile::exchange(ValueRange elements,
                            function_ref<Value(int64_t item)> to,
                            function_ref<Value(int64_t item)> from) {
  Type i32 = k.ir().getI32Type();
  int64_t perItem = elements.size() / items;
  Values taken(elements.size());
  for (int64_t word = 0; word < perItem; ++word) {
    if (word > 0)
      k.workgroupBarrier();
    for (int64_t i = 0; i < items; ++i)
      k.storeWorkgroup(words, elements[i * perItem + word], to(i));
    k.workgroupBarrier();
    for (int64_t i = 0; i < items; ++i)
      taken[i * perItem + word] = k.loadWorkgroup(words, i32, from(i));
  }
  return taken;
}

Values BallotTile::sort(ValueRange elements) {
  return k.loop(
      k.index(0), k.index(key.bits()), k.index(kBits), elements,
      [&](Value shift, ValueRange now) {
        Ranks ranks = rank(now, k(shift).toWord());
        return exchange(
            now, [&](int64_t i) { return k(ranks.places[i]).toIndex(); },
            [&](int64_t i) { return place(i); });
      },
      /*runs=*/true);
}
