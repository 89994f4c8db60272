//===- GpuvmGroups.cpp - elements that belong together --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

static bool hasWords(Value value) {
  return typeOf(value).getElementType().isInteger(32);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

Root ScatterOp::getRoot() { return Root::scatter; }
bool ScatterOp::isExact() { return true; }

bool ScatterOp::readsOnce(unsigned number) {
  return number <= getUpdates().size(); // And the positions.
}

SmallVector<unsigned> ScatterOp::getUpdatedOperands() {
  unsigned first = getUpdates().size() + 1;
  return llvm::to_vector(
      llvm::seq<unsigned>(first, first + getInitial().size()));
}

bool gpuvm::canCombine(Rule rule, Type type) {
  switch (rule) {
  case Rule::last:
    return true;
  case Rule::bit_and:
  case Rule::bit_or:
  case Rule::bit_xor:
    return isa<IntegerType>(type);
  case Rule::minu:
  case Rule::maxu:
    return isa<IntegerType>(type) && !type.isInteger(1);
  case Rule::add:
  case Rule::min:
  case Rule::max:
    return !type.isInteger(1);
  }
  llvm_unreachable("there is no other rule");
}

LogicalResult ScatterOp::verify() {
  size_t count = getUpdates().size();
  if (count == 0 || getInitial().size() != count ||
      getResults().size() != count || getRules().size() != count) // C1
    return emitOpError("C1: there are ")
           << count << " updates, " << getInitial().size()
           << " initial values, " << getRules().size() << " rules and "
           << getResults().size() << " results";
  if (!hasWords(getPositions())) // C2
    return emitOpError("C2: positions are of ")
           << typeOf(getPositions()).getElementType() << ", not of i32";
  for (auto [i, update, initial, result] :
       llvm::enumerate(getUpdates(), getInitial(), getResults())) {
    RankedTensorType type = typeOf(initial);
    if (type.getRank() == 0 || result.getType() != type) // C3
      return emitOpError("C3: ") << result.getType() << " is no result for "
                                 << "initial values of " << type;
    SmallVector<int64_t> shape(typeOf(getPositions()).getShape());
    llvm::append_range(shape, type.getShape().drop_front());
    if (typeOf(update).getShape() != ArrayRef(shape) ||
        typeOf(update).getElementType() != type.getElementType()) // C3
      return emitOpError("C3: updates ") << i << " are " << update.getType()
                                         << ", not " << type.clone(shape);
    if (!canCombine(getRule(i), type.getElementType())) // C4
      return emitOpError("C4: there is no ")
             << stringifyRule(getRule(i)) << " of " << type.getElementType();
    if (type.getDimSize(0) != typeOf(getInitial().front()).getDimSize(0)) // C5
      return emitOpError("C5: ")
             << type << " and " << getInitial().front().getType()
             << " do not have as many rows";
  }
  return success();
}

LogicalResult Histogram2dOp::verify() {
  if (!hasWords(getRows())) // C1
    return emitOpError("C1: ")
           << getRows().getType() << " has no numbers of rows in i32";
  if (typeOf(getCounts()).getRank() != 2 || !hasWords(getCounts())) // C2
    return emitOpError("C2: ")
           << getCounts().getType() << " has no count for each pair";
  return success();
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

LogicalResult SegmentReduceOp::verify() {
  size_t count = getInputs().size();
  if (count == 0 || getInitial().size() != count ||
      getResults().size() != count) // C1
    return emitOpError("C1: there are ")
           << count << " inputs, " << getInitial().size()
           << " initial values and " << getResults().size() << " results";
  RankedTensorType offsets = typeOf(getOffsets());
  if (offsets.getRank() != 1 || !hasWords(getOffsets()) ||
      offsets.getDimSize(0) < 2) // C2
    return emitOpError("C2: ") << offsets << " are no offsets of segments";
  ArrayRef<int64_t> shape = typeOf(getInputs().front()).getShape();
  for (auto [input, initial, result] :
       llvm::zip_equal(getInputs(), getInitial(), getResults())) {
    RankedTensorType type = typeOf(input);
    if (type.getRank() == 0 || type.getShape() != shape) // C3
      return emitOpError("C3: an input has type ")
             << type << ", another " << getInputs().front().getType();
    SmallVector<int64_t> reduced(shape);
    reduced.front() = offsets.getDimSize(0) - 1;
    RankedTensorType wanted = withAllRows(type).clone(reduced);
    if (result.getType() != wanted) // C3
      return emitOpError("C3: segments of ")
             << type << " have the result " << wanted << ", not "
             << result.getType();
    if (initial.getType() != result.getType() &&
        initial.getType() !=
            RankedTensorType::get({}, type.getElementType())) // C1
      return emitOpError("C1: ")
             << initial.getType() << " is no initial value of " << type;
  }
  return success();
}

LogicalResult SegmentReduceOp::verifyRegions() {
  return verifyCombine(*this, getCombine(), getInputs(), "C4");
}

LogicalResult ExpandOp::verify() {
  if (typeOf(getCounts()).getRank() != 1 || !hasWords(getCounts())) // C1
    return emitOpError("C1: ") << getCounts().getType() << " are no counts";
  if (typeOf(getRows()).getRank() != 1 || !hasWords(getRows()) ||
      getOrdinals().getType() != getRows().getType()) // C2
    return emitOpError("C2: ")
           << getRows().getType() << " and " << getOrdinals().getType()
           << " do not number rows and their places";
  return success();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Whether all are columns of integers of one length.
static bool areColumns(ValueRange keys) {
  return !keys.empty() && llvm::all_of(keys, [&](Value key) {
    RankedTensorType type = typeOf(key);
    return type.getRank() == 1 && isa<IntegerType>(type.getElementType()) &&
           !type.getElementType().isInteger(1) &&
           type.getShape() == typeOf(keys.front()).getShape();
  });
}

LogicalResult DistinctOp::verify() {
  if (!areColumns(getKeys())) // C1
    return emitOpError("C1: keys are not of integers, one dimension and one "
                       "shape");
  RankedTensorType words =
      typeOf(getKeys().front()).clone(IntegerType::get(getContext(), 32));
  if (getNumbers().getType() != words) // C2
    return emitOpError("C2: ")
           << getNumbers().getType() << " has no number for each of " << words;
  if (typeOf(getRows()).getRank() != 1 || !hasWords(getRows()) ||
      typeOf(getRows()).getDimSize(0) > withAllRows(words).getDimSize(0)) // C2
    return emitOpError("C2: ") << getRows().getType()
                               << " are no rows of different keys of " << words;
  return success();
}

LogicalResult MatchOp::verify() {
  auto elementOf = [](Value key) { return typeOf(key).getElementType(); };
  if (!areColumns(getKeys()) || !areColumns(getTable()) ||
      !llvm::equal(llvm::map_range(getKeys(), elementOf),
                   llvm::map_range(getTable(), elementOf))) // C1, C2
    return emitOpError("C1: keys and table are not as many columns of the same "
                       "integers");
  Type i32 = IntegerType::get(getContext(), 32);
  RankedTensorType each = typeOf(getKeys().front()).clone(i32);
  RankedTensorType all = withAllRows(typeOf(getTable().front())).clone(i32);
  if (getFirst().getType() != each || getCounts().getType() != each ||
      getOrder().getType() != all) // C3
    return emitOpError("C3: the results are not ")
           << each << ", the same, and " << all;
  return success();
}
