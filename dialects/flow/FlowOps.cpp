//===- FlowOps.cpp - operations of the flow dialect -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/flow/Flow.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::flow;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Dispatches
//===----------------------------------------------------------------------===//

SmallVector<Access> DispatchOp::getOtherAccesses() {
  SmallVector<Access> accesses;
  if (std::optional<ArrayAttr> scratch = getScratchWindows())
    for (bool writes : {false, true})
      for (auto window : scratch->getAsRange<WindowAttr>())
        accesses.push_back({window, writes});
  if (std::optional<WindowAttr> groups = getGroupsWindow())
    accesses.push_back({*groups, /*writes=*/false});
  return accesses;
}

std::optional<unsigned> DispatchOp::getTiedOperand(unsigned number) {
  if (std::optional<ArrayRef<int64_t>> ties = getTies();
      ties && (*ties)[number] >= 0)
    return (*ties)[number];
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  Value operand = yield.getValues()[number];
  // One scatter may update what another one has updated.
  while (OpResult value = getRootResult(operand)) {
    auto root = cast<RootOpInterface>(value.getOwner());
    SmallVector<unsigned> updated = root.getUpdatedOperands();
    if (value.getResultNumber() >= updated.size())
      return std::nullopt;
    operand =
        withoutReshapes(root->getOperand(updated[value.getResultNumber()]));
    if (auto argument = dyn_cast<BlockArgument>(operand))
      return argument.getArgNumber();
  }
  return std::nullopt;
}

std::optional<unsigned> DispatchOp::getOtherwiseOperand(unsigned number) {
  std::optional<ArrayRef<int64_t>> otherwise = getOtherwise();
  if (!otherwise || (*otherwise)[number] < 0)
    return std::nullopt;
  return (*otherwise)[number];
}

LogicalResult flow::CopyOp::verify() { return verifyWindows(*this, "C1"); }

LogicalResult ExposeOp::verify() {
  auto reg = static_cast<int64_t>(getReg());
  auto instance = static_cast<int64_t>(getInstance());
  if (reg < 0 || instance < 0) // C1
    return emitOpError("C1: there is no register ")
           << reg << " of instance " << instance << " (both count from 0)";
  return success();
}

static ParseResult
parsePredicate(OpAsmParser &parser,
               std::optional<OpAsmParser::UnresolvedOperand> &predicate,
               UnitAttr &unless) {
  bool isUnless = succeeded(parser.parseOptionalKeyword("unless"));
  if (!isUnless && failed(parser.parseOptionalKeyword("if")))
    return success();
  if (isUnless)
    unless = parser.getBuilder().getUnitAttr();
  return failure(parser.parseLParen() ||
                 parser.parseOperand(predicate.emplace()) ||
                 parser.parseRParen());
}

static void printPredicate(OpAsmPrinter &printer, DispatchOp, Value predicate,
                           UnitAttr unless) {
  if (predicate)
    printer << (unless ? "unless(" : "if(") << predicate << ')';
}

/// C5.
static LogicalResult verifyTies(DispatchOp op) {
  std::optional<ArrayRef<int64_t>> ties = op.getTies();
  if (!ties)
    return success();
  if (ties->size() != op.getOutputs().size())
    return op.emitOpError("C5: ties ")
           << ties->size() << " results, and has " << op.getOutputs().size();
  llvm::DenseSet<int64_t> tied;
  for (auto [result, number] : llvm::zip_equal(op.getOutputs(), *ties)) {
    if (number == -1)
      continue;
    if (number < 0 || number >= int64_t(op.getInputs().size()) ||
        !tied.insert(number).second)
      return op.emitOpError("C5: operand ")
             << number << " is not there, or is tied twice";
    if (tensorBytes(typeOf(op.getInputs()[number])) !=
        tensorBytes(typeOf(result)))
      return op.emitOpError("C5: ties ")
             << result.getType() << " to " << op.getInputs()[number].getType();
  }
  return success();
}

/// C9.
static LogicalResult verifyOtherwise(DispatchOp op) {
  std::optional<ArrayRef<int64_t>> otherwise = op.getOtherwise();
  if (!otherwise)
    return success();
  if (!op.getPredicate())
    return op.emitOpError("C9: always runs, and says what it is otherwise");
  if (otherwise->size() != op.getOutputs().size())
    return op.emitOpError("C9: says what ")
           << otherwise->size() << " results are otherwise, and has "
           << op.getOutputs().size();
  for (auto [result, number] : llvm::zip_equal(op.getOutputs(), *otherwise)) {
    if (number == -1)
      continue;
    if (number < 0 || number >= int64_t(op.getInputs().size()))
      return op.emitOpError("C9: has no operand ") << number;
    if (op.getInputs()[number].getType() != result.getType())
      return op.emitOpError("C9: ") << result.getType() << " is otherwise "
                                    << op.getInputs()[number].getType();
  }
  return success();
}

LogicalResult PlaceOp::verifySymbolUses(SymbolTableCollection &) {
  if (!getValue().getDefiningOp<DispatchOp>()) // C1
    return emitOpError("C1: places what no dispatch computes");
  SymbolInfo symbol = lookupSymbol(*this, getSymbol());
  if (symbol.region == gpuvm::Region::heap) // C1
    return emitOpError("C1: heap symbol @") << getSymbol() << " is immutable";
  return verifySymbolAccess(*this, symbol, getSymbol(), getValue().getType(),
                            getOffset());
}

LogicalResult DispatchOp::verify() {
  if (failed(verifyTies(*this)) || failed(verifyOtherwise(*this)))
    return failure();
  if (getMostGroups().has_value() != (getGroups() || getGroupsWindow())) // C6
    return emitOpError("C6: says where its workgroups are counted, or how many "
                       "they are at most, but not both");
  if (Value groups = getGroups()) {
    RankedTensorType type = typeOf(groups);
    auto row = static_cast<int64_t>(getGroupsRow().value_or(-1));
    if (type.getRank() != 2 || type.getDimSize(1) != 3 ||
        !type.getElementType().isInteger(32) || row < 0 ||
        row >= type.getDimSize(0)) // C6
      return emitOpError("C6: there are no three words in row ")
             << row << " of " << type;
  }
  if (std::optional<WindowAttr> groups = getGroupsWindow();
      groups && (groups->getRegion() != gpuvm::Region::control ||
                 groups->getLength() != kTripletBytes)) // C6
    return emitOpError("C6: counts its workgroups in ")
           << *groups << ", not in 12 bytes of Control";
  if (std::optional<ArrayAttr> launches = getLaunches();
      launches && (launches->empty() ||
                   cast<LaunchAttr>(launches->getValue().back()).getDevice() !=
                       DeviceKind::any)) // C7
    return emitOpError("C7: has no launch for any device as the last one");
  if (failed(verifyWindows(*this, "C3", getInputWindows(),
                           getInputs().getTypes())))
    return failure();
  return verifyWindows(*this, "C3", getOutputWindows(),
                       getOutputs().getTypes());
}

LogicalResult DispatchOp::verifyRegions() {
  Block &block = getBody().front();
  if (TypeRange(block.getArguments()) != TypeRange(getInputs())) // C1
    return emitOpError("C1: the block arguments are not the operands");
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield || TypeRange(yield.getValues()) != TypeRange(getOutputs())) // C2
    return emitOpError("C2: the body does not yield the results");
  auto isHeld = [](Value value) { return value.getDefiningOp<HoldOp>(); };
  if (getRoot() == Root::chain &&
      !llvm::all_of(yield.getValues(), isHeld)) // C4
    return emitOpError("C4: a chain yields a value that no step holds");
  auto countElements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  for (Value output : getOutputs())
    if (int64_t count = countElements(output);
        getRoot() == Root::map && count != 1 &&
        count != countElements(getOutputs().front())) // C8
      return emitOpError("C8: a map computes ")
             << output.getType() << " and " << getOutputs().front().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

unsigned ExchangeOp::getNumberOf(unsigned transfer) {
  unsigned number = transfer;
  for (unsigned i = 0; i < transfer; ++i)
    number += getTransfer(i).getCounted();
  return number;
}

/// C1 and C4, of operand and result `number` and those after them.
static LogicalResult verifyTransfer(ExchangeOp op, TransferAttr transfer,
                                    unsigned number) {
  int64_t ranks = getRanks(op);
  bool isShift = transfer.getKind() == TransferKind::shift;
  if ((!isShift && (transfer.getOffset() != 0 || transfer.getRotate())) ||
      (transfer.getCounted() &&
       transfer.getKind() != TransferKind::all_to_all)) // C4
    return op.emitOpError("C4: there is no ") << transfer;
  RankedTensorType source = payloadType(op.getInputs()[number].getType()),
                   result = typeOf(op.getOutputs()[number]);
  int64_t copies = transfer.getKind() == TransferKind::all_gather ? ranks : 1;
  if (source.getElementType() != result.getElementType() ||
      source.getNumElements() * copies != result.getNumElements()) // C1
    return op.emitOpError("C1: ") << transfer << " of " << source << " with "
                                  << ranks << " ranks does not give " << result;
  if (transfer.getKind() == TransferKind::all_to_all &&
      source.getNumElements() % ranks != 0) // C1
    return op.emitOpError("C1: ")
           << source << " is not cut into " << ranks << " blocks";
  if (!transfer.getCounted())
    return success();
  Type counts =
      RankedTensorType::get({ranks}, IntegerType::get(op.getContext(), 32));
  if (payloadType(op.getInputs()[number + 1].getType()) != counts ||
      op.getOutputs()[number + 1].getType() != counts) // C1
    return op.emitOpError("C1: counts of ")
           << ranks << " ranks are not " << counts;
  return success();
}

LogicalResult ExchangeOp::verify() {
  if (getRanks(*this) == 0) // C3
    return emitOpError("C3: stands in a program that does not say how many "
                       "ranks there are");
  size_t operands = getNumberOf(getTransfers().size());
  if (operands == 0 || getInputs().size() != operands ||
      getOutputs().size() != operands) // C1
    return emitOpError("C1: there are ")
           << getTransfers().size() << " transfers, " << getInputs().size()
           << " operands and " << getOutputs().size() << " results";
  for (unsigned i = 0; i < getTransfers().size(); ++i)
    if (failed(verifyTransfer(*this, getTransfer(i), getNumberOf(i))))
      return failure();
  return verifyWindows(*this, "C2");
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopOp::build(OpBuilder &, OperationState &state, StringAttr name,
                   int64_t times, ValueRange initial, TypeRange types) {
  auto &own = state.getOrAddProperties<Properties>();
  Builder b(name.getContext());
  own.sym_name = name;
  own.times = b.getI64IntegerAttr(times);
  state.addOperands(initial);
  state.addTypes(types);
  Block &body = state.addRegion()->emplaceBlock();
  for (auto [type, value] : llvm::zip_equal(types, initial))
    body.addArgument(type, value.getLoc());
}

/// `(%x = %first : type, ...)`, and `-> (types)` where the operands have
/// others.
static ParseResult
parseValues(OpAsmParser &parser, OperationState &result,
            SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  auto parseValue = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(
        parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operand) || parser.parseColonType(argument.type) ||
        parser.resolveOperand(operand, argument.type, result.operands));
  };
  if (failed(parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::OptionalParen, parseValue)))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    result.addTypes(argument.type);
  if (failed(parser.parseOptionalArrow()))
    return success();
  result.types.clear();
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseTypeList(result.types) ||
      parser.parseRParen())
    return failure();
  if (result.types.size() != arguments.size())
    return parser.emitError(place, "there are ")
           << arguments.size() << " iteration values, not "
           << result.types.size();
  for (auto [argument, type] : llvm::zip_equal(arguments, result.types))
    argument.type = type;
  return success();
}

/// `while %x` or `while @register`.
static ParseResult parseWhile(OpAsmParser &parser, LoopOp::Properties &own,
                              ArrayRef<OpAsmParser::Argument> arguments) {
  FlatSymbolRefAttr condition;
  if (OptionalParseResult parsed = parser.parseOptionalAttribute(condition);
      parsed.has_value()) {
    own.condition = condition;
    return *parsed;
  }
  OpAsmParser::UnresolvedOperand value;
  if (failed(parser.parseOperand(value)))
    return failure();
  auto *found = llvm::find_if(arguments, [&](const auto &argument) {
    return argument.ssaName.name == value.name &&
           argument.ssaName.number == value.number;
  });
  if (found == arguments.end())
    return parser.emitError(value.location, "is no iteration value");
  own.go = parser.getBuilder().getI64IntegerAttr(found - arguments.begin());
  return success();
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &own = result.getOrAddProperties<Properties>();
  Type i64 = parser.getBuilder().getI64Type();
  SmallVector<OpAsmParser::Argument> arguments;
  (void)parser.parseOptionalSymbolName(own.sym_name);
  if (parser.parseAttribute(own.times, i64) || parser.parseKeyword("times") ||
      parseValues(parser, result, arguments))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("while")) &&
      failed(parseWhile(parser, own, arguments)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("rotating")) &&
      (parser.parseAttribute(own.rotations) || parser.parseKeyword("from") ||
       parser.parseAttribute(own.phase, i64)))
    return failure();
  mlir::Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void LoopOp::print(OpAsmPrinter &p) {
  p << ' ';
  if (std::optional<StringRef> name = getSymName()) {
    p.printSymbolName(*name);
    p << ' ';
  }
  p << getTimes() << " times";
  if (!getInitial().empty()) {
    p << " (";
    llvm::interleaveComma(
        llvm::zip_equal(getBody().getArguments(), getInitial()), p,
        [&](auto pair) {
          auto [argument, initial] = pair;
          p << argument << " = " << initial << " : " << initial.getType();
        });
    p << ')';
    if (getInitial().getTypes() != getResultTypes())
      p << " -> (" << getResultTypes() << ')';
  }
  if (BlockArgument value = getWhile())
    p << " while " << value;
  else if (FlatSymbolRefAttr name = getConditionAttr())
    p << " while " << name;
  if (std::optional<ArrayAttr> rotations = getRotations())
    p << " rotating " << *rotations << " from " << getPhase();
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/!getEnd().getValues().empty());
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getSymNameAttrName(), getTimesAttrName(),
                           getGoAttrName(), getConditionAttrName(),
                           getRotationsAttrName(), getPhaseAttrName()});
}

void LoopOp::getAsmBlockArgumentNames(mlir::Region &, OpAsmSetValueNameFn) {}

flow::NextOp LoopOp::getEnd() {
  return cast<flow::NextOp>(getBody().front().getTerminator());
}

BlockArgument LoopOp::getWhile() {
  std::optional<uint64_t> number = getGo();
  return number ? getBody().getArgument(*number) : BlockArgument();
}

bool LoopOp::isFence() { return true; }
bool flow::NextOp::isFence() { return true; }

/// C3 and C4 of a loop, about one rotation.
static LogicalResult verifyRotation(LoopOp loop, Attribute attribute) {
  auto rotation = dyn_cast<ArrayAttr>(attribute);
  if (!rotation || rotation.size() < 2) // C3
    return loop.emitOpError("C3: a rotation has two registers or more, not ")
           << attribute;
  RankedTensorType type;
  for (Attribute name : rotation) {
    auto reference = dyn_cast<FlatSymbolRefAttr>(name);
    auto symbol =
        reference
            ? SymbolTable::lookupNearestSymbolFrom<RegisterOp>(loop, reference)
            : RegisterOp();
    if (!symbol) // C3
      return loop.emitOpError("C3: ") << name << " is not a register";
    auto own = cast<RankedTensorType>(symbol.getType());
    if (type && own != type) // C3
      return loop.emitOpError("C3: register ")
             << name << " has the type " << own << ", not " << type;
    type = own;
  }
  int64_t turns = loop.getPhase() + loop.getTimes(), length = rotation.size();
  if (int64_t(loop.getPhase()) < 0 || turns % length != 0) // C4
    return loop.emitOpError("C4: ")
           << loop.getPhase() << " and " << loop.getTimes()
           << " turns do not end where a rotation of " << length << " begins";
  return success();
}

/// C5 of a loop.
static LogicalResult verifyCondition(LoopOp loop) {
  auto word = RankedTensorType::get({}, IntegerType::get(loop.getContext(), 1));
  if (std::optional<uint64_t> number = loop.getGo()) {
    Block &body = loop.getBody().front();
    auto count =
        RankedTensorType::get({}, IntegerType::get(word.getContext(), 32));
    if (*number == 0 || *number >= body.getNumArguments() ||
        loop.getCondition()) // C5
      return loop.emitOpError("C5: no iteration value ")
             << *number << " after another one, or a register, too";
    Type own = body.getArgument(*number).getType(),
         before = body.getArgument(*number - 1).getType();
    if (payloadType(own) != word || payloadType(before) != count) // C5
      return loop.emitOpError("C5: goes on while ")
             << own << " after " << before
             << " is true, not a tensor<i1> after a tensor<i32>";
  }
  FlatSymbolRefAttr name = loop.getConditionAttr();
  if (!name)
    return success();
  auto symbol = SymbolTable::lookupNearestSymbolFrom<RegisterOp>(loop, name);
  if (!symbol) // C5
    return loop.emitOpError("C5: ") << name << " is not a register";
  if (Type type = symbol.getType(); type != word) // C5
    return loop.emitOpError("C5: register ")
           << name << " has the type " << type << ", not tensor<i1>";
  return success();
}

/// C1 of a loop, about its values.
static LogicalResult verifyValues(LoopOp loop) {
  Block &body = loop.getBody().front();
  auto haveTypes = [&](TypeRange types, TypeRange wanted) {
    return llvm::equal(llvm::map_range(types, payloadType),
                       llvm::map_range(wanted, payloadType));
  };
  if (TypeRange(body.getArguments()) != loop.getResultTypes() ||
      !haveTypes(loop.getInitial().getTypes(), loop.getResultTypes())) // C1
    return loop.emitOpError("C1: the block arguments are not the operands");
  if (TypeRange next = loop.getEnd().getValues().getTypes();
      !haveTypes(next, loop.getResultTypes())) // C1
    return loop.getEnd().emitOpError("C1: has ")
           << next << ", not " << loop.getResultTypes();
  return success();
}

/// C3 and C5 of a loop: a register is in one rotation at most. Looks at the
/// loops of the program up to this one.
static LogicalResult verifyRegisters(LoopOp last) {
  llvm::DenseSet<Attribute> rotating;
  LogicalResult result = success();
  last->getParentOfType<ProgramOp>().walk<WalkOrder::PreOrder>(
      [&](LoopOp loop) {
        if (std::optional<ArrayAttr> rotations = loop.getRotations())
          for (auto rotation : rotations->getAsRange<ArrayAttr>())
            for (Attribute name : rotation)
              if (!rotating.insert(name).second && loop == last) // C3
                result = loop.emitOpError("C3: register ")
                         << name << " is in two rotations";
        FlatSymbolRefAttr condition = loop.getConditionAttr();
        if (condition && rotating.contains(condition) && loop == last) // C5
          result = loop.emitOpError("C5: register ")
                   << condition << " is in a rotation";
        return loop == last ? WalkResult::interrupt() : WalkResult::advance();
      });
  return result;
}

LogicalResult LoopOp::verifyRegions() {
  if (failed(verifyValues(*this)))
    return failure();
  for (Operation &op : getBody().front())
    if (!isa_and_nonnull<gpuvm::GpuvmDialect, FlowDialect>(op.getDialect()) &&
        !op.hasTrait<OpTrait::ConstantLike>()) // C1
      return emitStrayOp(op, "C1");
  auto times = static_cast<int64_t>(getTimes());
  if (times < 1) // C2
    return emitOpError("C2: cannot run ") << times << " times";
  if (std::optional<ArrayAttr> rotations = getRotations())
    for (Attribute rotation : *rotations)
      if (failed(verifyRotation(*this, rotation)))
        return failure();
  if (failed(verifyRegisters(*this)))
    return failure();
  return verifyCondition(*this);
}

#define GET_OP_CLASSES
#include "dialects/flow/FlowOps.cpp.inc"
