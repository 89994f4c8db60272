//===- SearchSorted.cpp - where in a sorted table elements belong ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class SearchSorted : RootEmitter {
public:
  using Values = SmallVector<Value>;

  SearchSorted(EmitterContext &context, SearchSortedOp op)
      : RootEmitter(context), op(op),
        key(context.kernel,
            cast<RankedTensorType>(op.getTable().getType()).getElementType(),
            op.getIsUnsigned(), op.getDescending()) {}

  LogicalResult run();

private:
  Values imageAt(Value tensor, Value position);
  Value search(const Values &image);

  SearchSortedOp op;
  KeyImage key;
};
} // namespace

SearchSorted::Values SearchSorted::imageAt(Value tensor, Value position) {
  auto type = cast<RankedTensorType>(tensor.getType());
  c.elements.begin(1);
  auto element = c.elements.emit(
      tensor, c.elements.flatPoint({position, /*stride=*/1}, type.getShape()));
  Value value =
      check(element) ? element->front() : k.constant(type.getElementType(), 0);
  return key.image(toWords(k, value));
}

/// How many elements of the table come before the one with `image`: a number
/// that grows by powers of two, the largest first.
Value SearchSorted::search(const Values &image) {
  int64_t size = cast<RankedTensorType>(op.getTable().getType()).getDimSize(0);
  Values start = {k.index(0), k.index(llvm::bit_floor<uint64_t>(size))};
  return k
      .loop(
          k.index(0), k.index(llvm::Log2_64(size) + 1), k.index(1), start,
          [&](Value, ValueRange now) -> Values {
            Value count = now[0], step = now[1], next = k(count) + step;
            Value at = min(k(next), size) - 1;
            Values entry = imageAt(op.getTable(), at);
            Value isBefore = op.getRight() ? !k(key.before(image, entry))
                                           : key.before(entry, image);
            Expr fits = k(next) < size + 1;
            return {select(fits & isBefore, next, count), k(step) / 2};
          },
          /*runs=*/true)
      .front();
}

LogicalResult SearchSorted::run() {
  int64_t lanes = c.layout.lanes, groups = c.layout.groups;
  Value thread = k.groupId() * lanes + k.laneId();
  k.loop(thread, k.index(c.layout.elements), k.index(groups * lanes), {},
         [&](Value position, ValueRange) {
           Value found = search(imageAt(op.getQueries(), position));
           k.store(c.bindings.outputs.front(), k(found).toWord(), position);
           return Values();
         });
  return failure(failed_);
}

LogicalResult gpuvm::emitSearchSorted(EmitterContext &context) {
  return SearchSorted(context,
                      *context.op.getBody().getOps<SearchSortedOp>().begin())
      .run();
}
