//===- ScanPartials.cpp - partial results of a scan -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/scan/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Neighbours that a lane of a GPU loads at once: all 16 would take registers
/// that elements are in.
static constexpr int64_t kFoldedAtOnce = 4;

ScanEmitter::Values ScanEmitter::choose(Value condition, const Values &a,
                                        const Values &b) {
  Values chosen;
  for (auto [x, y] : llvm::zip_equal(a, b))
    chosen.push_back(select(k(condition), x, y));
  return chosen;
}

/// `a`, which comes first, and `b`. Where a segment begins in `b`, what is
/// before does not matter.
ScanEmitter::Values ScanEmitter::combine(const Values &a, const Values &b) {
  size_t count = layout.inputs.size();
  Values next;
  if (scan) {
    Block &block = scan.getCombine().front();
    IRMapping mapping;
    for (size_t i = 0; i < count; ++i) {
      mapping.map(block.getArgument(i), a[i]);
      mapping.map(block.getArgument(count + i), b[i]);
    }
    for (Operation &op : block.without_terminator())
      k.ir().clone(op, mapping);
    for (Value value : block.getTerminator()->getOperands())
      next.push_back(mapping.lookupOrDefault(value));
  } else {
    next.push_back(k(a.front()) + b.front());
  }
  if (!layout.segmented)
    return next;
  for (size_t i = 0; i < count; ++i)
    next[i] = select(k(b.back()), b[i], next[i]);
  next.push_back(k(a.back()) | b.back());
  return next;
}

/// What there is of both.
ScanEmitter::Partial ScanEmitter::join(const Partial &a, const Partial &b) {
  Values values = combine(a.values, b.values);
  if (a.exists)
    values = choose(a.exists, values, b.values);
  if (b.exists)
    values = choose(b.exists, values, a.values);
  if (!a.exists || !b.exists)
    return {values, Value()};
  return {values, k(a.exists) | b.exists};
}

SmallVector<Value> ScanEmitter::allocate(int64_t count) {
  SmallVector<Value> memory;
  for (Type type : slots)
    memory.push_back(k.allocateWorkgroup(type, count));
  return memory;
}

ScanEmitter::Values ScanEmitter::load(ArrayRef<Value> memory, Value at) {
  Values values;
  for (auto [own, type] : llvm::zip_equal(memory, slots))
    values.push_back(k.loadWorkgroup(own, type, at));
  return values;
}

/// Neighbours `first` + j, `first` + j + 1, ...
SmallVector<ScanEmitter::Values>
ScanEmitter::loadSeveral(ArrayRef<Value> memory, Value first, Value j) {
  SmallVector<Values> loaded;
  for (int64_t i = 0; i < kFoldedAtOnce; ++i)
    loaded.push_back(load(memory, k(first) + (k(j) + i)));
  return loaded;
}

void ScanEmitter::store(ArrayRef<Value> memory, const Values &values,
                        Value at) {
  for (auto [own, value] : llvm::zip_equal(memory, values))
    k.storeWorkgroup(own, value, at);
}

/// What `unrolled` makes, in the form for GPUs, which have the registers for it
/// if there are few slots; else `inLoop`.
ScanEmitter::Values ScanEmitter::onGpu(function_ref<Values()> unrolled,
                                       function_ref<Values()> inLoop) {
  constexpr size_t kMaxLoadedSlots = 4;
  bool loops = inLoops() || slots.size() > kMaxLoadedSlots;
  return loops ? inLoop() : unrolled();
}

/// Replaces each of `count` neighbours but the first by the total of those
/// before it, and returns the total of all, as only the first `folding` lanes
/// do. GPUs load some of them at once, so that they wait less often; lavapipe
/// skips the turns of a loop that no lane takes
/// (docs/rationale/reduction-rows.md).
ScanEmitter::Values ScanEmitter::foldInPlace(ArrayRef<Value> memory,
                                             Value first, int64_t count,
                                             int64_t folding) {
  // The end depends on the lane in a way that drivers do not see through, or
  // they would unroll the loop.
  Value end = k.index(count) - k(lane) / folding;
  auto several = [&](Value j, ValueRange carried) {
    SmallVector<Values> loaded = loadSeveral(memory, first, j);
    Values total = carried;
    for (int64_t i = 0; i < kFoldedAtOnce; ++i) {
      Values before = total;
      total = combine(total, loaded[i]);
      if (i == 0)
        total = choose(k(j) == 0, loaded[i], total);
      store(memory, before, k(first) + (k(j) + i));
    }
    return total;
  };
  auto unrolled = [&] {
    return k.loop(k.index(0), end, k.index(kFoldedAtOnce), load(memory, first),
                  several);
  };
  auto inLoop = [&] {
    auto next = [&](Value j, ValueRange total) {
      Value at = k(first) + j;
      Values own = load(memory, at);
      store(memory, Values(total), at);
      return combine(Values(total), own);
    };
    return k.loop(k.index(1), end, k.index(1), load(memory, first), next);
  };
  return onGpu(unrolled, inLoop);
}

/// The total of the first `count` of 16 neighbours, one at least. GPUs load
/// some of them at once.
ScanEmitter::Values ScanEmitter::fold(ArrayRef<Value> memory, Value first,
                                      Value count) {
  auto several = [&](Value j, ValueRange carried) {
    SmallVector<Values> loaded = loadSeveral(memory, first, j);
    Values total = carried;
    for (int64_t i = 0; i < kFoldedAtOnce; ++i) {
      Expr at = k(j) + i;
      Values next = choose(at < count, combine(total, loaded[i]), total);
      if (i == 0)
        next = choose(k(j) == 0, loaded[i], next);
      total = next;
    }
    return total;
  };
  auto unrolled = [&] {
    return k.loop(k.index(0), count, k.index(kFoldedAtOnce),
                  load(memory, first), several);
  };
  auto inLoop = [&] {
    auto next = [&](Value j, ValueRange total) {
      return combine(Values(total), load(memory, k(first) + j));
    };
    return k.loop(k.index(1), count, k.index(1), load(memory, first), next);
  };
  return onGpu(unrolled, inLoop);
}

/// Lavapipe has no branches, but a loop that no lane enters is left out.
void ScanEmitter::forOnce(Value condition, function_ref<void()> body) {
  k.loop(k.index(0), select(k(condition), k.index(1), 0), k.index(1), {},
         [&](Value, ValueRange) {
           body();
           return Values();
         });
}
