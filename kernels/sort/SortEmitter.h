//===- SortEmitter.h - what emitters of sorts share -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitters: the pieces of rows that workgroups take, and the
// elements that they read and write there. Runs (SortRuns.cpp) and chunks
// (CountDigits.cpp, ScatterDigits.cpp) are pieces, as are parts of what two
// rows become (MergeRows.cpp); what merges runs and searches (MergeRuns.cpp,
// SearchSorted.cpp) goes element by element.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/sort/SortLayout.h"
#include "kernels/sort/SortTile.h"

namespace mlir::gpuvm {

class SortEmitter : protected RootEmitter {
protected:
  using Values = SmallVector<Value>;

  /// For an operation with a key, its flags and perhaps payloads.
  template <typename Op>
  SortEmitter(EmitterContext &context, Op op)
      : SortEmitter(context, op, op.getKey()) {
    if constexpr (!std::is_same_v<Op, CountDigitsOp>)
      llvm::append_range(moved, op.getPayloads());
  }
  template <typename Op>
  SortEmitter(EmitterContext &context, Op op, Value first)
      : RootEmitter(context), layout(context.layoutAs<SortLayout>()),
        key(context.kernel,
            cast<RankedTensorType>(first.getType()).getElementType(),
            op.getIsUnsigned(), op.getDescending()) {
    moved.push_back(first);
    llvm::append_range(sorted, op->getResults());
    lane = k.laneId();
  }

  /// A piece of a row, in elements.
  struct Piece {
    Value number, row;  ///< Of the piece in its row; of the row.
    Value rowBegin;     ///< Position of the row's first element.
    Value begin, count; ///< Its first element's place in the row; how many.
  };
  /// Emits `emit` for each piece, in a loop over those of the workgroup.
  LogicalResult eachPiece(function_ref<void(const Piece &piece)> emit);

  /// Emits `emitTile` for the tiles of a piece, one after the other. `next` is
  /// where in its row the lane's digit `digit` goes on: `offsets` says where it
  /// begins, and `emitTile` returns where it goes on behind the tile.
  void
  eachTile(const Piece &piece, TypedValue<RankedTensorType> offsets,
           Value digit,
           function_ref<Value(Value begin, Value end, Value next)> emitTile);

  /// `count` neighbouring elements of `tensor` from position `at` on.
  Values read(Value tensor, Value at, int64_t count);
  /// The words of the elements that a lane of a tile holds. `begin` is the
  /// place of the tile in its row, and `end` the place behind the last element;
  /// from there on the keys are `last`. `placeOf` is the place in the tile of
  /// an element, which a multiple of layout.vector is the number of.
  Values readTile(const Piece &piece, Value begin, Value end,
                  ArrayRef<Value> last,
                  function_ref<Value(int64_t item)> placeOf);
  /// Words in an element of `moved`.
  int64_t wordsPerItem() const;
  /// Stores an element's words at a position of the results that are read.
  void write(ArrayRef<Value> words, Value position);
  /// The same of one result.
  void store(Value result, ArrayRef<Value> words, Value position);
  /// Where `result` is stored; none if nothing reads it.
  std::optional<unsigned> bindingOf(Value result);

  const SortLayout &layout;
  KeyImage key;
  SmallVector<Value> moved;  ///< The key and the payloads.
  SmallVector<Value> sorted; ///< The results: of `moved`, in order.
  Value lane;
};

LogicalResult emitSortRuns(EmitterContext &context);
LogicalResult emitMergeRuns(EmitterContext &context);
LogicalResult emitMergeRows(EmitterContext &context);
LogicalResult emitCountDigits(EmitterContext &context);
LogicalResult emitScatterDigits(EmitterContext &context);
/// The variant with ballots of subgroups.
LogicalResult emitScatterBallots(EmitterContext &context);
LogicalResult emitSearchSorted(EmitterContext &context);

} // namespace mlir::gpuvm
