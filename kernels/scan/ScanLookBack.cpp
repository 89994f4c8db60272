//===- ScanLookBack.cpp - what comes before a tile of a scan --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles publish their totals, and the first tile of a span that of the span
// before. A tile waits for the totals of the tiles before it in its span, of
// those of the span before, and of the spans before that, and combines them
// always in the same order, so nobody sees who was there first.
//
// Nothing says that the workgroups of these tiles have begun or get on. So the
// wait for them is bounded: behind it the workgroup makes the missing totals
// itself, from the elements (docs/rationale/scan.md).
//
//===----------------------------------------------------------------------===//

#include "kernels/scan/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kTilesPerSpan = ScanOrder::kTilesPerSpan;
static constexpr int64_t kClusters = ScanOrder::kClustersPerSpan;
static constexpr int64_t kCluster = ScanOrder::kTilesPerCluster;

//===----------------------------------------------------------------------===//
// Words that lanes share
//===----------------------------------------------------------------------===//

/// The word that lane 0 has, for all lanes of the workgroup.
Value ScanEmitter::shareWord(function_ref<Value()> ofLane0) {
  k.ifThen(k(lane) == 0,
           [&] { k.storeWorkgroup(words, ofLane0(), k.index(kSharedWord)); });
  k.workgroupBarrier();
  Value shared = loadShared(kSharedWord);
  k.workgroupBarrier();
  return shared;
}

Value ScanEmitter::loadShared(SharedWord which) {
  return k.loadWorkgroup(words, k.ir().getI32Type(), k.index(which));
}

/// Takes a ticket, of which there are as many as tiles in every run. They are
/// counted through two runs, which tell their totals apart by their marks.
void ScanEmitter::takeTicket() {
  unsigned binding = c.bindings.scratch.front();
  k.ifThen(k(lane) == 0, [&] {
    Value ticket = k.atomicIncrement(binding, k.index(layout.ticketWord()));
    k.storeWorkgroup(words, ticket, k.index(kTicket));
    k.storeWorkgroup(words, k.word(0), k.index(kIsMissing));
    Value isLast = k(ticket) == 2 * layout.tickets() - 1;
    k.ifThen(isLast, [&] {
      k.store(binding, k.word(0), k.index(layout.ticketWord()));
    });
  });
}

/// The mark of this run, which lanes know from the ticket, behind a barrier.
Value ScanEmitter::readMark() {
  Expr ticket = k(loadShared(kTicket)).toIndex();
  Expr isFirstRun = ticket < layout.tickets();
  return select(isFirstRun, k.word(kMark), k.word(2 * kMark));
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// The number of the total that is this lane's in `span`.
Value ScanEmitter::tileEntry(Value span) {
  Value last = k.index(layout.space.tiles() - 1);
  return min(k(span) * kTilesPerSpan + lane, last);
}
/// The number of what lies before `span`.
Value ScanEmitter::spanEntry(Value span) {
  return layout.space.tiles() + k(span);
}

/// The totals that this lane finds for tile `own` of `span`: of a tile of its
/// span, of a tile of the span before, and of a run of the spans before that.
SmallVector<ScanEmitter::Wanted> ScanEmitter::wantedTotals(Value span,
                                                           Value own) {
  SmallVector<Wanted> wanted = {{tileEntry(span), k(lane) < own}};
  if (layout.space.spans() == 1)
    return wanted;
  Value before = k(span) - min(k(span), 1);
  wanted.push_back({tileEntry(before), 0 < k(span)});
  int64_t run = layout.space.spansPerRun();
  for (int64_t j = 0; j < run; ++j) {
    Expr number = k(lane) * run + j;
    Value last = k.index(layout.space.spans() - 1);
    wanted.push_back({spanEntry(min(number, last)), number < before});
  }
  return wanted;
}

/// Waits for totals, and returns the words of all of them and whether all are
/// there. What is not needed or already seen is not looked at: many workgroups
/// ask the same memory.
std::pair<SmallVector<Value>, Value>
ScanEmitter::await(ArrayRef<Wanted> totals) {
  int64_t count = layout.wordsPerTotal();
  auto isMissing = [&](size_t i, ValueRange words) {
    Value there = isMarked(Values(words.slice(i * count, count)));
    return k(totals[i].isNeeded) & !k(there);
  };
  auto anyMissing = [&](ValueRange words) {
    Value any = isMissing(0, words);
    for (size_t i = 1; i < totals.size(); ++i)
      any = k(any) | isMissing(i, words);
    return any;
  };
  auto goesOn = [&](ValueRange state) {
    return k(anyMissing(state.drop_front())) & (k(state.front()) < c.spins + 1);
  };
  auto look = [&](ValueRange state) {
    ValueRange words = state.drop_front();
    Values next = {k(state.front()) + 1};
    for (size_t i = 0; i < totals.size(); ++i) {
      Values seen(words.slice(i * count, count));
      llvm::append_range(next,
                         k.choose(
                             isMissing(i, words), TypeRange(ValueRange(seen)),
                             [&] { return lookAt(totals[i].number); },
                             [&] { return seen; }));
    }
    return next;
  };
  Values initial = {k.index(0)};
  initial.append(count * totals.size(), k.word(0));
  Values words = k.loopWhile(initial, goesOn, look);
  words.erase(words.begin());
  return {words, !k(anyMissing(words))};
}

/// Makes all totals before tile `own` of `span` that are not there, and at last
/// once more those of the tile itself, which leaves workgroup memory as it was.
void ScanEmitter::makeTotals(Value span, Value own, TileShape shape) {
  Value yes = k.word(1), no = k.word(0);
  auto isThere = [&](Value number) {
    return k(shareWord([&] {
             return select(k(isMarked(lookAt(number))), yes, no);
           })) == yes;
  };
  auto eachSpan = [&](Value number, ValueRange) {
    Expr isOwn = k(number) == span;
    Expr done = !isOwn & isThere(spanEntry(number));
    Value end = select(isOwn, k(own) + 1, kTilesPerSpan);
    end = select(done, k.index(0), end);
    Expr first = k(number) * kTilesPerSpan;
    k.loop(k.index(0), end, k.index(1), {}, [&](Value i, ValueRange) {
      Value tile = first + i;
      Expr isLast = isOwn & (k(i) == own);
      forOnce(isLast | !k(isThere(tile)), [&] {
        loadTotals(tile, shape);
        foldTile(tile);
        k.deviceMemoryBarrier();
      });
      return Values();
    });
    if (layout.space.spans() > 1)
      forOnce(!(isOwn | done), [&] { makeSpan(number); });
    return Values();
  };
  k.loop(k.index(0), k(span) + 1, k.index(1), {}, eachSpan);
}

/// Publishes the total of span `number`, all of whose tiles' are there.
void ScanEmitter::makeSpan(Value number) {
  k.workgroupBarrier();
  k.deviceMemoryBarrier();
  store(blockMemory, valuesOf(lookAt(tileEntry(number))), paddedBlock(lane));
  foldClusters(Value(k.index(kTilesPerSpan)));
  k.ifThen(k(lane) < 1, [&] {
    publish(load(groupMemory, k.index(kSeriesTotal)), spanEntry(number));
  });
  k.deviceMemoryBarrier();
  k.workgroupBarrier();
}

/// Makes all that comes before tile `own` of `span` and is missing, and returns
/// the words of `totals`.
SmallVector<Value> ScanEmitter::fillIn(Value span, Value own, TileShape shape,
                                       ArrayRef<Wanted> totals) {
  // What the tile has loaded is still good behind this.
  ElementEmitter::Scope kept = c.elements.exchange(ElementEmitter::Scope());
  makeTotals(span, own, shape);
  c.elements.exchange(std::move(kept));
  k.deviceMemoryBarrier();
  SmallVector<Value> words;
  for (const Wanted &total : totals)
    llvm::append_range(words, lookAt(total.number));
  return words;
}

//===----------------------------------------------------------------------===//
// The way back
//===----------------------------------------------------------------------===//

/// The totals of the first counts[s] totals of each series s in block memory,
/// first those of clusters.
void ScanEmitter::foldClusters(ArrayRef<Value> counts) {
  auto ofSeries = [&](Value series) {
    Value count = counts.front();
    for (auto [s, own] : llvm::enumerate(counts.drop_front()))
      count = select(s < k(series), own, count);
    return count;
  };
  int64_t clusters = kClusters * counts.size();
  k.workgroupBarrier();
  k.ifThen(k(lane) < clusters, [&] {
    Value first = k(lane) % kClusters * kCluster;
    Value count = ofSeries(k(lane) / kClusters);
    count = min(k(count) - min(k(count), first), kCluster);
    store(groupMemory,
          fold(blockMemory, paddedBlock(k(lane) * kCluster), count), lane);
  });
  k.workgroupBarrier();
  k.ifThen(k(lane) < counts.size(), [&] {
    Value count = (k(ofSeries(lane)) + (kCluster - 1)) / kCluster;
    store(groupMemory, fold(groupMemory, k(lane) * kClusters, count),
          kSeriesTotal + k(lane));
  });
  k.workgroupBarrier();
}

/// What comes before `tile`: series 0 are the tiles of its span, series 1 those
/// of the span before, series 2 the runs of spans before that.
ScanEmitter::Partial ScanEmitter::lookBack(Value tile, TileShape shape) {
  Expr span = k(tile) / kTilesPerSpan, own = k(tile) % kTilesPerSpan;
  SmallVector<Wanted> wanted = wantedTotals(span, own);
  auto [found, hasAll] = await(wanted);
  Value yes = k.word(1);
  k.ifThen(!k(hasAll),
           [&] { k.storeWorkgroup(words, yes, k.index(kIsMissing)); });
  k.workgroupBarrier();
  Expr missing = k(loadShared(kIsMissing)) == yes;
  Values totals = k.loop(
      k.index(0), select(missing, k.index(1), 0), k.index(1), found,
      [&](Value, ValueRange) { return fillIn(span, own, shape, wanted); });
  SmallVector<Value> counts = {own};
  int64_t count = layout.wordsPerTotal();
  auto putSeries = [&](int64_t series, const Values &values) {
    Value at = series * kTilesPerSpan + k(lane);
    store(blockMemory, values, paddedBlock(at));
  };
  ArrayRef<Value> left = totals;
  putSeries(0, valuesOf(left.take_front(count)));
  if (layout.space.spans() > 1) {
    putSeries(1, valuesOf(left.slice(count, count)));
    Values run;
    for (size_t i = 2; i < wanted.size(); ++i) {
      Values next = valuesOf(left.slice(i * count, count));
      run = i == 2 ? next : choose(wanted[i].isNeeded, combine(run, next), run);
    }
    putSeries(2, run);
    int64_t length = layout.space.spansPerRun();
    Expr spans = span - min(span, 1);
    counts.push_back(k.index(kTilesPerSpan));
    counts.push_back((spans + (length - 1)) / length);
  }
  foldClusters(counts);
  Partial before = {load(groupMemory, k.index(kSeriesTotal)), 0 < own};
  if (layout.space.spans() > 1)
    before = join(beforeSpan(span, own), before);
  return {before.values, 0 < k(tile)};
}

/// What lies before `span`. Lane 0 publishes the total of the span before if
/// tile `own` is the first one.
ScanEmitter::Partial ScanEmitter::beforeSpan(Value span, Value own) {
  Values back = load(groupMemory, k.index(kSeriesTotal + 1));
  Value isBehind = 0 < k(span);
  Value isFirst = (k(own) + lane < 1) & isBehind;
  k.ifThen(isFirst, [&] { publish(back, spanEntry(k(span) - 1)); });
  Partial spans = {load(groupMemory, k.index(kSeriesTotal + 2)), 1 < k(span)};
  return join(spans, {back, isBehind});
}
