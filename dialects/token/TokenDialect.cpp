//===- TokenDialect.cpp - the dialect of the token-stream VM --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/token/Token.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::token;

#include "dialects/token/TokenDialect.cpp.inc"

static constexpr int32_t kEnd = -1;
static constexpr int32_t kBytes = 256; ///< Tokens that a text can stand for.

//===----------------------------------------------------------------------===//
// Operations as text
//===----------------------------------------------------------------------===//

static ParseResult parseSomeTokens(OpAsmParser &parser,
                                   SmallVectorImpl<int32_t> &tokens) {
  std::string text;
  if (failed(parser.parseOptionalString(&text)))
    return parser.parseInteger(tokens.emplace_back());
  for (char c : text)
    tokens.push_back(static_cast<uint8_t>(c));
  return success();
}

/// `["text", 257]`
static ParseResult parseTokens(OpAsmParser &parser, DenseI32ArrayAttr &tokens) {
  SmallVector<int32_t> list;
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square,
          [&] { return parseSomeTokens(parser, list); }, " of tokens"))
    return failure();
  tokens = parser.getBuilder().getDenseI32ArrayAttr(list);
  return success();
}

static void printTokens(OpAsmPrinter &printer, ArrayRef<int32_t> tokens) {
  auto isByte = [](int32_t token) { return token >= 0 && token < kBytes; };
  printer << '[';
  for (bool isFirst = true; !tokens.empty(); isFirst = false) {
    printer << (isFirst ? "" : ", ");
    std::string text;
    for (int32_t token : tokens.take_while(isByte))
      text += static_cast<char>(token);
    if (text.empty())
      printer << tokens.front();
    else
      printer.printString(text);
    tokens = tokens.drop_front(std::max<size_t>(text.size(), 1));
  }
  printer << ']';
}

static void printTokens(OpAsmPrinter &printer, Operation *,
                        DenseI32ArrayAttr tokens) {
  printTokens(printer, tokens.asArrayRef());
}

static ParseResult parsePhrases(OpAsmParser &parser, ArrayAttr &phrases) {
  SmallVector<Attribute> list;
  auto parse = [&]() -> ParseResult {
    DenseI32ArrayAttr phrase;
    if (parseTokens(parser, phrase))
      return failure();
    list.push_back(phrase);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse,
                                     " of phrases"))
    return failure();
  phrases = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printPhrases(OpAsmPrinter &printer, Operation *op,
                         ArrayAttr phrases) {
  printer << '[';
  llvm::interleaveComma(
      phrases.getAsRange<DenseI32ArrayAttr>(), printer,
      [&](DenseI32ArrayAttr phrase) { printTokens(printer, op, phrase); });
  printer << ']';
}

/// `row 1 ["[A]"] row 2 ["<a>"]`
static ParseResult parseRows(OpAsmParser &parser, DenseI32ArrayAttr &rows,
                             ArrayAttr &tokens) {
  SmallVector<int32_t> numbers;
  SmallVector<Attribute> lists;
  while (succeeded(parser.parseOptionalKeyword("row"))) {
    DenseI32ArrayAttr list;
    if (parser.parseInteger(numbers.emplace_back()) ||
        parseTokens(parser, list))
      return failure();
    lists.push_back(list);
  }
  rows = parser.getBuilder().getDenseI32ArrayAttr(numbers);
  tokens = parser.getBuilder().getArrayAttr(lists);
  return success();
}

static void printRows(OpAsmPrinter &printer, ClassOp op, DenseI32ArrayAttr rows,
                      ArrayAttr tokens) {
  llvm::interleave(
      llvm::zip(rows.asArrayRef(), tokens.getAsRange<DenseI32ArrayAttr>()),
      printer,
      [&](auto row) {
        printer << "row " << std::get<0>(row) << ' ';
        printTokens(printer, op, std::get<1>(row));
      },
      " ");
}

/// A zone's number, or `end`.
static ParseResult parseTarget(OpAsmParser &parser, IntegerAttr &target) {
  int32_t number = kEnd;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("end"))) {
    if (parser.parseInteger(number))
      return failure();
    if (number < 0)
      return parser.emitError(loc, "expected a zone's number or end");
  }
  target = parser.getBuilder().getI32IntegerAttr(number);
  return success();
}

static void printTarget(OpAsmPrinter &printer, Operation *,
                        IntegerAttr target) {
  if (target.getInt() == kEnd)
    printer << "end";
  else
    printer << target.getInt();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ClassOp::verify() {
  if (getRows().size() != getTokens().size()) // C1
    return emitOpError("has ") << getRows().size() << " rows and the tokens of "
                               << getTokens().size();
  return success();
}

LogicalResult ZoneOp::verify() {
  if (getJump().has_value() != getJumpTarget().has_value() ||
      (getJumpOff() && !getJump())) // C2
    return emitOpError("has a part of a jump; its classes and its target are "
                       "wanted");
  if (static_cast<int64_t>(getBlock()) < 0 ||
      static_cast<int64_t>(getRepetition()) < 0) // C3
    return emitOpError("is of block ")
           << static_cast<int64_t>(getBlock()) << " and repetition "
           << static_cast<int64_t>(getRepetition()) << "; both are at least 0";
  if (getDataBegin().has_value() != getDataEnd().has_value() ||
      (getDataBegin() && getPrompt())) // C4
    return emitOpError("has a prompt that is no list of tokens or place in "
                       "the data, or is both");
  return success();
}

LogicalResult WorkflowOp::verifyRegions() {
  llvm::StringSet<> names;
  int models = 0;
  for (Operation &op : getBody().front()) { // C1
    if (!isa<ClassOp, ZoneOp, ExtractOp, TestModelOp>(op))
      return op.emitOpError("stands in a token.workflow, which has classes, "
                            "zones, extracts and a test model");
    models += isa<TestModelOp>(op);
    auto extract = dyn_cast<ExtractOp>(op);
    if (extract && !names.insert(extract.getName()).second) // C2
      return extract.emitOpError("is the second one with the name ")
             << extract.getNameAttr();
  }
  if (models != 1)
    return emitOpError("has ") << models << " test models, and it has one";
  return success();
}

namespace {
/// C1 to C3 of token.machine.
class Structure {
public:
  explicit Structure(MachineOp machine) : machine(machine) {}

  LogicalResult verify();

private:
  void count();
  LogicalResult verifyNumber(Operation *op, int32_t number, int32_t &next);
  LogicalResult verifyRows(ClassOp op);
  LogicalResult verifyTarget(ZoneOp op, std::optional<int32_t> target);
  LogicalResult verifyZone(ZoneOp op);

  MachineOp machine;
  int32_t zones = 0, classes = 0; ///< So far.
  int32_t allZones = 0;
  llvm::BitVector rows; ///< Those that are there.
};
} // namespace

void Structure::count() {
  size_t allRows = 0;
  for (auto workflow : machine.getOps<WorkflowOp>()) {
    allZones += llvm::range_size(workflow.getOps<ZoneOp>());
    for (auto op : workflow.getOps<ClassOp>())
      allRows += op.getRows().size();
  }
  rows.resize(allRows);
}

LogicalResult Structure::verifyNumber(Operation *op, int32_t number,
                                      int32_t &next) {
  if (number == next++)
    return success();
  return op->emitOpError("has number ")
         << number << ", and the next one is " << next - 1;
}

LogicalResult Structure::verifyRows(ClassOp op) {
  for (int32_t row : op.getRows()) {
    if (row < 0 || row >= static_cast<int32_t>(rows.size()))
      return op.emitOpError("has row ") << row << ", and the machine has "
                                        << rows.size() << " rows from 0";
    if (rows.test(row))
      return op.emitOpError("has row ") << row << ", which is there already";
    rows.set(row);
  }
  return success();
}

/// C1 of token.zone.
LogicalResult Structure::verifyTarget(ZoneOp op,
                                      std::optional<int32_t> target) {
  if (!target || *target == kEnd || (*target >= 0 && *target < allZones))
    return success();
  return op.emitOpError("leads to zone ")
         << *target << ", and the last one is " << allZones - 1;
}

LogicalResult Structure::verifyZone(ZoneOp op) {
  if (machine.getData() && !op.getDataBegin())
    return op.emitOpError("has no place in the data of its machine");
  if (!machine.getData() && op.getDataBegin())
    return op.emitOpError("has a place in data, and its machine has none");
  if (failed(verifyTarget(op, static_cast<int32_t>(op.getNext()))))
    return failure();
  return verifyTarget(op, op.getJumpTarget());
}

LogicalResult Structure::verify() {
  for (Operation &op : machine.getBody().front())
    if (!isa<WorkflowOp>(op))
      return op.emitOpError("stands in a token.machine, which has workflows");
  count();
  for (auto workflow : machine.getOps<WorkflowOp>()) {
    for (auto op : workflow.getOps<ClassOp>())
      if (failed(verifyNumber(op, op.getNumber(), classes)) ||
          failed(verifyRows(op)))
        return failure();
    for (auto op : workflow.getOps<ZoneOp>())
      if (failed(verifyNumber(op, op.getNumber(), zones)) ||
          failed(verifyZone(op)))
        return failure();
  }
  return success();
}

LogicalResult MachineOp::verifyRegions() {
  if (failed(Structure(*this).verify()))
    return failure();
  const auto *rules =
      (*this)->getDialect()->getRegisteredInterface<MachineRules>();
  if (!rules)
    return emitOpError("cannot be checked: the rules of its front end are not "
                       "registered");
  return rules->verify(*this); // C4
}

void TokenDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/token/TokenOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/token/TokenOps.cpp.inc"
