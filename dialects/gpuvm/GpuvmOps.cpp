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

LogicalResult gpuvm::verifyWindows(Operation *op, StringRef constraint,
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

LogicalResult InvokeOp::verify() { return verifyWindows(*this, "C2"); }

LogicalResult YieldOp::verify() {
  Operation *parent = (*this)->getParentOp();
  bool isDispatch = parent->hasTrait<HoldsCode>() && !isa<StageOp>(parent);
  bool isRegion = parent->getDialect() == (*this)->getDialect() &&
                  !isa<StageOp>(parent) && !parent->hasTrait<HoldsStages>();
  if (!isDispatch && !isRegion) // C1
    return emitOpError("C1: stands in no dispatch and in no region of scalar "
                       "code of an operation of gpuvm");
  return success();
}

#define GET_OP_CLASSES
#include "dialects/gpuvm/GpuvmOps.cpp.inc"
