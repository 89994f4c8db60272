//===- MergeRuns.cpp - sorted runs of a row, merged -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an element goes in its row is how many elements of each run come before
// it. A lane looks for that in all runs side by side, which hides that each
// search waits for memory; lanes side by side have neighbours of one run, and
// look at neighbours of another one.
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class MergeRuns : SortEmitter {
public:
  MergeRuns(EmitterContext &context, MergeRunsOp op)
      : SortEmitter(context, op) {}

  LogicalResult run();

private:
  void moveElement(Value position);
  Values countBefore(const Values &image, Value rowBegin, Value ownRun);
  Value steps(Value count, int64_t run, Value step, const Values &image,
              Value rowBegin, Value ownRun);
};
} // namespace

/// Elements of a run before the one with `image`, known to be `count` or up to
/// 2 step - 1 more: with a step more precision.
Value MergeRuns::steps(Value count, int64_t run, Value step,
                       const Values &image, Value rowBegin, Value ownRun) {
  int64_t begin = run * layout.piece;
  int64_t size = std::min(layout.piece, layout.length - begin);
  Expr next = k(count) + step;
  Expr at = min(next, size) - 1;
  Value element = read(moved.front(), k(rowBegin) + (begin + at), 1).front();
  Values other = key.image(toWords(k, element));
  // Of equal elements those of earlier runs come first.
  Expr isEarlier = run < k(ownRun);
  Value isBefore = key.before(other, image);
  Value isNotBehind = !k(key.before(image, other));
  Expr goes = (next < size + 1) & select(isEarlier, isNotBehind, isBefore);
  return select(goes, next, count);
}

/// How many elements of each run come before the one with `image`.
SortEmitter::Values MergeRuns::countBefore(const Values &image, Value rowBegin,
                                           Value ownRun) {
  int64_t runs = layout.piecesPerRow();
  Values start(runs, k.index(0));
  start.push_back(k.index(llvm::bit_floor<uint64_t>(layout.piece)));
  Values found = k.loop(
      k.index(0), k.index(llvm::Log2_64(layout.piece) + 1), k.index(1), start,
      [&](Value, ValueRange now) {
        Values next;
        Value step = now.back();
        for (int64_t run = 0; run < runs; ++run)
          next.push_back(steps(now[run], run, step, image, rowBegin, ownRun));
        next.push_back(k(step) / 2);
        return next;
      },
      /*runs=*/true);
  found.pop_back();
  return found;
}

void MergeRuns::moveElement(Value position) {
  Value rowBegin = k(position) / layout.length * layout.length;
  Expr place = k(position) - rowBegin;
  Expr ownRun = place / layout.piece;
  Values words;
  for (Value tensor : moved)
    words.append(toWords(k, read(tensor, position, 1).front()));
  Values image = key.image(ArrayRef(words).take_front(key.words()));
  Expr to = k(position) - ownRun * layout.piece;
  for (auto [run, count] :
       llvm::enumerate(countBefore(image, rowBegin, ownRun)))
    to = to + select(ownRun == run, k.index(0), count);
  write(words, to);
}

LogicalResult MergeRuns::run() {
  int64_t count = layout.rows * layout.length;
  Value thread = k.groupId() * layout.lanes + lane;
  k.loop(thread, k.index(count), k.index(c.layout.groups * layout.lanes), {},
         [&](Value position, ValueRange) {
           moveElement(position);
           return Values();
         });
  return failure(failed_);
}

LogicalResult gpuvm::emitMergeRuns(EmitterContext &context) {
  return MergeRuns(context, *context.op.getBody().getOps<MergeRunsOp>().begin())
      .run();
}
