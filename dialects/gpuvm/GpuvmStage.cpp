//===- GpuvmStage.cpp - stages and their messages -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage is written `gpuvm.stage @name(%arg = %value : type, ...) -> payload
// types { ... }`. The result types are messages; only their payloads are
// written.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// As what an operand of a stage arrives.
static Type argumentType(Type operand) {
  auto message = dyn_cast<MessageType>(operand);
  return message ? message.getPayload() : operand;
}

static ParseResult
parseInputs(OpAsmParser &parser, OperationState &result,
            SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        OpAsmParser::UnresolvedOperand operand;
        Type type;
        if (parser.parseArgument(argument) || parser.parseEqual() ||
            parser.parseOperand(operand) || parser.parseColonType(type) ||
            parser.resolveOperand(operand, type, result.operands))
          return failure();
        if (!isa<MessageType, RankedTensorType, PackedType>(type))
          return parser.emitError(
                     operand.location,
                     "expected a tensor, a packed tensor or a message, not ")
                 << type;
        argument.type = argumentType(type);
        arguments.push_back(argument);
        return success();
      });
}

static ParseResult parseMessages(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  auto parseOne = [&]() -> ParseResult {
    RankedTensorType payload;
    if (parser.parseType(payload))
      return failure();
    result.addTypes(MessageType::get(parser.getContext(), payload));
    return success();
  };
  if (failed(parser.parseOptionalLParen()))
    return parseOne();
  return failure(parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseRParen());
}

ParseResult StageOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, mlir::SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parseInputs(parser, result, arguments) || parseMessages(parser, result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  mlir::Region &body = *result.regions.back();
  if (body.empty())
    body.emplaceBlock();
  Block &block = body.front();
  if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()) {
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&block);
    SendOp::create(builder, result.location, ValueRange());
  }
  return success();
}

void StageOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()),
                        p, [&](auto pair) {
                          auto [argument, input] = pair;
                          p << argument << " = " << input << " : "
                            << input.getType();
                        });
  p << ')';
  auto printPayload = [&](Type type) { p << payloadType(type); };
  if (getNumResults() == 1) {
    p << " -> ";
    printPayload(getResult(0).getType());
  } else if (getNumResults() > 1) {
    p << " -> (";
    llvm::interleaveComma(getResultTypes(), p, printPayload);
    p << ')';
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {getSymNameAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/getSend()->getNumOperands() != 0);
}

void StageOp::getAsmBlockArgumentNames(mlir::Region &, OpAsmSetValueNameFn) {}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

SendOp StageOp::getSend() {
  return cast<SendOp>(getBody().front().getTerminator());
}

LogicalResult StageOp::verify() {
  if (getNumResults() > 1) // C3
    return emitOpError("C3: a stage sends at most one message, not ")
           << getNumResults();
  return success();
}

static bool isTensorCode(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         linalg::LinalgDialect, tensor::TensorDialect>(
      op->getDialect());
}

/// C4: what may stand in a stage's body.
static LogicalResult verifyMayStandInStage(Operation &op) {
  if (isa<AttentionOp, DecodeOp, InvokeOp, LoadOp, MetadataOp, SendOp, StoreOp>(
          op))
    return success();
  WalkResult result = op.walk([](Operation *nested) {
    if (isTensorCode(nested) || isa<FlushOp>(nested))
      return WalkResult::advance();
    nested->emitOpError("C4: cannot stand in a stage");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// C0: the machine has no other tensors.
static LogicalResult verifyResultTypes(Operation &op) {
  for (Type type : op.getResultTypes())
    if (isa<ShapedType>(type) && !isVmTensor(type))
      return op.emitOpError("C0: ")
             << type << " is no statically shaped tensor of i1, i8, i16, i32, "
             << "i64, f16, bf16, f32 or f64 with 1 to 2147483647 elements";
  return success();
}

LogicalResult StageOp::verifyRegions() {
  Block &block = getBody().front();
  // Argument types are compared as they are: an argument is never a message.
  bool sameArguments =
      llvm::equal(llvm::map_range(getInputs().getTypes(), argumentType),
                  block.getArgumentTypes());
  if (!sameArguments) // C1
    return emitOpError(
        "C1: the block arguments are not the operands' payloads");
  for (Operation &op : block)
    if (failed(verifyMayStandInStage(op)) || failed(verifyResultTypes(op)))
      return failure();
  auto send = dyn_cast<SendOp>(block.back());
  if (!send) // C2
    return emitOpError("C2: the body does not end with gpuvm.send");
  bool samePayloads =
      llvm::equal(llvm::map_range(getResultTypes(), payloadType),
                  llvm::map_range(send.getPayloads().getTypes(), payloadType));
  if (!samePayloads) // C2
    return send.emitOpError("C2: does not send the stage's messages");
  return success();
}

LogicalResult SendOp::verify() {
  if (!getStatuses().empty() &&
      getStatuses().size() != getPayloads().size()) // C1
    return emitOpError("C1: there are ")
           << getStatuses().size() << " statuses for " << getPayloads().size()
           << " payloads";
  auto word = RankedTensorType::get({}, IntegerType::get(getContext(), 32));
  for (Value status : getStatuses())
    if (status.getType() != word) // C1
      return emitOpError("C1: a status is a tensor<i32>, not ")
             << status.getType();
  return success();
}

LogicalResult MetadataOp::verify() {
  auto stage = cast<StageOp>((*this)->getParentOp());
  auto argument = dyn_cast<BlockArgument>(getMessage());
  if (!argument || argument.getOwner() != &stage.getBody().front() ||
      !isa<MessageType>(
          stage.getInputs()[argument.getArgNumber()].getType())) // C1
    return emitOpError("C1: the operand is not a message the stage receives");
  bool isFloat = getField() == Field::norm || getField() == Field::max_abs;
  Type element = isFloat ? Type(Float32Type::get(getContext()))
                         : Type(IntegerType::get(getContext(), 32));
  if (getWord().getType() != RankedTensorType::get({}, element)) // C2
    return emitOpError("C2: ") << stringifyField(getField()) << " is a tensor<"
                               << element << ">, not " << getWord().getType();
  return success();
}
