//===- GpuvmOps.cpp - kernels, external kernels, generated code -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Nothing, `[64]` or `[%position]`.
static ParseResult
parseStorePlace(OpAsmParser &parser,
                std::optional<OpAsmParser::UnresolvedOperand> &position,
                IntegerAttr &offset) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    position = operand;
    return failure(failed(*isOperand) || failed(parser.parseRSquare()));
  }
  return failure(
      parser.parseAttribute(offset, parser.getBuilder().getI64Type()) ||
      parser.parseRSquare());
}

static void printStorePlace(OpAsmPrinter &p, Operation *, Value position,
                            IntegerAttr offset) {
  if (position)
    p << '[' << position << ']';
  else if (offset)
    p << '[' << offset.getInt() << ']';
}

//===----------------------------------------------------------------------===//
// External kernels
//===----------------------------------------------------------------------===//

static ParseResult parseFunctionTypeOf(OpAsmParser &parser, TypeAttr &type) {
  FunctionType functionType;
  if (parser.parseType(functionType))
    return failure();
  type = TypeAttr::get(functionType);
  return success();
}

static void printFunctionTypeOf(OpAsmPrinter &p, Operation *, TypeAttr type) {
  p << type.getValue();
}

/// `add, min`
static ParseResult parseRules(OpAsmParser &parser, ArrayAttr &rules) {
  SmallVector<Attribute> list;
  auto parseRule = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Rule> rule = symbolizeRule(keyword);
    if (!rule)
      return parser.emitError(loc) << "there is no rule \"" << keyword << '"';
    list.push_back(RuleAttr::get(parser.getContext(), *rule));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseRule))
    return failure();
  rules = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printRules(OpAsmPrinter &p, Operation *, ArrayAttr rules) {
  llvm::interleaveComma(rules.getAsRange<RuleAttr>(), p, [&](RuleAttr rule) {
    p << stringifyRule(rule.getValue());
  });
}

LogicalResult ExternKernelOp::verify() {
  FunctionType type = getFunctionType();
  if (type.getNumResults() == 0) // C1
    return emitOpError("C1: has no result");
  for (Type t : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (!isVmTensor(t)) // C1
      return emitOpError("C1: ") << t << " is not a tensor of the machine";
  auto positiveTriple = [](ArrayRef<int32_t> values) {
    return values.size() == 3 &&
           llvm::all_of(values, [](int32_t v) { return v > 0; });
  };
  if (!positiveTriple(getLocalSize()) || !positiveTriple(getGroups())) // C2
    return emitOpError("C2: local_size and groups are three positive numbers");
  return success();
}

LogicalResult InvokeOp::verifySymbolUses(SymbolTableCollection &) {
  auto program = (*this)->getParentOfType<ProgramOp>();
  auto kernel = program ? dyn_cast_or_null<ExternKernelOp>(
                              SymbolTable::lookupSymbolIn(program, getCallee()))
                        : ExternKernelOp();
  if (!kernel) // C1
    return emitOpError("C1: there is no external kernel @") << getCallee();
  FunctionType type = kernel.getFunctionType();
  if (TypeRange(type.getInputs()) != TypeRange(getInputs()) ||
      TypeRange(type.getResults()) != TypeRange(getOutputs())) // C1
    return emitOpError("C1: external kernel @")
           << getCallee() << " has type " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// `constraint` is the number this rule has for `op`.
static LogicalResult verifyWindows(Operation *op, StringRef constraint,
                                   std::optional<ArrayAttr> windows,
                                   TypeRange types) {
  if (!windows)
    return success();
  if (windows->size() != types.size())
    return op->emitOpError(constraint)
           << ": there are " << windows->size() << " windows for "
           << types.size() << " tensors";
  for (auto [window, type] :
       llvm::zip_equal(windows->getAsRange<WindowAttr>(), types))
    if (window.getLength() < tensorBytes(cast<RankedTensorType>(type)))
      return op->emitOpError(constraint)
             << ": a window of " << window.getLength()
             << " bytes does not hold " << type;
  return success();
}

/// Windows of operands and results.
template <typename OpTy>
static LogicalResult verifyWindows(OpTy op, StringRef constraint) {
  if (failed(verifyWindows(op, constraint, op.getInputWindows(),
                           op->getOperandTypes())))
    return failure();
  return verifyWindows(op, constraint, op.getOutputWindows(),
                       op->getResultTypes());
}

LogicalResult InvokeOp::verify() { return verifyWindows(*this, "C2"); }
LogicalResult gpuvm::CopyOp::verify() { return verifyWindows(*this, "C1"); }

LogicalResult ExposeOp::verify() {
  auto reg = static_cast<int64_t>(getReg());
  auto instance = static_cast<int64_t>(getInstance());
  if (reg < 0 || instance < 0) // C1
    return emitOpError("C1: there is no register ")
           << reg << " of instance " << instance << " (both count from 0)";
  return success();
}

LogicalResult YieldOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (parent->getDialect() != (*this)->getDialect() ||
      isa<ProgramOp, StageOp, LoopOp>(parent)) // C1
    return emitOpError("C1: stands in no kernel and in no region of scalar "
                       "code of an operation of gpuvm");
  return success();
}

LogicalResult KernelOp::verify() {
  Type i1 = IntegerType::get(getContext(), 1);
  if (std::optional<uint64_t> number = getCondition();
      number &&
      (*number >= getInputs().size() ||
       getInputs()[*number].getType() != RankedTensorType::get({}, i1))) // C5
    return emitOpError("C5: operand ") << static_cast<int64_t>(*number)
                                       << " is not there, or no tensor<i1>";
  if (getUnless() && !getCondition()) // C5
    return emitOpError("C5: says when it does not run, but no condition");
  if (getCountsWindow().has_value() != getParkedGroups().has_value()) // C6
    return emitOpError("C6: says where its workgroups are counted, or how many "
                       "they are, but not both");
  if (std::optional<WindowAttr> counts = getCountsWindow();
      counts && (counts->getRegion() != gpuvm::Region::control ||
                 counts->getLength() != kTripletBytes)) // C6
    return emitOpError("C6: counts its workgroups in ")
           << *counts << ", not in 12 bytes of Control";
  if (std::optional<ArrayAttr> launches = getLaunches();
      launches && (launches->empty() ||
                   cast<LaunchAttr>(launches->getValue().back()).getDevice() !=
                       DeviceKind::any)) // C7
    return emitOpError("C7: has no launch for any device as the last one");
  return verifyWindows(*this, "C3");
}

LogicalResult KernelOp::verifyRegions() {
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
      return emitOpError("C8: a map makes ") << output.getType() << " beside "
                                             << getOutputs().front().getType();
  return success();
}

#define GET_OP_CLASSES
#include "dialects/gpuvm/GpuvmOps.cpp.inc"
