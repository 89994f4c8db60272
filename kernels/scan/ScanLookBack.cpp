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
  k.ifThen(k.equal(lane, k.index(0)),
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
  k.ifThen(k.equal(lane, k.index(0)), [&] {
    Value ticket = k.atomicIncrement(binding, k.index(layout.ticketWord()));
    k.storeWorkgroup(words, ticket, k.index(kTicket));
    k.storeWorkgroup(words, k.word(0), k.index(kIsMissing));
    Value isLast = k.equal(ticket, k.word(2 * layout.tickets() - 1));
    k.ifThen(isLast, [&] {
      k.store(binding, k.word(0), k.index(layout.ticketWord()));
    });
  });
}

/// The mark of this run, which lanes know from the ticket, behind a barrier.
Value ScanEmitter::readMark() {
  Value ticket = k.toIndex(loadShared(kTicket));
  Value isFirstRun = k.less(ticket, k.index(layout.tickets()));
  return k.select(isFirstRun, k.word(kMark), k.word(2 * kMark));
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// The number of the total that is this lane's in `span`.
Value ScanEmitter::tileEntry(Value span) {
  Value last = k.index(layout.space.tiles() - 1);
  return k.min(k.add(k.mul(span, kTilesPerSpan), lane), last);
}
/// The number of what lies before `span`.
Value ScanEmitter::spanEntry(Value span) {
  return k.add(k.index(layout.space.tiles()), span);
}

/// The totals that this lane finds for tile `own` of `span`: of a tile of its
/// span, of a tile of the span before, and of a run of the spans before that.
SmallVector<ScanEmitter::Wanted> ScanEmitter::wantedTotals(Value span,
                                                           Value own) {
  SmallVector<Wanted> wanted = {{tileEntry(span), k.less(lane, own)}};
  if (layout.space.spans() == 1)
    return wanted;
  Value before = k.sub(span, k.min(span, k.index(1)));
  wanted.push_back({tileEntry(before), k.less(k.index(0), span)});
  int64_t run = layout.space.spansPerRun();
  for (int64_t j = 0; j < run; ++j) {
    Value number = k.add(k.mul(lane, run), k.index(j));
    Value last = k.index(layout.space.spans() - 1);
    wanted.push_back({spanEntry(k.min(number, last)), k.less(number, before)});
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
    return k.both(totals[i].isNeeded, k.negate(there));
  };
  auto anyMissing = [&](ValueRange words) {
    Value any = isMissing(0, words);
    for (size_t i = 1; i < totals.size(); ++i)
      any = k.either(any, isMissing(i, words));
    return any;
  };
  auto goesOn = [&](ValueRange state) {
    return k.both(anyMissing(state.drop_front()),
                  k.less(state.front(), k.index(c.spins + 1)));
  };
  auto look = [&](ValueRange state) {
    ValueRange words = state.drop_front();
    Values next = {k.add(state.front(), k.index(1))};
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
  return {words, k.negate(anyMissing(words))};
}

/// Makes all totals before tile `own` of `span` that are not there, and at last
/// once more those of the tile itself, which leaves workgroup memory as it was.
void ScanEmitter::makeTotals(Value span, Value own, TileShape shape) {
  Value yes = k.word(1), no = k.word(0);
  auto isThere = [&](Value number) {
    return k.equal(
        shareWord([&] { return k.select(isMarked(lookAt(number)), yes, no); }),
        yes);
  };
  auto eachSpan = [&](Value number, ValueRange) {
    Value isOwn = k.equal(number, span);
    Value done = k.both(k.negate(isOwn), isThere(spanEntry(number)));
    Value end = k.select(isOwn, k.add(own, k.index(1)), k.index(kTilesPerSpan));
    end = k.select(done, k.index(0), end);
    Value first = k.mul(number, kTilesPerSpan);
    k.loop(k.index(0), end, k.index(1), {}, [&](Value i, ValueRange) {
      Value tile = k.add(first, i);
      Value isLast = k.both(isOwn, k.equal(i, own));
      forOnce(k.either(isLast, k.negate(isThere(tile))), [&] {
        loadTotals(tile, shape);
        foldTile(tile);
        k.deviceMemoryBarrier();
      });
      return Values();
    });
    if (layout.space.spans() > 1)
      forOnce(k.negate(k.either(isOwn, done)), [&] { makeSpan(number); });
    return Values();
  };
  k.loop(k.index(0), k.add(span, k.index(1)), k.index(1), {}, eachSpan);
}

/// Publishes the total of span `number`, all of whose tiles' are there.
void ScanEmitter::makeSpan(Value number) {
  k.workgroupBarrier();
  k.deviceMemoryBarrier();
  store(blockMemory, valuesOf(lookAt(tileEntry(number))), paddedBlock(lane));
  foldClusters(k.index(kTilesPerSpan));
  k.ifThen(k.less(lane, k.index(1)), [&] {
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
      count = k.select(k.less(k.index(s), series), own, count);
    return count;
  };
  int64_t clusters = kClusters * counts.size();
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(clusters)), [&] {
    Value first = k.mul(k.rem(lane, kClusters), kCluster);
    Value count = ofSeries(k.div(lane, kClusters));
    count = k.min(k.sub(count, k.min(count, first)), k.index(kCluster));
    store(groupMemory,
          fold(blockMemory, paddedBlock(k.mul(lane, kCluster)), count), lane);
  });
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(counts.size())), [&] {
    Value count = k.div(k.add(ofSeries(lane), k.index(kCluster - 1)), kCluster);
    store(groupMemory, fold(groupMemory, k.mul(lane, kClusters), count),
          k.add(k.index(kSeriesTotal), lane));
  });
  k.workgroupBarrier();
}

/// What comes before `tile`: series 0 are the tiles of its span, series 1 those
/// of the span before, series 2 the runs of spans before that.
ScanEmitter::Partial ScanEmitter::lookBack(Value tile, TileShape shape) {
  Value span = k.div(tile, kTilesPerSpan), own = k.rem(tile, kTilesPerSpan);
  SmallVector<Wanted> wanted = wantedTotals(span, own);
  auto [found, hasAll] = await(wanted);
  Value yes = k.word(1);
  k.ifThen(k.negate(hasAll),
           [&] { k.storeWorkgroup(words, yes, k.index(kIsMissing)); });
  k.workgroupBarrier();
  Value missing = k.equal(loadShared(kIsMissing), yes);
  Values totals = k.loop(
      k.index(0), k.select(missing, k.index(1), k.index(0)), k.index(1), found,
      [&](Value, ValueRange) { return fillIn(span, own, shape, wanted); });
  SmallVector<Value> counts = {own};
  int64_t count = layout.wordsPerTotal();
  auto putSeries = [&](int64_t series, const Values &values) {
    Value at = k.add(k.index(series * kTilesPerSpan), lane);
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
    Value spans = k.sub(span, k.min(span, k.index(1)));
    counts.push_back(k.index(kTilesPerSpan));
    counts.push_back(k.div(k.add(spans, k.index(length - 1)), length));
  }
  foldClusters(counts);
  Partial before = {load(groupMemory, k.index(kSeriesTotal)),
                    k.less(k.index(0), own)};
  if (layout.space.spans() > 1)
    before = join(beforeSpan(span, own), before);
  return {before.values, k.less(k.index(0), tile)};
}

/// What lies before `span`. Lane 0 publishes the total of the span before if
/// tile `own` is the first one.
ScanEmitter::Partial ScanEmitter::beforeSpan(Value span, Value own) {
  Values back = load(groupMemory, k.index(kSeriesTotal + 1));
  Value isBehind = k.less(k.index(0), span);
  Value isFirst = k.both(k.less(k.add(own, lane), k.index(1)), isBehind);
  k.ifThen(isFirst, [&] { publish(back, spanEntry(k.sub(span, k.index(1)))); });
  Partial spans = {load(groupMemory, k.index(kSeriesTotal + 2)),
                   k.less(k.index(1), span)};
  return join(spans, {back, isBehind});
}
