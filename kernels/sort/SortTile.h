//===- SortTile.h - elements of a workgroup in order ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitters of sorts. The lanes of a workgroup hold a tile of
// elements in registers, each lane neighbours. A round puts the tile in the
// stable order of four bits of the keys: each lane counts its own digits in a
// column of workgroup memory, a scan over all columns says where they go, and
// workgroup memory takes the elements there. No atomics (their order would be
// the device's) and no subgroups (their size, too): after Merrill and Grimshaw,
// "High performance and scalable radix sorting", 2011.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KeyImage.h"
#include "kernels/family/RootEmitter.h"

namespace mlir::gpuvm {

class SortTile {
public:
  /// Bits of a round.
  static constexpr int64_t kBits = 4;
  using Values = SmallVector<Value>;

  /// For tiles of `lanes` lanes, a multiple of 32, with `items` elements each.
  SortTile(KernelBuilder &k, KeyImage &key, int64_t lanes, int64_t items);
  /// Allocates the workgroup memory: for everything, or for scans alone.
  void allocate();
  void allocateForScans();

  /// Puts `elements` in the order of `count` bits of their keys, stable, from
  /// bit `from` on, which is an index. Element e of a lane is words e * w to e
  /// * w + w - 1, those of the key first; lane l has elements l * items on, and
  /// has those then, too.
  Values sort(ValueRange elements, Value from, int64_t count);

  /// The same elements dealt out: lane l gets elements l, l + lanes, ...
  Values dealOut(ArrayRef<Value> elements);

  /// The sum of the `value`s of the lanes below each one, and of all of them.
  std::pair<Value, Value> scan(Value value);

  /// Word `i` of memory for one word of each element of a tile.
  void put(Value word, Value i);
  Value get(Value i);

  Value lane;

private:
  Values round(ValueRange elements, Value shift);
  Values rank(ValueRange elements, Value shift);
  void scanCounts();
  Values exchange(ValueRange elements, function_ref<Value(int64_t item)> to,
                  function_ref<Value(int64_t item)> from);
  /// Where word `i` lies, so that neither lanes with neighbouring words nor
  /// lanes with runs of them meet in a bank.
  Value padded(Value i);

  KernelBuilder &k;
  KeyImage &key;
  int64_t lanes, items;
  Value words, counts, sums, groups; ///< Workgroup memory.
};

} // namespace mlir::gpuvm
