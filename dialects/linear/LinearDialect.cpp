//===- LinearDialect.cpp - the dialect of the linear-algebra VM -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/linear/Instructions.h"
#include "dialects/linear/Linear.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::linear;

#include "dialects/linear/LinearDialect.cpp.inc"
#include "dialects/linear/LinearEnums.cpp.inc"

static constexpr uint32_t kRegisters = 4, kMemories = 16;
static constexpr uint32_t kMaxWords = 1 << 24; ///< Also machines of a phase.
static constexpr uint32_t kMaxFrames = 256;

//===----------------------------------------------------------------------===//
// Instructions as text
//===----------------------------------------------------------------------===//

static ParseResult parseNumbered(OpAsmParser &parser, char letter,
                                 int32_t &number) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (!word.consume_front(StringRef(&letter, 1)) ||
      word.getAsInteger(10, number))
    return parser.emitError(loc, "expected ") << letter << " and a number";
  return success();
}

/// `r0, r2`, as a mask.
static ParseResult parseMask(OpAsmParser &parser, int32_t &mask) {
  do {
    int32_t number = 0;
    SMLoc loc = parser.getCurrentLocation();
    if (parseNumbered(parser, 'r', number))
      return failure();
    if (number < 0 || number >= static_cast<int32_t>(kRegisters))
      return parser.emitError(loc, "there is no register r") << number;
    mask |= 1 << number;
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

static ParseResult parseOperand(OpAsmParser &parser, char kind,
                                int32_t &operand) {
  if (kind == 'd' || kind == 'a')
    return parseNumbered(parser, 'r', operand);
  if (kind == 'm')
    return parseNumbered(parser, 'm', operand);
  if (kind == 's')
    return parseMask(parser, operand);
  if (kind == 't' || kind == 'c')
    return parser.parseInteger(operand);
  FloatAttr value;
  if (parser.parseAttribute(value, parser.getBuilder().getF32Type()))
    return failure();
  operand =
      static_cast<int32_t>(value.getValue().bitcastToAPInt().getZExtValue());
  return success();
}

static ParseResult parseInstruction(OpAsmParser &parser, IntegerAttr &opcode,
                                    DenseI32ArrayAttr &operands) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  if (parser.parseKeyword(&mnemonic))
    return failure();
  const InstructionInfo *info = findInstruction(mnemonic);
  if (!info)
    return parser.emitError(loc, "there is no instruction ") << mnemonic;
  opcode = parser.getBuilder().getI32IntegerAttr(info->number);
  SmallVector<int32_t> numbers;
  for (char kind : info->operands) {
    if (kind == 's') { // It may keep none.
      numbers.push_back(0);
      StringRef word;
      if (failed(parser.parseOptionalKeyword(&word, {"r0", "r1", "r2", "r3"})))
        break;
      numbers.back() = 1 << (word.back() - '0');
      if (succeeded(parser.parseOptionalComma()) &&
          parseMask(parser, numbers.back()))
        return failure();
      break;
    }
    if (!numbers.empty() && parser.parseComma())
      return failure();
    if (parseOperand(parser, kind, numbers.emplace_back(0)))
      return failure();
  }
  operands = parser.getBuilder().getDenseI32ArrayAttr(numbers);
  return success();
}

static void printOperand(OpAsmPrinter &printer, MLIRContext *context, char kind,
                         int32_t operand) {
  if (kind == 'd' || kind == 'a')
    printer << 'r' << operand;
  else if (kind == 'm')
    printer << 'm' << operand;
  else if (kind == 's')
    llvm::interleaveComma(
        llvm::make_filter_range(llvm::seq<int>(0, kRegisters),
                                [&](int k) { return operand >> k & 1; }),
        printer, [&](int k) { printer << 'r' << k; });
  else if (kind == 'i')
    printer.printAttributeWithoutType(FloatAttr::get(
        Float32Type::get(context), APFloat(llvm::bit_cast<float>(operand))));
  else
    printer << operand;
}

static void printInstruction(OpAsmPrinter &printer, DoOp op, IntegerAttr opcode,
                             DenseI32ArrayAttr operands) {
  const InstructionInfo *info = findInstruction(opcode.getInt());
  if (!info || static_cast<int64_t>(info->operands.size()) != operands.size()) {
    printer << "<" << opcode.getInt() << ">"; // Not verified.
    return;
  }
  printer << info->mnemonic;
  for (auto [i, operand] : llvm::enumerate(operands.asArrayRef())) {
    if (info->operands[i] == 's' && operand == 0)
      continue;
    printer << (i == 0 ? " " : ", ");
    printOperand(printer, op.getContext(), info->operands[i], operand);
  }
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// C2 of linear.do.
static LogicalResult verifyOperand(DoOp op, char kind, uint32_t operand) {
  if ((kind == 'd' || kind == 'a') && operand >= kRegisters)
    return op.emitOpError("has register ")
           << operand << ", and the last one is 3";
  if (kind == 'm' && operand >= kMemories)
    return op.emitOpError("has memory ")
           << operand << ", and the last one is 15";
  if (kind == 's' && operand >> kRegisters)
    return op.emitOpError("keeps registers ")
           << operand << ", a mask of more than four bits";
  return success();
}

LogicalResult DoOp::verify() {
  const InstructionInfo *info = findInstruction(getOpcode());
  if (!info)
    return emitOpError("has number ")
           << getOpcode() << ", which no instruction has";
  ArrayRef<int32_t> operands = getOperands();
  if (operands.size() != info->operands.size())
    return emitOpError("has ")
           << operands.size() << " operands, and " << info->mnemonic << " has "
           << info->operands.size();
  for (auto [kind, operand] : llvm::zip_equal(info->operands, operands))
    if (failed(verifyOperand(*this, kind, operand)))
      return failure();
  return success();
}

LogicalResult RoutineOp::verify() {
  Block &block = getBody().front();
  for (Operation &op : block)
    if (!isa<DoOp>(op))
      return op.emitOpError("stands in a routine, which has instructions only");
  if (block.empty())
    return emitOpError("has no instructions");
  const InstructionInfo *last =
      findInstruction(cast<DoOp>(block.back()).getOpcode());
  if (last &&
      !llvm::is_contained({"JUMP", "RETURN", "HALT", "KILL"}, last->mnemonic))
    return emitOpError("ends with ")
           << last->mnemonic << ", not with JUMP, RETURN, HALT or KILL";
  return success();
}

LogicalResult BufferOp::verify() {
  if (getSize() < 1 || getSize() > kMaxWords)
    return emitOpError("has ")
           << getSize() << " elements, and it may have 1 to " << kMaxWords;
  return success();
}

LogicalResult RunOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program)
    return emitOpError("stands in no program");
  if (!program.lookupSymbol<RoutineOp>(getRoutine()))
    return emitOpError("begins at routine ")
           << getRoutineAttr() << ", which is not there";
  if (getCount() < 1 || getCount() > kMaxWords)
    return emitOpError("starts ") << getCount() << " machines, and may start "
                                  << "1 to " << kMaxWords;
  ArrayRef<int32_t> elements = getElements().value_or(ArrayRef<int32_t>());
  ArrayRef<int32_t> bits = getBits().value_or(ArrayRef<int32_t>());
  if (elements.size() != bits.size())
    return emitOpError("has ") << elements.size() << " elements and the bits "
                               << "of " << bits.size();
  for (auto [i, element] : llvm::enumerate(elements))
    if (element < 1 || element > 20 || (i > 0 && element <= elements[i - 1]))
      return emitOpError("has element ")
             << element << "; they are 1 to 20, and ascend";
  for (std::optional<ArrayAttr> list : {getReads(), getWrites()})
    for (Attribute name : list ? list->getValue() : ArrayRef<Attribute>()) {
      auto symbol = dyn_cast<FlatSymbolRefAttr>(name);
      if (!symbol || !program.lookupSymbol<BufferOp>(symbol.getAttr()))
        return emitOpError("uses buffer ") << name << ", which is not there";
    }
  return success();
}

LogicalResult PhaseOp::verify() {
  uint64_t machines = getSpawn().value_or(0);
  for (Operation &op : getBody().front()) {
    auto run = dyn_cast<RunOp>(op);
    if (!run)
      return op.emitOpError("stands in a phase, which has launches only");
    machines += run.getCount();
  }
  if (getBody().front().empty())
    return emitOpError("runs nothing");
  if (machines > kMaxWords)
    return emitOpError("has ")
           << machines << " machines, and may have " << kMaxWords;
  if (getBudget() && (*getBudget() < 1 || *getBudget() > INT32_MAX))
    return emitOpError("has a budget of ")
           << *getBudget() << " epochs, and may have 1 to " << INT32_MAX;
  return success();
}

/// C2 of linear.program, of instructions [first, end) of `routine`.
static LogicalResult verifyTargets(RoutineOp routine, uint32_t first,
                                   uint32_t end, uint32_t all) {
  for (auto op : routine.getOps<DoOp>()) {
    const InstructionInfo *info = findInstruction(op.getOpcode());
    for (auto [kind, operand] :
         llvm::zip_equal(info->operands, op.getOperands())) {
      uint32_t target = operand;
      if (kind == 't' && (target < first || target >= end))
        return op.emitOpError("leads to instruction ")
               << target << ", and its routine has " << first << " to "
               << end - 1;
      if (kind == 'c' && target >= all)
        return op.emitOpError("leads to instruction ")
               << target << ", and the program has " << all;
    }
  }
  return success();
}

static LogicalResult verifyPositive(ProgramOp op, StringRef what,
                                    std::optional<APFloat> value) {
  if (value && (!value->isFinite() || value->isNegative()))
    return op.emitOpError("has a ") << what << " that is not a finite number "
                                    << "of at least 0";
  return success();
}

LogicalResult ProgramOp::verify() {
  if (getStack() < 1 || getStack() > kMaxFrames)
    return emitOpError("has a stack of ")
           << getStack() << " frames, and may have 1 to " << kMaxFrames;
  if (getBudget() < 1 || getBudget() > INT32_MAX)
    return emitOpError("has a budget of ")
           << getBudget() << " epochs, and may have 1 to " << INT32_MAX;
  if (failed(verifyPositive(*this, "tolerance", getTolerance())) ||
      failed(verifyPositive(*this, "threshold", getThreshold())))
    return failure();
  uint32_t all = 0;
  for (auto routine : getOps<RoutineOp>())
    all += routine.getBody().front().getOperations().size();
  uint32_t first = 0;
  for (auto routine : getOps<RoutineOp>()) {
    uint32_t size = routine.getBody().front().getOperations().size();
    for (auto op : routine.getOps<DoOp>())
      if (failed(op.verify())) // The program is verified before its body.
        return failure();
    if (failed(verifyTargets(routine, first, first + size, all)))
      return failure();
    first += size;
  }
  for (Operation &op : getBody().front())
    if (!isa<BufferOp, RoutineOp, PhaseOp>(op))
      return op.emitOpError("stands in a linear.program, which has buffers, "
                            "routines and phases");
  if (getOps<PhaseOp>().empty())
    return emitOpError("has no phase");
  return success();
}

void LinearDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/linear/LinearOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/linear/LinearOps.cpp.inc"
