//===- StageRows.cpp - rows of the neighbours in the stages of a rank -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, padding and concatenations along the axis that is cut are computed
// where they are read, of blocks with a halo.
//
//===----------------------------------------------------------------------===//

#include "passes/program/StageCutter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The rows of a value that is cut, or made of the rows of such ones.
std::optional<ShiftedRows> StageCutter::rowsOf(Value value) {
  if (auto rows = shifted.find(value); rows != shifted.end())
    return rows->second;
  Axis axis = axisOf(value);
  return axis ? std::optional(ShiftedRows::of(value, *axis)) : std::nullopt;
}

/// The rows of neighbours that blocks of `rows`, and `more` rows after each of
/// them, are made of; none if these are not near or blocks are not as long as
/// those of the sources.
std::optional<RowReach> StageCutter::reachOf(const ShiftedRows &rows,
                                             int64_t more) const {
  std::optional<int64_t> length = rows.getSourceLength();
  if (!length || rows.getLength() != *length + more)
    return std::nullopt;
  RowReach reach;
  for (const ShiftedRows::Piece &piece : rows.pieces)
    if (piece.source)
      reach.add(RowReach::of(piece.shift, more, *length));
  return all.fits(reach, *length) ? std::optional(reach) : std::nullopt;
}

/// The parts of a move along one axis and along the others, one by one: padding
/// is first along the others, a slice first along the one.
void StageCutter::splitMove(Operation &op) {
  OpBuilder before(&op);
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    std::optional<ShiftedRows> rows = rowsOf(pad.getSource());
    Value fill = pad.getConstantPaddingValue();
    if (!rows || !fill || !pad.getLow().empty() || !pad.getHigh().empty())
      return;
    SmallVector<int64_t> low(pad.getStaticLow()), high(pad.getStaticHigh());
    int64_t lowHere = std::exchange(low[rows->axis], 0),
            highHere = std::exchange(high[rows->axis], 0);
    auto isNone = [](int64_t n) { return n == 0; };
    if ((lowHere == 0 && highHere == 0) ||
        (llvm::all_of(low, isNone) && llvm::all_of(high, isNone)))
      return;
    SmallVector<int64_t> shape(pad.getResultType().getShape());
    shape[rows->axis] -= lowHere + highHere;
    SmallVector<OpFoldResult> lows =
                                  getAsIndexOpFoldResult(op.getContext(), low),
                              highs =
                                  getAsIndexOpFoldResult(op.getContext(), high);
    auto others = tensor::PadOp::create(
        before, op.getLoc(),
        RankedTensorType::get(shape, pad.getResultType().getElementType()),
        pad.getSource(), lows, highs, fill);
    place(*others);
    done.insert(others);
    pad.getSourceMutable().assign(others);
    for (size_t i = 0; i < low.size(); ++i)
      low[i] = high[i] = 0;
    low[rows->axis] = lowHere;
    high[rows->axis] = highHere;
    pad.setStaticLow(low);
    pad.setStaticHigh(high);
    return;
  }
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  std::optional<ShiftedRows> rows =
      slice ? rowsOf(slice.getSource()) : std::nullopt;
  if (!rows || slice.getDroppedDims().test(rows->axis))
    return;
  SmallVector<int64_t> offsets(slice.getStaticOffsets()),
      sizes(slice.getStaticSizes()), strides(slice.getStaticStrides());
  SmallVector<int64_t> shape(slice.getSourceType().getShape());
  int64_t axis = rows->axis, length = shape[axis];
  bool isFull =
      offsets[axis] == 0 && sizes[axis] == length && strides[axis] == 1;
  bool hasOthers = false;
  for (int64_t i = 0, e = offsets.size(); i < e; ++i)
    hasOthers |= i != axis &&
                 (ShapedType::isDynamic(offsets[i]) || sizes[i] != shape[i]);
  if (isFull || !hasOthers || ShapedType::isDynamic(offsets[axis]))
    return;
  shape[axis] = sizes[axis];
  SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
  starts[axis] = offsets[axis];
  steps[axis] = strides[axis];
  auto along = tensor::ExtractSliceOp::create(
      before, op.getLoc(),
      RankedTensorType::get(shape, slice.getSourceType().getElementType()),
      slice.getSource(), ValueRange(), ValueRange(), ValueRange(), starts,
      shape, steps);
  place(*along);
  done.insert(along);
  slice.getSourceMutable().assign(along);
  offsets[axis] = 0;
  strides[axis] = 1;
  slice.setStaticOffsets(offsets);
  slice.setStaticStrides(strides);
}

/// Notes which rows the result has of what is cut. It is computed where it is
/// read.
bool StageCutter::placeRows(Operation &op) {
  std::optional<ShiftedRows> rows =
      shiftRows(&op, [&](Value value) { return rowsOf(value); });
  if (!rows || !rows->getSourceLength())
    return false;
  bool isBlock = rows->getLength() == *rows->getSourceLength();
  if (isBlock && !reachOf(*rows, 0))
    return false;
  for (const ShiftedRows::Piece &piece : rows->pieces)
    if (piece.source && !hasMargin())
      send(piece.source);
  Value result = op.getResult(0);
  all.define(result, Value(), isBlock ? Axis(rows->axis) : std::nullopt);
  shifted[result] = std::move(*rows);
  return true;
}

/// Whether all bits of a number are 0.
static bool isZero(TypedAttr number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValue().isPosZero();
  auto integer = dyn_cast<IntegerAttr>(number);
  return integer && integer.getValue().isZero();
}

namespace {
/// A source, how far its rows lie from the own ones, and whether one that is
/// meant lies farther by the length of the axis.
struct Part {
  Value source;
  int64_t shift;
  bool wraps;
};
} // namespace

/// What rows are made of, and which of it each piece is, if it has a source.
static SmallVector<Part> findParts(const ShiftedRows &rows,
                                   SmallVectorImpl<size_t> &partOf) {
  SmallVector<Part> parts;
  int64_t length = *rows.getSourceLength();
  for (const ShiftedRows::Piece &piece : rows.pieces) {
    int64_t shift = nearestShift(piece.shift, length);
    auto *known = llvm::find_if(parts, [&](const Part &part) {
      return part.source == piece.source && part.shift == shift;
    });
    partOf.push_back(known - parts.begin());
    if (!piece.source)
      continue;
    if (known == parts.end())
      known = &parts.emplace_back(Part{piece.source, shift, false});
    known->wraps |= piece.shift != shift;
  }
  return parts;
}

/// Of each row, by its number, the element of the block that its piece is of,
/// or what it is filled with.
static Value
chooseRows(OpBuilder &b, Location loc, const ShiftedRows &rows,
           ArrayRef<Value> blocks, ArrayRef<size_t> partOf,
           function_ref<Value(OpBuilder &, Location, Value)> rowNumber) {
  auto type = cast<RankedTensorType>(blocks.front().getType());
  SmallVector<AffineMap> maps(blocks.size() + 1,
                              b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto choose = [&](OpBuilder &nested, Location at, ValueRange elements) {
    Value index = linalg::IndexOp::create(nested, at, rows.axis);
    Value row = rowNumber(nested, at, index), chosen;
    for (auto [piece, part] : llvm::zip_equal(rows.pieces, partOf)) {
      Value element = piece.source
                          ? elements[part]
                          : arith::ConstantOp::create(nested, at, piece.fill);
      if (!chosen) {
        chosen = element;
        continue;
      }
      Value first = arith::ConstantIndexOp::create(nested, at, piece.begin);
      Value isThere = arith::CmpIOp::create(
          nested, at, arith::CmpIPredicate::sge, row, first);
      chosen = arith::SelectOp::create(nested, at, isThere, element, chosen);
    }
    linalg::YieldOp::create(nested, at, chosen);
  };
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  return linalg::GenericOp::create(b, loc, type, blocks, empty, maps, iterators,
                                   choose)
      .getResult(0);
}

/// `row`, or the first or last one.
static Value clampRow(OpBuilder &b, Location loc, Value row, int64_t length) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value last = arith::ConstantIndexOp::create(b, loc, length - 1);
  Value low = arith::MaxSIOp::create(b, loc, row, zero);
  return arith::MinSIOp::create(b, loc, low, last);
}

/// Rows `shift` from the own ones on, and `more` rows after them, of a block
/// with a margin; what lies beyond it is zeros.
static Value shiftMargin(OpBuilder &b, Location loc, Value block, int64_t axis,
                         int64_t shift, int64_t more) {
  auto type = cast<RankedTensorType>(block.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)),
      high(rank, b.getIndexAttr(0));
  int64_t before = std::max<int64_t>(0, -shift),
          after = std::max<int64_t>(0, shift + more),
          first = std::max<int64_t>(0, shift), length = type.getDimSize(axis),
          wanted = length + more, rows = wanted - before - after;
  if (first != 0 || rows != length)
    block = sliceRows(b, loc, block, axis, b.getIndexAttr(first), rows);
  low[axis] = b.getIndexAttr(before);
  high[axis] = b.getIndexAttr(after);
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
  return tensor::PadOp::create(b, loc, withRows(type, axis, wanted), block, low,
                               high, zero);
}

/// The number of the first row of a block, or of its margin.
Value StageCutter::rowBegin(Location loc, int64_t block) {
  Value begin = blockBegin(b, loc, getRank(), block);
  if (!hasMargin())
    return begin;
  Value rows = arith::ConstantIndexOp::create(b, loc, all.getMargin().rows);
  return arith::SubIOp::create(b, loc, begin, rows);
}

/// The number of a row of the block in all `length` rows.
Value StageCutter::rowNumber(OpBuilder &nested, Location loc, Value begin,
                             Value index, int64_t length) {
  Value row = arith::AddIOp::create(nested, loc, begin, index);
  if (!all.getMargin().wraps)
    return row;
  Value rows = arith::ConstantIndexOp::create(nested, loc, length);
  row = arith::AddIOp::create(nested, loc, row, rows);
  return arith::RemUIOp::create(nested, loc, row, rows);
}

/// The block, with its margin, of a value that all ranks have. Rows that there
/// are not are others.
Value StageCutter::cutMargin(Value whole, int64_t axis, RankedTensorType type) {
  Location loc = whole.getLoc();
  int64_t length = cast<RankedTensorType>(whole.getType()).getDimSize(axis);
  Value begin = rowBegin(loc, length / all.getRanks());
  SmallVector<AffineMap> maps(1, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  return linalg::GenericOp::create(
             b, loc, type, ValueRange(), empty, maps, iterators,
             [&](OpBuilder &nested, Location at, ValueRange) {
               SmallVector<Value> place;
               for (int64_t i = 0; i < type.getRank(); ++i)
                 place.push_back(linalg::IndexOp::create(nested, at, i));
               Value row = rowNumber(nested, at, begin, place[axis], length);
               place[axis] = clampRow(nested, at, row, length);
               Value element =
                   tensor::ExtractOp::create(nested, at, whole, place);
               linalg::YieldOp::create(nested, at, element);
             })
      .getResult(0);
}

/// The rank's block of `rows`, and `more` rows after it.
Value StageCutter::shiftedHere(const ShiftedRows &rows, int64_t more,
                               Location loc) {
  int64_t length = *rows.getSourceLength(), block = length / all.getRanks();
  SmallVector<size_t> partOf;
  SmallVector<Part> parts = findParts(rows, partOf);
  SmallVector<Value> blocks;
  for (const Part &part : parts) {
    if (part.shift == 0 && more == 0) {
      blocks.push_back(here(part.source));
      continue;
    }
    RowReach reach = RowReach::of(part.shift, more, length);
    note(part.source, std::max(reach.before, reach.after));
    if (hasMargin()) {
      if (part.wraps)
        all.wrapMargin();
      blocks.push_back(
          shiftMargin(b, loc, here(part.source), rows.axis, part.shift, more));
      continue;
    }
    reach.wraps = part.wraps;
    Partitioner::Halo halo = all.halo(source(part.source), reach);
    blocks.push_back(sliceRows(b, loc, argument(halo.wide), rows.axis,
                               b.getIndexAttr(halo.reach.before + part.shift),
                               block + more));
  }
  bool isOneShift =
      parts.size() == 1 &&
      llvm::all_of(rows.pieces, [](auto &piece) { return piece.source; });
  if (hasMargin() && more != 0 && !isOneShift)
    all.endMargin();
  // Where a halo has no rows it has zeros, unless it comes round.
  const Part &first = parts.front();
  bool hasZeros = parts.size() == 1 && !hasMargin() &&
                  (first.shift != 0 || more != 0) &&
                  !all.halo(source(first.source), RowReach()).reach.wraps;
  bool isOne = parts.size() == 1 && llvm::all_of(rows.pieces, [&](auto &piece) {
                 return piece.source || (hasZeros && isZero(piece.fill) &&
                                         (piece.end + first.shift <= 0 ||
                                          piece.begin + first.shift >= length));
               });
  if (isOne)
    return blocks.front();
  Value begin = rowBegin(loc, block);
  return chooseRows(b, loc, rows, blocks, partOf,
                    [&](OpBuilder &nested, Location at, Value index) {
                      return rowNumber(nested, at, begin, index, length);
                    });
}

/// Whether the rank can have its `block` rows of `value`, and some after them,
/// without all of it.
bool StageCutter::isShifted(Value value, int64_t axis, int64_t block) {
  std::optional<ShiftedRows> rows = rowsOf(value);
  if (!rows || rows->axis != axis ||
      *rows->getSourceLength() != block * all.getRanks())
    return false;
  return axisOf(value) == axis ||
         reachOf(*rows, rows->getLength() - *rows->getSourceLength());
}

/// The `block` rows of the rank, and `more` rows after them.
Value StageCutter::rowsHere(Value value, int64_t axis, int64_t block,
                            int64_t more) {
  if (isShifted(value, axis, block))
    return more == 0 ? blockHere(value, axis)
                     : shiftedHere(*rowsOf(value), more, value.getLoc());
  if (more == 0)
    return blockHere(value, axis);
  if (hasMargin())
    all.refuseMargin();
  Location loc = value.getLoc();
  return sliceRows(b, loc, wholeHere(value), axis,
                   blockBegin(b, loc, getRank(), block), block + more);
}

/// The rows of neighbours that the body of `op` reads of a table that is cut,
/// if they are near the row of the loop's number; none of another table.
std::optional<RowReach> StageCutter::reachOf(linalg::GenericOp op, Value table,
                                             unsigned loop) {
  Axis axis = axisOf(table);
  if (!axis)
    return std::nullopt;
  std::optional<RowReach> reach = reachOfTable(op, table, *axis, loop);
  return reach && all.fits(*reach, typeOf(table).getDimSize(*axis))
             ? reach
             : std::nullopt;
}

/// Loops along which windows slide over rows, or near whose numbers tables are
/// read.
SmallVector<unsigned> StageCutter::loopsOfRows(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SetVector<Value> tables;
  getUsedValuesDefinedAbove(op->getRegions(), tables);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool slides = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      std::optional<ShiftedRows> rows = rowsOf(operand.get());
      if (!rows || *rows->getSourceLength() != ranges[loop])
        return false;
      AffineExpr place =
          op.getMatchingIndexingMap(&operand).getResult(rows->axis);
      return place.isFunctionOfDim(loop) &&
             windowOf(place, loop, ranges).has_value();
    });
    if (slides || llvm::any_of(tables, [&](Value table) {
          return reachOf(op, table, loop).has_value();
        }))
      loops.push_back(loop);
  }
  return loops;
}

/// Reads of tables in `copy`, which has those of `op`, are at rows of the block
/// with its halo.
void StageCutter::numberInHalos(linalg::GenericOp op, const IRMapping &copies,
                                linalg::GenericOp copy, unsigned loop) {
  OpBuilder::InsertionGuard guard(b);
  op.walk([&](tensor::ExtractOp read) {
    Value table = read.getTensor();
    if (op->isAncestor(table.getParentRegion()->getParentOp()))
      return;
    std::optional<RowReach> reach = reachOf(op, table, loop);
    if (!reach)
      return;
    auto copied =
        copies.lookup(read.getResult()).getDefiningOp<tensor::ExtractOp>();
    int64_t axis = *axisOf(table), length = typeOf(table).getDimSize(axis),
            block = length / all.getRanks();
    int64_t before = all.getMargin().rows;
    if (!hasMargin() && !reach->isOwn())
      before = all.halo(source(table), *reach).reach.before;
    RowDistance distance =
        *distanceOf(read.getIndices()[axis], op, loop, length);
    Location loc = read.getLoc();
    Value index;
    if (distance.least == distance.most) {
      b.setInsertionPointToStart(
          copy.getBody()); // Reads may be in a loop there.
      index = linalg::IndexOp::create(b, loc, loop);
      Value far = arith::ConstantIndexOp::create(
          b, loc, distance.least + (hasMargin() ? 0 : before));
      index = arith::AddIOp::create(b, loc, index, far);
    } else {
      b.setInsertionPoint(copy);
      Value begin = blockBegin(b, loc, getRank(), block);
      Value first = arith::SubIOp::create(
          b, loc, begin, arith::ConstantIndexOp::create(b, loc, before));
      b.setInsertionPoint(copied);
      index = arith::SubIOp::create(b, loc, copied.getIndices()[axis], first);
      if (distance.wraps || all.getMargin().wraps) {
        Value all = arith::ConstantIndexOp::create(b, loc, length);
        index = arith::AddIOp::create(b, loc, index, all);
        index = arith::RemUIOp::create(b, loc, index, all);
      }
    }
    // Rows beyond the margin are read for those that are wrong then.
    if (hasMargin() && !reach->isOwn())
      index = clampRow(b, loc, index, block + 2 * before);
    copied.getIndicesMutable()[axis].assign(index);
  });
}
