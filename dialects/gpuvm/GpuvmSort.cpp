//===- GpuvmSort.cpp - order, ranks and search ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Why tensors are no rows to sort together, or nothing.
static std::optional<std::string> checkRows(ValueRange tensors) {
  std::string why;
  llvm::raw_string_ostream os(why);
  ArrayRef<int64_t> shape = typeOf(tensors.front()).getShape();
  if (shape.empty()) {
    os << "C1: a scalar has no rows";
    return why;
  }
  for (Value tensor : tensors)
    if (typeOf(tensor).getShape() != shape) {
      os << "C1: " << typeOf(tensor) << " and " << typeOf(tensors.front())
         << " have different shapes";
      return why;
    }
  return std::nullopt;
}

static int64_t countBytes(ValueRange tensors) {
  int64_t bytes = 0;
  for (Value tensor : tensors)
    bytes += elementBytes(typeOf(tensor).getElementType());
  return bytes;
}

//===----------------------------------------------------------------------===//
// Sort
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  if (getKeys().empty()) // C1
    return emitOpError("C1: there is no key");
  if (auto why = checkRows(getOperands())) // C1
    return emitOpError() << *why;
  if (getUnsignedKeys().size() != getKeys().size() ||
      getDescending().size() != getKeys().size()) // C2
    return emitOpError("C2: ") << getKeys().size() << " keys do not have two "
                               << "flags each";
  SmallVector<Type> types(getOperandTypes());
  if (getNumbers())
    types.push_back(
        typeOf(getKeys().front()).clone(IntegerType::get(getContext(), 32)));
  if (TypeRange(types) != getResultTypes()) // C3
    return emitOpError("C3: the results do not have the operands' types");
  return success();
}

/// `%a unsigned descending, %b payloads(%v) numbers attrs : types`
ParseResult SortOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands, payloads;
  SmallVector<bool> isUnsigned, descends;
  auto parseKey = [&]() -> ParseResult {
    if (parser.parseOperand(operands.emplace_back()))
      return failure();
    isUnsigned.push_back(succeeded(parser.parseOptionalKeyword("unsigned")));
    descends.push_back(succeeded(parser.parseOptionalKeyword("descending")));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseKey))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("payloads")) &&
      parser.parseOperandList(payloads, OpAsmParser::Delimiter::Paren))
    return failure();
  Builder &b = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("numbers")))
    properties.numbers = b.getUnitAttr();
  properties.unsigned_keys = b.getDenseBoolArrayAttr(isUnsigned);
  properties.descending = b.getDenseBoolArrayAttr(descends);
  properties.operandSegmentSizes = {static_cast<int32_t>(operands.size()),
                                    static_cast<int32_t>(payloads.size())};
  operands.append(payloads);
  SmallVector<Type> types;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, where, result.operands))
    return failure();
  result.addTypes(types);
  auto first = dyn_cast<RankedTensorType>(types.front());
  if (properties.numbers && first)
    result.addTypes(first.clone(b.getI32Type()));
  return success();
}

void SortOp::print(OpAsmPrinter &p) {
  llvm::interleaveComma(
      llvm::zip_equal(getKeys(), getUnsignedKeys(), getDescending()), p,
      [&](auto key) {
        auto [value, isUnsigned, descends] = key;
        p << ' ' << value << (isUnsigned ? " unsigned" : "")
          << (descends ? " descending" : "");
      });
  if (!getPayloads().empty())
    p << " payloads(" << getPayloads() << ')';
  if (getNumbers())
    p << " numbers";
  p.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"unsigned_keys", "descending", "numbers", "operandSegmentSizes"});
  p << " : " << getOperandTypes();
}

//===----------------------------------------------------------------------===//
// The largest, and search
//===----------------------------------------------------------------------===//

LogicalResult TopKOp::verify() {
  constexpr int64_t kMostKept = 2048;
  RankedTensorType input = withAllRows(typeOf(getInput()));
  RankedTensorType values = withAllRows(typeOf(getValues()));
  if (isBounded(getInput().getType()) != isBounded(getValues().getType()) ||
      input.getRank() == 0 || values.getRank() != input.getRank() ||
      values.getShape().drop_back() != input.getShape().drop_back() ||
      values.getShape().back() > input.getShape().back() ||
      values.getElementType() != input.getElementType()) // C1
    return emitOpError("C1: ")
           << getValues().getType() << " is not the first elements of "
           << "rows of " << getInput().getType();
  if (getNumbers().getType() !=
      typeOf(getValues()).clone(IntegerType::get(getContext(), 32))) // C2
    return emitOpError("C2: ") << getNumbers().getType() << " does not number "
                               << "the elements of " << getValues().getType();
  if (values.getShape().back() > kMostKept) // C3
    return emitOpError("C3: k is ") << values.getShape().back() << " (at most "
                                    << kMostKept << " are allowed)";
  return success();
}

LogicalResult SearchSortedOp::verify() {
  RankedTensorType table = typeOf(getTable()), queries = typeOf(getQueries());
  if (table.getRank() != 1 ||
      table.getElementType() != queries.getElementType()) // C1
    return emitOpError("C1: ")
           << queries << " cannot be looked up in " << table;
  if (typeOf(getResult()) !=
      queries.clone(IntegerType::get(getContext(), 32))) // C2
    return emitOpError("C2: ")
           << getResult().getType() << " is not a number for each element of "
           << queries;
  return success();
}

LogicalResult MergeOp::verify() {
  auto verifySide = [&](Value key, ValueRange payloads) -> LogicalResult {
    SmallVector<Value> rows = {key};
    llvm::append_range(rows, payloads);
    if (auto why = checkRows(rows)) // C1
      return emitOpError() << *why;
    return success();
  };
  if (failed(verifySide(getFirst(), getFirstPayloads())) ||
      failed(verifySide(getSecond(), getSecondPayloads())))
    return failure();
  RankedTensorType first = typeOf(getFirst()), second = typeOf(getSecond());
  if (first.getShape().drop_back() != second.getShape().drop_back()) // C1
    return emitOpError("C1: ")
           << first << " and " << second << " do not have the same rows";
  SmallVector<Type> merged;
  SmallVector<Value> ours = {getFirst()}, theirs = {getSecond()};
  llvm::append_range(ours, getFirstPayloads());
  llvm::append_range(theirs, getSecondPayloads());
  SmallVector<int64_t> shape(first.getShape());
  shape.back() += second.getShape().back();
  if (ours.size() != theirs.size()) // C2
    return emitOpError("C2: there are ")
           << ours.size() - 1 << " and " << theirs.size() - 1 << " payloads";
  for (auto [a, b] : llvm::zip_equal(ours, theirs)) {
    Type element = typeOf(a).getElementType();
    if (element != typeOf(b).getElementType()) // C2
      return emitOpError("C2: ") << a.getType() << " and " << b.getType()
                                 << " have different elements";
    merged.push_back(RankedTensorType::get(shape, element));
  }
  if (TypeRange(merged) != getResultTypes()) // C3
    return emitOpError("C3: the results are not both rows together");
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// What a workgroup carries besides a key.
static constexpr int64_t kMaxPayloadBytes = 8;

static LogicalResult checkPayloads(Operation *op, ValueRange payloads,
                                   StringRef constraint) {
  if (int64_t bytes = countBytes(payloads); bytes > kMaxPayloadBytes)
    return op->emitOpError()
           << constraint << ": the payloads have " << bytes
           << " bytes (at most " << kMaxPayloadBytes << " are allowed)";
  return success();
}

LogicalResult SortRunsOp::verify() {
  constexpr int64_t kMaxRun = 4096;
  if (auto why = checkRows(getOperands())) // C1
    return emitOpError() << *why;
  int64_t run = getRun(), keep = getKeep().value_or(1);
  if (run < 1 || run > kMaxRun || keep < 1 || keep > run) // C2
    return emitOpError("C2: ") << keep << " of " << run
                               << " elements of a run cannot be kept (1 to "
                               << kMaxRun << " make a run)";
  SmallVector<Type> types;
  for (Value operand : getOperands()) {
    RankedTensorType type = typeOf(operand);
    SmallVector<int64_t> shape(type.getShape());
    if (getKeep())
      shape.back() = llvm::divideCeil(shape.back(), run) * keep;
    types.push_back(type.clone(shape));
  }
  if (TypeRange(types) != getResultTypes()) // C3
    return emitOpError("C3: the results do not have the types of the runs");
  return checkPayloads(*this, getPayloads(), "C4");
}

LogicalResult MergeRunsOp::verify() {
  constexpr int64_t kMaxRuns = 16;
  if (auto why = checkRows(getOperands())) // C1
    return emitOpError() << *why;
  int64_t length = typeOf(getKey()).getShape().back();
  if (getRun() < 1 || getRun() < llvm::divideCeil(length, kMaxRuns)) // C2
    return emitOpError("C2: a row of ") << length << " elements has more than "
                                        << kMaxRuns << " runs of " << getRun();
  if (getOperandTypes() != getResultTypes()) // C3
    return emitOpError("C3: the results do not have the operands' types");
  return success();
}

/// C1 to C3 of both halves of a radix pass.
template <typename Op>
static LogicalResult verifyPass(Op op, RankedTensorType offsets) {
  RankedTensorType key = typeOf(op.getKey());
  if (key.getRank() == 0) // C1
    return op.emitOpError("C1: a scalar has no rows");
  if (!typeOf(op.getDigit()).getElementType().isInteger(32)) // C2
    return op.emitOpError("C2: ")
           << op.getDigit().getType() << " does not number a digit";
  int64_t chunk = op.getChunk();
  if (chunk < 1 || chunk % 256 != 0) // C3
    return op.emitOpError("C3: a chunk of ")
           << chunk << " keys is no multiple of 256";
  SmallVector<int64_t> shape(key.getShape().drop_back());
  shape.push_back(
      llvm::alignTo(llvm::divideCeil(key.getShape().back(), chunk), 8));
  shape.push_back(256);
  auto type =
      RankedTensorType::get(shape, IntegerType::get(op.getContext(), 32));
  if (offsets != type) // C1
    return op.emitOpError("C1: the offsets are ")
           << type << ", not " << offsets;
  return success();
}

LogicalResult CountDigitsOp::verify() {
  return verifyPass(*this, typeOf(getOffsets()));
}

LogicalResult ScatterDigitsOp::verify() {
  SmallVector<Value> moved = {getKey()};
  llvm::append_range(moved, getPayloads());
  if (auto why = checkRows(moved)) // C1
    return emitOpError() << *why;
  if (failed(verifyPass(*this, typeOf(getOffsets()))))
    return failure();
  if (ValueRange(moved).getTypes() != getResultTypes()) // C4
    return emitOpError("C4: the results do not have the operands' types");
  return checkPayloads(*this, getPayloads(), "C5");
}
