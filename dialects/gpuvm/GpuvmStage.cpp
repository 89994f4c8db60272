//===- GpuvmStage.cpp - stages and their messages -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage is written `gpuvm.stage @name(%arg = %value : type, ...) -> payload
// types { ... }`, or `gpuvm.stage @name instances(n) (%arg = %value : type,
// %arg = shared %value : type, ...) -> ...`. The result types are messages;
// only their payloads are written. Before the operands `when(%c : type)`, or
// `when(shared %c : type)`, names the condition.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/EmptyTensors.h"
#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/SmallTypes.h"
#include "dialects/gpuvm/StageConstants.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

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

/// What one instance has of a tensor of all of them; null if it has no leading
/// dimension.
static RankedTensorType sliceOf(Type type) {
  auto whole = dyn_cast<RankedTensorType>(argumentType(type));
  if (!whole || whole.getRank() == 0)
    return RankedTensorType();
  return RankedTensorType::get(whole.getShape().drop_front(),
                               whole.getElementType());
}

static ParseResult
parseInputs(OpAsmParser &parser, OperationState &result, bool hasInstances,
            SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        OpAsmParser::UnresolvedOperand operand;
        Type type;
        if (parser.parseArgument(argument) || parser.parseEqual())
          return failure();
        bool cut =
            hasInstances && failed(parser.parseOptionalKeyword("shared"));
        if (parser.parseOperand(operand) || parser.parseColonType(type) ||
            parser.resolveOperand(operand, type, result.operands))
          return failure();
        Operation *source = result.operands.back().getDefiningOp();
        bool isConstant = source && source->hasTrait<OpTrait::ConstantLike>();
        if (!isa<MessageType, RankedTensorType, PackedType>(type) &&
            !(isConstant && type.isIntOrIndexOrFloat()))
          return parser.emitError(
                     operand.location,
                     "expected a tensor, a packed tensor or a message, not ")
                 << type;
        argument.type = cut ? Type(sliceOf(type)) : argumentType(type);
        if (!argument.type)
          return parser.emitError(operand.location,
                                  "expected a leading dimension to cut along, "
                                  "or the word \"shared\" before the operand");
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

static ParseResult parseInstances(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("instances")))
    return success();
  IntegerAttr count;
  return failure(parser.parseLParen() ||
                 parser.parseAttribute(count, parser.getBuilder().getI64Type(),
                                       "instances", result.attributes) ||
                 parser.parseRParen());
}

/// The condition of a stage, if there is one.
struct ParsedCondition {
  OpAsmParser::UnresolvedOperand operand;
  Type type, argument; ///< As what it is given, and arrives.
};

static ParseResult parseCondition(OpAsmParser &parser, bool hasInstances,
                                  std::optional<ParsedCondition> &result) {
  if (failed(parser.parseOptionalKeyword("when")))
    return success();
  ParsedCondition condition;
  if (parser.parseLParen())
    return failure();
  bool cut = hasInstances && failed(parser.parseOptionalKeyword("shared"));
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperand(condition.operand) ||
      parser.parseColonType(condition.type) || parser.parseRParen())
    return failure();
  condition.argument =
      cut ? Type(sliceOf(condition.type)) : argumentType(condition.type);
  if (!condition.argument)
    return parser.emitError(place, "expected a condition for each instance, or "
                                   "the word \"shared\" before it");
  result = condition;
  return success();
}

/// Whether `type` is what `count` instances have together, `slice` each.
static bool isWhole(Type type, Type slice, int64_t count) {
  auto whole = dyn_cast<RankedTensorType>(argumentType(type));
  return whole && whole.getRank() > 0 && whole.getDimSize(0) == count &&
         sliceOf(type) == slice;
}

/// C2: what is sent is what the results, `messages`, say.
static LogicalResult verifySent(SendOp send, TypeRange messages) {
  auto payloads = llvm::map_to_vector(
      messages, [](Type type) { return Type(payloadType(type)); });
  TypeRange sent = send.getPayloads().getTypes();
  if (llvm::equal(payloads, sent))
    return success();
  if (!sent.empty() || payloads.empty()) // C2
    return send.emitOpError("C2: sends (")
           << sent << "), but the stage says that it sends ("
           << TypeRange(payloads) << ')';
  std::string types;
  llvm::raw_string_ostream stream(types);
  llvm::interleaveComma(payloads, stream);
  return send.emitOpError("C2: sends nothing, but the stage says that it "
                          "sends ") // C2
         << types << ": end its body with gpuvm.send "
         << (payloads.size() == 1 ? "%value : " : "%values : ") << types;
}

/// The same of `count` instances, which send slices.
static LogicalResult verifySent(SendOp send, TypeRange messages,
                                int64_t count) {
  TypeRange sent = send.getPayloads().getTypes();
  if (sent.size() != messages.size()) // C2
    return verifySent(send, messages);
  for (auto [message, payload] : llvm::zip_equal(messages, sent))
    if (!isWhole(message, payload, count)) // C4
      return send.emitOpError("C4: ")
             << count << " of " << payload << " do not make "
             << payloadType(message);
  return success();
}

/// C2 and C4 before anything after the stage is read, which would be said to
/// have the wrong types where it has the right ones.
static LogicalResult verifyWritten(Block &block, const OperationState &stage) {
  auto send = dyn_cast<SendOp>(block.back());
  if (!send)
    return success();
  auto count = dyn_cast_or_null<IntegerAttr>(stage.attributes.get("instances"));
  return count ? verifySent(send, stage.types, count.getInt())
               : verifySent(send, stage.types);
}

ParseResult StageOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  std::optional<ParsedCondition> condition;
  if (parser.parseSymbolName(name, mlir::SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parseInstances(parser, result))
    return failure();
  bool hasInstances = result.attributes.get("instances") != nullptr;
  if (parseCondition(parser, hasInstances, condition) ||
      parseInputs(parser, result, hasInstances, arguments) ||
      parseMessages(parser, result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parseOuterConstants(parser, result, arguments) ||
      parser.parseRegion(*result.addRegion(), arguments,
                         /*enableNameShadowing=*/true))
    return failure();
  mlir::Region &body = *result.regions.back();
  if (body.empty())
    body.emplaceBlock();
  Block &block = body.front();
  if (condition) {
    if (parser.resolveOperand(condition->operand, condition->type,
                              result.operands))
      return failure();
    block.addArgument(condition->argument, result.location);
    result.addAttribute(getConditionalAttrName(result.name),
                        parser.getBuilder().getUnitAttr());
  }
  if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()) {
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&block);
    SendOp::create(builder, result.location, ValueRange());
  }
  return verifyWritten(block, result);
}

void StageOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  if (auto count = getInstances())
    p << " instances(" << *count << ") ";
  auto printInput = [&](unsigned i) {
    p << (getInstances() && isShared(i) ? "shared " : "") << getInputs()[i]
      << " : " << getInputs()[i].getType();
  };
  unsigned written = getInputs().size();
  if (getConditional()) {
    p << (getInstances() ? "" : " ") << "when(";
    printInput(--written);
    p << ") ";
  }
  p << '(';
  llvm::interleaveComma(llvm::seq<unsigned>(0, written), p, [&](unsigned i) {
    p << getBody().getArgument(i) << " = ";
    printInput(i);
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
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getInstancesAttrName(), getConditionalAttrName()});
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

BlockArgument StageOp::getCondition() {
  return getConditional() ? getBody().getArguments().back() : BlockArgument();
}

bool StageOp::isShared(unsigned i) {
  return getBody().getArgument(i).getType() ==
         argumentType(getInputs()[i].getType());
}

Value StageOp::getSharedCondition() {
  size_t count = getInputs().size();
  if (!getConditional() || count == 0 ||
      getBody().getNumArguments() != count) // C1 says so.
    return Value();
  unsigned last = count - 1;
  return isShared(last) ? getInputs()[last] : Value();
}

bool gpuvm::isReceivedElsewhere(OpResult message) {
  Value condition = cast<StageOp>(message.getOwner()).getSharedCondition();
  if (!condition || message == condition)
    return true;
  return llvm::any_of(message.getUses(), [&](OpOperand &use) {
    auto receiver = dyn_cast<StageOp>(use.getOwner());
    if (!receiver || receiver.getSharedCondition() != condition)
      return true;
    // A receiver that does not run reads what is sent after `else`.
    Block &body = receiver.getBody().front();
    auto send = dyn_cast<SendOp>(body.back());
    return !send ||
           llvm::is_contained(send.getOtherwise(),
                              body.getArgument(use.getOperandNumber()));
  });
}

LogicalResult StageOp::verify() {
  if (getInstances() && static_cast<int64_t>(*getInstances()) < 1) // C4
    return emitOpError("C4: there is no stage of ")
           << static_cast<int64_t>(*getInstances()) << " instances";
  return success();
}

/// C5 of the body of a stage with instances: they run in any order.
static LogicalResult verifyAccesses(Block &block) {
  llvm::StringSet<> stored;
  for (Operation &op : block) {
    auto store = dyn_cast<StoreOp>(op);
    if (isa<InvokeOp>(op) || (store && !store.getOwn())) // C5
      return op.emitOpError("C5: cannot stand in a stage with instances");
    if (store)
      stored.insert(store.getSymbol());
  }
  for (auto load : block.getOps<LoadOp>())
    if (!load.getOwn() && stored.contains(load.getSymbol())) // C5
      return load.emitOpError("C5: loads what all instances have of @")
             << load.getSymbol() << ", of which each stores its own";
  return success();
}

/// C1, C2, C4 and C5 of a stage with instances.
static LogicalResult verifyInstances(StageOp stage) {
  int64_t count = *stage.getInstances();
  Block &block = stage.getBody().front();
  if (block.getNumArguments() != stage.getInputs().size()) // C1
    return stage.emitOpError(
        "C1: the block arguments are not the operands' payloads");
  for (auto [i, input] : llvm::enumerate(stage.getInputs()))
    if (Type own = block.getArgument(i).getType();
        !stage.isShared(i) && !isWhole(input.getType(), own, count)) // C4
      return stage.emitOpError("C4: operand ")
             << i << " of type " << argumentType(input.getType())
             << " cannot be cut into " << count << " of " << own;
  auto send = dyn_cast<SendOp>(block.back());
  if (!send) // C2
    return stage.emitOpError("C2: the body does not end with gpuvm.send");
  if (failed(verifySent(send, stage.getResultTypes(), count))) // C2, C4
    return failure();
  return verifyAccesses(block);
}

/// Control flow of scalar code, in a region.
static bool isControlFlow(Operation *op) {
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp>(op);
}

static bool isTensorCode(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         linalg::LinalgDialect, tensor::TensorDialect>(
      op->getDialect());
}

/// C3: what may stand in a stage's body.
static LogicalResult verifyMayStandInStage(Operation &op) {
  WalkResult result = op.walk([&](Operation *nested) {
    bool isOwn = nested == &op && isa<GpuvmDialect>(op.getDialect());
    if (isOwn || isTensorCode(nested) ||
        isa<FlushOp, YieldOp, func::CallOp>(nested) || isa<scf::IfOp>(nested) ||
        (nested != &op && isControlFlow(nested)))
      return WalkResult::advance();
    nested->emitOpError("C3: cannot stand in a stage");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Operations of the machine that only move elements of small types.
static bool takesSmallTypes(Operation &op) {
  return !isa<GpuvmDialect>(op.getDialect()) ||
         isa<LoadOp, StoreOp, SendOp, GatherOp, InvokeOp>(op);
}

/// C0: the machine has no other tensors.
static LogicalResult verifyResultTypes(Operation &op) {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op.getOperandTypes()),
                                SmallVector<Type>(op.getResultTypes())))
    if (hasSmallElements(type) && !takesSmallTypes(op))
      return op.emitOpError("C0: takes no elements of ")
             << getElementTypeOrSelf(type)
             << "; arith.extf or arith.extsi converts them first";
  auto isShape = [](OpOperand &use) { // Of which only the type counts.
    return isa<tensor::ReshapeOp>(use.getOwner()) &&
           use.getOperandNumber() == 1;
  };
  if (isa<arith::ConstantOp>(op) && !op.use_empty() &&
      llvm::all_of(op.getUses(), isShape))
    return success();
  for (Type type : op.getResultTypes())
    if (isa<ShapedType>(type) && !hasRows(type))
      return emitNoRows(&op, type);
  return success();
}

/// C6.
static LogicalResult verifyCondition(StageOp stage) {
  Block &block = stage.getBody().front();
  auto send = dyn_cast<SendOp>(block.back());
  if (!send) // C2 says so.
    return success();
  if (!stage.getConditional()) {
    if (!send.getOtherwise().empty()) // C6
      return send.emitOpError("C6: the stage has no condition, and sends "
                              "nothing else");
    return success();
  }
  Type i1 = IntegerType::get(stage.getContext(), 1);
  if (block.getNumArguments() == 0 || // C6
      stage.getCondition().getType() != RankedTensorType::get({}, i1))
    return stage.emitOpError("C6: the condition is not a tensor<i1>");
  if (!send.getOtherwise().empty() &&
      send.getOtherwise().getTypes() != send.getPayloads().getTypes()) // C6
    return send.emitOpError("C6: what is sent else is not of the types sent");
  for (Value value : send.getOtherwise())
    if (value.getParentBlock() != &block || !isa<BlockArgument>(value)) // C6
      return send.emitOpError("C6: what is sent else is not what the stage was "
                              "given");
  for (OpResult message : stage->getResults())
    if (isBounded(payloadType(message.getType())) &&
        isReceivedElsewhere(message)) // C7
      return stage.emitOpError("C7: sends rows whose number only the device "
                               "knows to who runs on another condition");
  return success();
}

LogicalResult StageOp::verifyRegions() {
  Block &block = getBody().front();
  for (Operation &op : block)
    if (failed(verifyMayStandInStage(op)) || failed(verifyResultTypes(op)))
      return failure();
  if (failed(verifyCondition(*this)))
    return failure();
  if (getInstances())
    return verifyInstances(*this);
  // Argument types are compared as they are: an argument is never a message.
  bool sameArguments =
      llvm::equal(llvm::map_range(getInputs().getTypes(), argumentType),
                  block.getArgumentTypes());
  if (!sameArguments) // C1
    return emitOpError(
        "C1: the block arguments are not the operands' payloads");
  auto send = dyn_cast<SendOp>(block.back());
  if (!send) // C2
    return emitOpError("C2: the body does not end with gpuvm.send");
  return verifySent(send, getResultTypes());
}

LogicalResult SendOp::verify() {
  if (getStatus() && getPayloads().empty()) // C1
    return emitOpError("C1: there is a status but no payload");
  return success();
}

LogicalResult MetadataOp::verify() {
  auto stage = cast<StageOp>((*this)->getParentOp());
  auto argument = dyn_cast<BlockArgument>(getMessage());
  if (!argument || argument.getOwner() != &stage.getBody().front() ||
      !isa<MessageType>(
          stage.getInputs()[argument.getArgNumber()].getType())) // C1
    return emitOpError("C1: the operand is not a message the stage receives");
  auto field = dyn_cast<OpResult>(stage.getInputs()[argument.getArgNumber()]);
  if (field && isa<CallOp>(field.getOwner())) // Seen when it is linked.
    return success();
  if (!field || !isa<StageOp>(field.getOwner()) ||
      field.getResultNumber() != 0) // C1
    return emitOpError(
        "C1: the operand is not the first field of a stage's message");
  Builder b(getContext());
  bool isFloat = getField() == Field::norm || getField() == Field::max_abs;
  Type element = isFloat                      ? Type(b.getF32Type())
                 : getField() == Field::ticks ? Type(b.getI64Type())
                                              : Type(b.getI32Type());
  auto one = RankedTensorType::get({}, element);
  if (getWord().getType() == one)
    return success();
  auto sender = cast<StageOp>(field.getOwner());
  bool isWhole =
      !stage.getInstances() || stage.isShared(argument.getArgNumber());
  bool fits = sender.getInstances() && isWhole && getField() != Field::ticks &&
              getWord().getType() ==
                  RankedTensorType::get(
                      {static_cast<int64_t>(*sender.getInstances())}, element);
  if (!fits) // C2
    return emitOpError("C2: ") << stringifyField(getField()) << " is a " << one
                               << ", not " << getWord().getType();
  return success();
}
