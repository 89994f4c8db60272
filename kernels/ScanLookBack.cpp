//===- ScanLookBack.cpp - what comes before a tile of a scan --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles publish their totals, the last one of a span the total of the span. A
// tile combines the totals of the tiles before it in its span and of the spans
// before that, always in the same order, so nobody sees who was there first.
// All of these tiles have been begun, by workgroups that may not get on,
// though, on a device that does not promise that they do. So the wait for them
// is bounded: behind it the workgroup makes the missing totals itself, from the
// elements (docs/rationale/scan.md).
//
//===----------------------------------------------------------------------===//

#include "kernels/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kTilesPerSpan = ScanOrder::kTilesPerSpan;

//===----------------------------------------------------------------------===//
// Words that all workgroups see
//===----------------------------------------------------------------------===//

/// The word that lane 0 has, for all lanes of the workgroup.
Value ScanEmitter::shareWord(function_ref<Value()> ofLane0) {
  k.ifThen(k.equal(lane, k.index(0)),
           [&] { k.storeWorkgroup(word, ofLane0(), k.index(0)); });
  k.workgroupBarrier();
  Value shared = k.loadWorkgroup(word, k.ir().getI32Type(), k.index(0));
  k.workgroupBarrier();
  return shared;
}

/// The next tile that nobody has begun.
Value ScanEmitter::takeTicket() {
  unsigned words = c.layout.scratch.back();
  Value ticket = shareWord([&] {
    k.storeWorkgroup(word, k.word(0), k.index(1)); // Nothing is missing yet.
    return k.atomicIncrement(words, k.index(layout.ticketWord()));
  });
  return k.toIndex(ticket);
}

/// Whether total `number` is there, 0 or 1.
Value ScanEmitter::isThere(Value number) {
  return k.atomicOr(c.layout.scratch.back(), number, k.word(0));
}

/// Whether those of `totals` that are needed are there in the end. Lavapipe
/// loses track of barriers behind a loop with atomic operations, so the loop
/// looks without, which may be in vain, and one look with follows.
Value ScanEmitter::waitFor(ArrayRef<Wanted> totals) {
  unsigned words = c.layout.scratch.back();
  k.markVolatile(words);
  Type i32 = k.ir().getI32Type();
  Value there = k.word(1), missing = k.word(0);
  auto lookAt = [&](function_ref<Value(Value number)> look) {
    Value all = there;
    for (const Wanted &total : totals) {
      Value number = k.min(total.number, k.index(layout.totals() - 1));
      all = k.both(all, k.select(total.isNeeded, look(number), there));
    }
    return all;
  };
  Value found = k.loopWhile(
                     {missing, k.index(0)},
                     [&](ValueRange state) {
                       return k.both(k.equal(state[0], missing),
                                     k.less(state[1], k.index(c.spins)));
                     },
                     [&](ValueRange state) {
                       return Values{lookAt([&](Value number) {
                                       return k.load(words, i32, number);
                                     }),
                                     k.add(state[1], k.index(1))};
                     })
                    .front();
  auto yes = [&] { return Values{there}; };
  auto look = [&] {
    return Values{lookAt([&](Value number) { return isThere(number); })};
  };
  Value isFound = k.equal(found, there);
  return k.equal(k.choose(isFound, {i32}, yes, look).front(), there);
}

/// What lane 0 has is total `number` from now on. Several workgroups may say so
/// of the same total.
void ScanEmitter::publish(const Values &values, Value number) {
  k.ifThen(k.equal(lane, k.index(0)), [&] {
    for (auto [binding, value] :
         llvm::zip(ArrayRef(c.layout.scratch).drop_back(), values)) {
      k.markCoherent(binding);
      k.store(binding, value, number);
    }
    k.deviceMemoryBarrier(); // The total comes before the word.
    k.atomicOr(c.layout.scratch.back(), number, k.word(1));
  });
}

ScanEmitter::Values ScanEmitter::loadTotal(Value number) {
  number = k.min(number, k.index(layout.totals() - 1));
  Values values;
  for (auto [binding, type] :
       llvm::zip(ArrayRef(c.layout.scratch).drop_back(), slots)) {
    k.markCoherent(binding);
    values.push_back(k.load(binding, type, number));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Totals combined
//===----------------------------------------------------------------------===//

/// What the first `count` lanes have, in groups of 16, and the groups.
ScanEmitter::Partial ScanEmitter::foldLanes(const Values &values, Value count) {
  constexpr int64_t kGroup = ScanOrder::kTilesPerCluster;
  store(blockMemory, values, paddedBlock(lane));
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(ScanOrder::kClustersPerSpan)), [&] {
    Value first = k.mul(lane, kGroup);
    Value own = k.sub(count, k.min(count, first));
    Values total =
        fold(blockMemory, paddedBlock(first), k.min(own, k.index(kGroup)));
    store(groupMemory, total, lane);
  });
  k.workgroupBarrier();
  Value at = k.index(ScanOrder::kClustersPerSpan + 1);
  k.ifThen(k.less(lane, k.index(1)), [&] {
    Value groups = k.div(k.add(count, k.index(kGroup - 1)), kGroup);
    store(groupMemory, fold(groupMemory, k.index(0), groups), at);
  });
  k.workgroupBarrier();
  return {load(groupMemory, at), k.less(k.index(0), count)};
}

/// Of the spans before `span`; runs of neighbours first.
ScanEmitter::Partial ScanEmitter::foldSpansBefore(Value span) {
  int64_t run = layout.space.spansPerRun();
  Value first = k.mul(lane, run);
  Value own = k.min(k.sub(span, k.min(span, first)), k.index(run));
  auto at = [&](Value j) {
    return k.add(k.index(layout.space.tiles()), k.add(first, j));
  };
  Values total = loadTotal(at(k.index(0)));
  if (run > 1)
    total = k.loop(k.index(1), own, k.index(1), total,
                   [&](Value j, ValueRange sum) {
                     return combine(Values(sum), loadTotal(at(j)));
                   });
  return foldLanes(total, k.div(k.add(span, k.index(run - 1)), run));
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Whether a total before tile `own` of `span` is still missing.
Value ScanEmitter::awaitTotals(Value span, Value own) {
  SmallVector<Wanted> wanted = {
      {k.add(k.mul(span, kTilesPerSpan), lane), k.less(lane, own)}};
  int64_t run = layout.space.spansPerRun();
  if (layout.space.spans() > 1)
    for (int64_t j = 0; j < run; ++j) {
      Value number = k.add(k.mul(lane, run), k.index(j));
      wanted.push_back(
          {k.add(k.index(layout.space.tiles()), number), k.less(number, span)});
    }
  Value ready = waitFor(wanted);
  Value missing = k.negate(ready);
  k.ifThen(missing, [&] { k.storeWorkgroup(word, k.word(1), k.index(1)); });
  k.workgroupBarrier();
  Value found = k.loadWorkgroup(word, k.ir().getI32Type(), k.index(1));
  return k.equal(found, k.word(1));
}

void ScanEmitter::fillInTile(Value tile) {
  foldTile(loadTile(tile, tileShape(/*whole=*/true)));
  publish(load(groupMemory, k.index(ScanOrder::kGroupsPerTile)), tile);
}

/// Makes all totals before tile `own` of `span` that are not there.
void ScanEmitter::fillIn(Value span, Value own) {
  Value no = k.word(0);
  auto eachSpan = [&](Value number, ValueRange) {
    Value isOwn = k.equal(number, span);
    Value total = k.add(k.index(layout.space.tiles()), number);
    Value there = shareWord([&] { return isThere(total); });
    Value done = k.both(k.negate(isOwn), k.equal(there, k.word(1)));
    Value end = k.select(isOwn, own, k.index(kTilesPerSpan));
    end = k.select(done, k.index(0), end);
    Value first = k.mul(number, kTilesPerSpan);
    k.loop(k.index(0), end, k.index(1), {}, [&](Value i, ValueRange) {
      Value tile = k.add(first, i);
      Value made = shareWord([&] { return isThere(tile); });
      forOnce(k.equal(made, no), [&] { fillInTile(tile); });
      return Values();
    });
    Value makesTotal = k.negate(k.either(isOwn, done));
    if (layout.space.spans() > 1)
      forOnce(makesTotal, [&] {
        k.deviceMemoryBarrier(); // The words come before the totals.
        Partial before = foldLanes(loadTotal(k.add(first, lane)),
                                   k.index(kTilesPerSpan - 1));
        Values last = loadTotal(k.add(first, k.index(kTilesPerSpan - 1)));
        publish(combine(before.values, last), total);
      });
    return Values();
  };
  k.loop(k.index(0), k.add(span, k.index(1)), k.index(1), {}, eachSpan);
}

//===----------------------------------------------------------------------===//
// The way back
//===----------------------------------------------------------------------===//

ScanEmitter::Partial ScanEmitter::lookBack(Value tile, const Values &total) {
  Value span = k.div(tile, kTilesPerSpan), own = k.rem(tile, kTilesPerSpan);
  publish(total, tile);
  Value missing = awaitTotals(span, own);
  forOnce(missing, [&] {
    // What the tile has loaded is still good behind this.
    ElementEmitter::Scope kept = c.elements.exchange(ElementEmitter::Scope());
    fillIn(span, own);
    c.elements.exchange(std::move(kept));
  });
  k.deviceMemoryBarrier(); // The words come before the totals.
  Value first = k.mul(span, kTilesPerSpan);
  Partial before = foldLanes(loadTotal(k.add(first, lane)), own);
  if (layout.space.spans() == 1)
    return before;
  Value isLast = k.equal(own, k.index(kTilesPerSpan - 1));
  k.ifThen(isLast, [&] {
    publish(combine(before.values, total),
            k.add(k.index(layout.space.tiles()), span));
  });
  return join(foldSpansBefore(span), before);
}

/// The last workgroup leaves all words as it found them.
void ScanEmitter::finish() {
  unsigned words = c.layout.scratch.back();
  Value done = shareWord(
      [&] { return k.atomicIncrement(words, k.index(layout.doneWord())); });
  Value isLast = k.equal(k.toIndex(done), k.index(layout.groups() - 1));
  k.ifThen(isLast, [&] {
    k.loop(lane, k.index(layout.words()), k.index(KernelConfig::kLanes), {},
           [&](Value i, ValueRange) {
             k.store(words, k.word(0), i);
             return Values();
           });
  });
}
