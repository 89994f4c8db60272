//===- GpuvmRepeat.cpp - loops on the device ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A repeat is written
// `gpuvm.repeat @name up_to 20 turn %t (%arg = %value : type, ...) { ... }`.
// The arguments and the results are messages, whatever the values.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// As what a value is carried along.
static Type carriedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? MessageType::get(type.getContext(), tensor) : type;
}

static Type turnType(MLIRContext *context) {
  auto word = RankedTensorType::get({}, IntegerType::get(context, 32));
  return MessageType::get(context, word);
}

ParseResult RepeatOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  IntegerAttr times;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseCarried = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operand) || parser.parseColonType(type) ||
        parser.resolveOperand(operand, type, result.operands))
      return failure();
    argument.type = carriedType(type);
    result.addTypes(argument.type);
    return success();
  };
  OpAsmParser::Argument turn;
  auto parseTurn = [&]() -> ParseResult {
    if (failed(parser.parseOptionalKeyword("turn")))
      return success();
    turn.type = turnType(parser.getContext());
    result.addAttribute(getTurnAttrName(result.name),
                        parser.getBuilder().getUnitAttr());
    return parser.parseArgument(turn);
  };
  if (parser.parseSymbolName(name, mlir::SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parser.parseKeyword("up_to") ||
      parser.parseAttribute(times, parser.getBuilder().getI64Type(), "times",
                            result.attributes) ||
      parseTurn() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseCarried) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (turn.type)
    arguments.push_back(turn);
  return parser.parseRegion(*result.addRegion(), arguments);
}

void RepeatOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << " up_to " << getTimes();
  if (getTurn())
    p << " turn " << getBody().getArguments().back();
  p << " (";
  llvm::interleaveComma(
      llvm::zip_equal(getCarried(), getInitial()), p, [&](auto pair) {
        auto [argument, initial] = pair;
        p << argument << " = " << initial << " : " << initial.getType();
      });
  p << ')';
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getTimesAttrName(), getTurnAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void RepeatOp::getAsmBlockArgumentNames(mlir::Region &, OpAsmSetValueNameFn) {}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

NextOp RepeatOp::getNext() {
  return cast<NextOp>(getBody().front().getTerminator());
}

/// C3 of a repeat.
static LogicalResult verifyTimes(RepeatOp repeat) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  auto times = static_cast<int64_t>(repeat.getTimes());
  if (times < 1 || times > kMost) // C3
    return repeat.emitOpError("C3: repeat @")
           << repeat.getSymName() << " cannot run " << times << " times (1 to "
           << kMost << ")";
  return success();
}

LogicalResult RepeatOp::verify() {
  if (failed(verifyTimes(*this)))
    return failure();
  for (Value value : getInitial())
    if (isBounded(payloadType(value.getType()))) // C5
      return emitOpError("C5: carries ")
             << value.getType()
             << ", whose number of rows only the device knows";
  for (Operation &op : getBody().front())
    if (!isa_and_nonnull<GpuvmDialect>(op.getDialect()) &&
        !op.hasTrait<IsExchange>() &&
        !op.hasTrait<OpTrait::ConstantLike>()) // C4
      return emitStrayOp(op, "C4");
  return success();
}

LogicalResult RepeatOp::verifyRegions() {
  auto carried = llvm::map_to_vector(
      getInitial().getTypes(), [](Type type) { return carriedType(type); });
  Block &block = getBody().front();
  SmallVector<Type> arguments(carried);
  if (getTurn())
    arguments.push_back(turnType(getContext()));
  if (!llvm::equal(block.getArgumentTypes(), arguments)) // C1
    return emitOpError("C1: the block arguments are not the operands as "
                       "messages");
  if (!llvm::equal(getResultTypes(), carried)) // C2
    return emitOpError("C2: the results are not what is carried");
  for (Operation &op : block)
    if (!isa<StageOp, RepeatOp, CallOp, NextOp, RankOp, NumRanksOp>(op) &&
        !op.hasTrait<IsExchange>() &&
        !op.hasTrait<OpTrait::ConstantLike>()) // C4
      return emitStrayOp(op, "C4");
  auto next = dyn_cast<NextOp>(block.back());
  if (!next) // C4
    return emitOpError("C4: the body does not end with gpuvm.next");
  if (!llvm::equal(llvm::map_range(next.getValues().getTypes(), carriedType),
                   carried)) // C2
    return next.emitOpError("C2: does not name what is carried");
  return success();
}

LogicalResult NextOp::verify() {
  Type i1 = IntegerType::get(getContext(), 1);
  if (getUntil() &&
      payloadType(getUntil().getType()) != RankedTensorType::get({}, i1)) // C1
    return emitOpError("C1: the condition is ")
           << getUntil().getType() << ", not a tensor<i1>";
  return success();
}
