//===- ElementEmitter.h - the value of an element, recursively ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion is recursive element emission: whoever needs elements of a tensor asks
// for them, and the answer is a load (a window), a constant, an index
// computation (a slice, a reshape) or the body of the operation that makes the
// tensor, cloned at that place - so any producer melts into any root.
//
// Elements are asked for `lanes` at a time: neighbours along one dimension,
// which lets windows be read 16 bytes at once.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "kernels/builder/KernelBuilder.h"
#include "kernels/elements/InnerReduction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::gpuvm {

/// "The index of dimension `dim` of the place an emission began with, plus
/// `offset`". Only where the index lies inside its tensor: next to it, where an
/// element is emitted and then not selected, it may be anything.
struct IndexAnchor {
  unsigned dim;
  int64_t offset;

  bool operator==(const IndexAnchor &) const = default;
};

/// An index of several lanes: lane v is at base + v * stride.
struct LaneIndex {
  static constexpr int64_t kUnbounded = int64_t(1) << 40;

  Value base;
  int64_t stride = 0;        ///< Between lanes; 0 = the same for all.
  int64_t divisor = 1;       ///< `base` is known to be a multiple of this.
  int64_t low = 0;           ///< `base` is known to be at least this ...
  int64_t high = kUnbounded; ///< ... and at most this; unknown from kUnbounded.
  std::optional<IndexAnchor> anchor = std::nullopt;

  bool operator==(const LaneIndex &) const = default;
};

/// One value per lane.
using Lanes = SmallVector<Value, 4>;

/// Takes a row-major position in `shape` apart. Lanes must not straddle a row.
SmallVector<LaneIndex> delinearize(KernelBuilder &kernel, LaneIndex position,
                                   ArrayRef<int64_t> shape);

class ElementEmitter {
public:
  /// A place in an index space; valid until the next `begin`.
  using Point = unsigned;

  /// What has been emitted since the last `begin`.
  class Scope;

  /// `bindingOf` gives the binding of a kernel's block argument. `exact`: as
  /// EmitOptions says.
  ElementEmitter(KernelBuilder &kernel,
                 std::function<unsigned(BlockArgument)> bindingOf, bool exact);

  /// Starts emission at a place of the kernel that what was emitted before does
  /// not dominate, `laneCount` elements at a time. Forgets all points.
  void begin(int64_t laneCount);

  /// Goes on with `scope`, whose elements must dominate the place of emission,
  /// and returns the scope so far.
  Scope exchange(Scope scope);

  /// The place `indices` in a space of `shape`.
  Point point(ArrayRef<LaneIndex> indices, ArrayRef<int64_t> shape);
  /// The same, with the row-major position `flat` of the place.
  Point point(ArrayRef<LaneIndex> indices, LaneIndex flat,
              ArrayRef<int64_t> shape);
  /// The place at row-major position `flat` in a space of `shape`.
  Point flatPoint(LaneIndex flat, ArrayRef<int64_t> shape);

  /// The elements of `tensor` at a place.
  FailureOr<Lanes> emit(Value tensor, Point at);

  /// Clones the body of `op` for the loop indices `at`, down to `values`, which
  /// are values of the body. `accumulators`, if given, stand for the outs.
  /// `given`, if given, answers with the element of an operand in all lanes, or
  /// null: then it is emitted.
  FailureOr<SmallVector<Lanes>>
  emitBody(linalg::GenericOp op, Point at, ValueRange values,
           ArrayRef<Lanes> accumulators = {},
           function_ref<Value(OpOperand &)> given = nullptr);

  /// Whether devices that the kernel is for have instructions that multiply and
  /// add up four bytes at once.
  void useDotProducts() { dotProducts = true; }

  /// From now on elements of `tensor` are `value` wherever they are asked for.
  void bind(Value tensor, Value value) { bound[tensor] = {value}; }
  /// The same with one value per lane.
  void bind(Value tensor, Lanes values) { bound[tensor] = std::move(values); }

  /// Stores elements of a tensor at a place of it.
  void store(unsigned binding, ArrayRef<Value> elements, Point at);

  /// The elements of a `flow.hold`'s result at these indices, one lane at a
  /// time. Only chains have such elements.
  using HeldFn =
      std::function<FailureOr<Value>(Value held, ArrayRef<LaneIndex> indices)>;
  void onHeld(HeldFn fn) { held = std::move(fn); }

  /// The row-major position of a place in its space.
  LaneIndex position(Point at);

  /// The place in a space of `shape` that `map` leads to.
  Point throughMap(Point at, AffineMap map, ArrayRef<int64_t> shape);

  class Scope {
    friend class ElementEmitter;
    struct Place {
      SmallVector<LaneIndex> indices; ///< Empty until needed, if flat is set.
      std::optional<LaneIndex> flat;
      SmallVector<int64_t> shape;
    };
    int64_t lanes = 1;
    std::vector<Place> places;
    DenseMap<std::pair<Value, Point>, Lanes> memo;
    DenseMap<std::pair<Point, AffineMap>, Point> mapped;
  };

private:
  ArrayRef<LaneIndex> indicesOf(Point at);
  LaneIndex evaluate(AffineExpr expr, ArrayRef<LaneIndex> dims);
  LaneIndex addIndex(LaneIndex a, LaneIndex b);
  LaneIndex mulIndex(LaneIndex a, int64_t factor);
  LaneIndex constantIndex(int64_t value);
  Value laneValue(LaneIndex index, int64_t lane);
  LaneIndex laneIndex(LaneIndex index, int64_t lane);

  /// Of each lane, how values of the body of `op` are called where it is
  /// cloned.
  using Clones = SmallVector<IRMapping, 1>;
  LogicalResult bindInputs(linalg::GenericOp op, Point at, Clones &clones,
                           function_ref<Value(OpOperand &)> given);
  Value divideIndex(Operation &op, Point at, int64_t lane);
  LogicalResult cloneBody(linalg::GenericOp op, Point at, int64_t lane,
                          Clones &clones);
  FailureOr<Value> readTable(Value table, ValueRange indices);
  LogicalResult readTables(Operation *op);

  FailureOr<Lanes> emitNew(Value tensor, Point at);
  FailureOr<Lanes> emitWindow(BlockArgument argument, Point at);
  FailureOr<Lanes> emitDecode(DecodeOp op, Point at);
  FailureOr<Value> emitInner(linalg::GenericOp op, unsigned result,
                             ArrayRef<LaneIndex> indices);
  FailureOr<SmallVector<Value>> reduceRun(linalg::GenericOp op, Point at,
                                          SmallVector<Value> accumulators);
  FailureOr<Value> addDotProducts(linalg::GenericOp op, Point at,
                                  const ByteProduct &product, Value total);
  FailureOr<Lanes> emitReshape(Value source, Point at);
  FailureOr<Lanes>
  emitEachLane(Point at,
               function_ref<FailureOr<Value>(ArrayRef<LaneIndex>)> emitOne);
  FailureOr<Value> emitAt(Value tensor, ArrayRef<LaneIndex> indices);
  FailureOr<Value> emitConcat(tensor::ConcatOp op, ArrayRef<LaneIndex> indices);
  FailureOr<Value> emitPad(tensor::PadOp op, ArrayRef<LaneIndex> indices);
  FailureOr<Value> emitInsertSlice(tensor::InsertSliceOp op,
                                   ArrayRef<LaneIndex> indices);
  FailureOr<Lanes> emitSlice(tensor::ExtractSliceOp op, Point at);
  LaneIndex rowNumber(GatherOp op, Value row);
  FailureOr<Lanes> emitGather(GatherOp op, Point at);

  KernelBuilder &kernel;
  std::function<unsigned(BlockArgument)> bindingOf;
  bool exact;
  bool dotProducts = false;
  Scope now;
  DenseMap<Value, Lanes> bound;
  HeldFn held;
};

} // namespace mlir::gpuvm
