//===- ShiftedRows.cpp - rows of blocks that come from others -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/ShiftedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Values that are other ones, shifted
//===----------------------------------------------------------------------===//

ShiftedRows ShiftedRows::of(Value source, int64_t axis) {
  ShiftedRows rows;
  rows.axis = axis;
  rows.pieces.push_back(
      {0, typeOf(source).getDimSize(axis), source, 0, TypedAttr()});
  return rows;
}

std::optional<int64_t> ShiftedRows::getSourceLength() const {
  std::optional<int64_t> length;
  for (const Piece &piece : pieces) {
    if (!piece.source)
      continue;
    int64_t now = typeOf(piece.source).getDimSize(axis);
    if (length.value_or(now) != now)
      return std::nullopt;
    length = now;
  }
  return length;
}

/// Adds rows `begin` to `end` - 1 of `rows`, after those of `result`.
static void append(ShiftedRows &result, const ShiftedRows &rows, int64_t begin,
                   int64_t end) {
  int64_t moved = begin - result.getLength(); // From a new number to the old.
  for (ShiftedRows::Piece piece : rows.pieces) {
    piece.begin = std::max(piece.begin, begin) - moved;
    piece.end = std::min(piece.end, end) - moved;
    piece.shift += moved;
    if (piece.begin < piece.end)
      result.pieces.push_back(piece);
  }
}

static void appendFill(ShiftedRows &result, int64_t rows, TypedAttr fill) {
  int64_t begin = result.getLength();
  if (rows > 0)
    result.pieces.push_back({begin, begin + rows, Value(), 0, fill});
}

using RowsOf = function_ref<std::optional<ShiftedRows>(Value)>;

/// Whether all dimensions but `axis` are as they were.
static bool keepsOthers(RankedTensorType from, RankedTensorType to,
                        int64_t axis) {
  if (from.getRank() != to.getRank())
    return false;
  for (int64_t i = 0; i < from.getRank(); ++i)
    if (i != axis && from.getDimSize(i) != to.getDimSize(i))
      return false;
  return true;
}

static std::optional<ShiftedRows> shift(tensor::ExtractSliceOp op,
                                        RowsOf rowsOf) {
  std::optional<ShiftedRows> rows = rowsOf(op.getSource());
  if (!rows || !keepsOthers(op.getSourceType(), op.getType(), rows->axis))
    return std::nullopt;
  int64_t offset = op.getStaticOffsets()[rows->axis];
  if (ShapedType::isDynamic(offset) || op.getStaticStrides()[rows->axis] != 1)
    return std::nullopt;
  ShiftedRows result;
  result.axis = rows->axis;
  append(result, *rows, offset, offset + op.getType().getDimSize(rows->axis));
  return result;
}

static std::optional<ShiftedRows> shift(tensor::PadOp op, RowsOf rowsOf) {
  std::optional<ShiftedRows> rows = rowsOf(op.getSource());
  Value value = op.getConstantPaddingValue();
  TypedAttr fill;
  if (!rows || !value || !matchPattern(value, m_Constant(&fill)) ||
      !op.getLow().empty() || !op.getHigh().empty() ||
      !keepsOthers(op.getSourceType(), op.getResultType(), rows->axis))
    return std::nullopt;
  ShiftedRows result;
  result.axis = rows->axis;
  appendFill(result, op.getStaticLow()[rows->axis], fill);
  append(result, *rows, 0, rows->getLength());
  appendFill(result, op.getStaticHigh()[rows->axis], fill);
  return result;
}

/// The number that all elements of a constant are.
static TypedAttr splatOf(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return nullptr;
  return splat.getSplatValue<TypedAttr>();
}

static std::optional<ShiftedRows> shift(tensor::ConcatOp op, RowsOf rowsOf) {
  ShiftedRows result;
  result.axis = static_cast<int64_t>(op.getDim());
  for (Value input : op.getInputs()) {
    std::optional<ShiftedRows> rows = rowsOf(input);
    if (TypedAttr fill = splatOf(input); fill && !rows)
      appendFill(result, typeOf(input).getDimSize(result.axis), fill);
    else if (rows && rows->axis == result.axis)
      append(result, *rows, 0, rows->getLength());
    else
      return std::nullopt;
  }
  return result;
}

static std::optional<ShiftedRows> shift(tensor::InsertSliceOp op,
                                        RowsOf rowsOf) {
  std::optional<ShiftedRows> into = rowsOf(op.getDest()),
                             from = rowsOf(op.getSource());
  TypedAttr fill = splatOf(op.getDest()), other = splatOf(op.getSource());
  if ((!into && !fill) || (!from && !other) || (!into && !from))
    return std::nullopt;
  int64_t axis = into ? into->axis : from->axis;
  int64_t offset = op.getStaticOffsets()[axis];
  if ((from && from->axis != axis) || ShapedType::isDynamic(offset) ||
      op.getStaticStrides()[axis] != 1 ||
      !keepsOthers(op.getSourceType(), op.getType(), axis))
    return std::nullopt;
  int64_t rows = op.getSourceType().getDimSize(axis),
          length = op.getType().getDimSize(axis);
  ShiftedRows result;
  result.axis = axis;
  auto keep = [&](int64_t begin, int64_t end) {
    if (into)
      append(result, *into, begin, end);
    else
      appendFill(result, end - begin, fill);
  };
  keep(0, offset);
  if (from)
    append(result, *from, 0, rows);
  else
    appendFill(result, rows, other);
  keep(offset + rows, length);
  return result;
}

std::optional<ShiftedRows> gpuvm::shiftRows(Operation *op, RowsOf rowsOf) {
  std::optional<ShiftedRows> result =
      TypeSwitch<Operation *, std::optional<ShiftedRows>>(op)
          .Case<tensor::ExtractSliceOp, tensor::PadOp, tensor::ConcatOp,
                tensor::InsertSliceOp>(
              [&](auto move) { return shift(move, rowsOf); })
          .Default([](Operation *) { return std::nullopt; });
  if (!result || !result->getSourceLength())
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Reads near the own row
//===----------------------------------------------------------------------===//

void RowReach::add(const RowReach &other) {
  before = std::max(before, other.before);
  after = std::max(after, other.after);
  wraps |= other.wraps;
}

int64_t gpuvm::nearestShift(int64_t shift, int64_t length) {
  int64_t rest = ((shift % length) + length) % length;
  return rest > length / 2 ? rest - length : rest;
}

RowReach RowReach::of(int64_t shift, int64_t extra, int64_t length) {
  int64_t near = nearestShift(shift, length);
  return {std::max<int64_t>(0, -near), std::max<int64_t>(0, near + extra),
          near != shift};
}

namespace {
/// Finds how far indices are from the number of a loop.
class Distances {
public:
  Distances(linalg::GenericOp op, unsigned loop, int64_t length)
      : op(op), loop(loop), length(length) {}

  std::optional<RowDistance> of(Value index) const;

private:
  std::optional<RowDistance> ofChoice(arith::SelectOp choice) const;
  std::optional<RowDistance> ofBranch(Value value, arith::CmpIOp condition,
                                      bool isTrue) const;

  linalg::GenericOp op;
  unsigned loop;
  int64_t length;
};
} // namespace

static RowDistance moved(RowDistance distance, int64_t by) {
  distance.least += by;
  distance.most += by;
  return distance;
}

/// Whether numbers of rows, and those near them, have place in a type.
static bool holdsRows(Type type) {
  return type.isIndex() || type.getIntOrFloatBitWidth() >= 32;
}

std::optional<RowDistance> Distances::of(Value index) const {
  Operation *maker = index.getDefiningOp();
  if (!maker || !op->isAncestor(maker) || !holdsRows(index.getType()))
    return std::nullopt;
  if (auto number = dyn_cast<linalg::IndexOp>(maker))
    return number.getDim() == loop ? std::optional(RowDistance())
                                   : std::nullopt;
  if (auto choice = dyn_cast<arith::SelectOp>(maker))
    return ofChoice(choice);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(maker))
    return of(maker->getOperand(0));
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(maker)) {
    std::optional<RowDistance> from = of(maker->getOperand(0));
    return from && from->least >= 0 ? from : std::nullopt;
  }
  if (maker->getNumOperands() != 2)
    return std::nullopt;
  Value left = maker->getOperand(0), right = maker->getOperand(1);
  if (getConstantIntValue(left) && maker->hasTrait<OpTrait::IsCommutative>())
    std::swap(left, right);
  std::optional<RowDistance> of = this->of(left);
  std::optional<int64_t> constant = getConstantIntValue(right);
  if (!of || !constant)
    return std::nullopt;
  int64_t number = *constant;
  if (of->wraps && !isa<arith::AddIOp, arith::SubIOp>(maker))
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<RowDistance>>(maker)
      .Case([&](arith::AddIOp) { return moved(*of, number); })
      .Case([&](arith::SubIOp) { return moved(*of, -number); })
      // The loop's number is 0 to length - 1.
      .Case([&](arith::MaxSIOp) {
        return RowDistance{of->least, std::max(of->most, number)};
      })
      .Case([&](arith::MinSIOp) {
        return RowDistance{std::min(of->least, number - (length - 1)),
                           of->most};
      })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) -> std::optional<RowDistance> {
            if (number != length || of->least < 0)
              return std::nullopt;
            int64_t near = nearestShift(of->least, length);
            RowDistance result = moved(*of, near - of->least);
            result.wraps = true;
            return result;
          })
      .Default([](Operation *) { return std::nullopt; });
}

/// How far `value`, a branch of a choice by `condition`, is: a constant where
/// an index is equal to another one, or an index that comes round again.
std::optional<RowDistance>
Distances::ofBranch(Value value, arith::CmpIOp condition, bool isTrue) const {
  std::optional<int64_t> number = getConstantIntValue(value);
  if (!number) {
    std::optional<RowDistance> result = of(value);
    if (!result)
      return std::nullopt;
    int64_t near = nearestShift(result->least, length);
    if (near == result->least)
      return result;
    RowDistance wrapped = moved(*result, near - result->least);
    wrapped.wraps = true;
    return wrapped;
  }
  arith::CmpIPredicate equal =
      isTrue ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
  if (condition.getPredicate() != equal)
    return std::nullopt;
  std::optional<int64_t> where = getConstantIntValue(condition.getRhs());
  std::optional<RowDistance> from = of(condition.getLhs());
  if (!where || !from || from->least != from->most || from->wraps)
    return std::nullopt;
  int64_t far = *number - (*where - from->least); // Of the loop's number there.
  int64_t near = nearestShift(far, length);
  return RowDistance{near, near, near != far};
}

std::optional<RowDistance> Distances::ofChoice(arith::SelectOp choice) const {
  auto condition = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!condition)
    return std::nullopt;
  std::optional<RowDistance> first =
      ofBranch(choice.getTrueValue(), condition, true);
  std::optional<RowDistance> second =
      ofBranch(choice.getFalseValue(), condition, false);
  if (!first || !second)
    return std::nullopt;
  return RowDistance{std::min(first->least, second->least),
                     std::max(first->most, second->most),
                     first->wraps || second->wraps};
}

std::optional<RowDistance> gpuvm::distanceOf(Value index, linalg::GenericOp op,
                                             unsigned loop, int64_t length) {
  if (op.getStaticLoopRanges()[loop] != length)
    return std::nullopt;
  return Distances(op, loop, length).of(index);
}

std::optional<RowReach> gpuvm::reachOfTable(linalg::GenericOp op, Value table,
                                            int64_t axis, unsigned loop) {
  int64_t length = typeOf(table).getDimSize(axis);
  RowReach reach;
  for (OpOperand &use : table.getUses()) {
    if (!op->isProperAncestor(use.getOwner()))
      continue;
    auto read = dyn_cast<tensor::ExtractOp>(use.getOwner());
    if (!read)
      return std::nullopt;
    std::optional<RowDistance> one =
        distanceOf(read.getIndices()[axis], op, loop, length);
    if (!one)
      return std::nullopt;
    reach.add({std::max<int64_t>(0, -one->least),
               std::max<int64_t>(0, one->most), one->wraps});
  }
  return reach;
}
