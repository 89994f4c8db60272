//===- GpuvmProgram.cpp - the program and its outputs ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signature is written as `(%x: type, ...) -> (name: type, ...)`. The
// names of the arguments are the names of the inputs, so they are kept in an
// attribute and given back when the program is printed.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static ParseResult parseOutputs(OpAsmParser &parser,
                                SmallVectorImpl<Type> &types,
                                SmallVectorImpl<Attribute> &names) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  Builder &builder = parser.getBuilder();
  auto parseOne = [&]() -> ParseResult {
    std::string name = "result" + std::to_string(names.size());
    Type &type = types.emplace_back();
    OptionalParseResult unnamed = parser.parseOptionalType(type);
    if (unnamed.has_value()) {
      names.push_back(builder.getStringAttr(name));
      return *unnamed;
    }
    if (parser.parseKeywordOrString(&name) || parser.parseColon())
      return failure();
    names.push_back(builder.getStringAttr(name));
    return parser.parseType(type);
  };
  if (succeeded(parser.parseOptionalLParen())) {
    if (succeeded(parser.parseOptionalRParen()))
      return success();
    return failure(parser.parseCommaSeparatedList(parseOne) ||
                   parser.parseRParen());
  }
  names.push_back(builder.getStringAttr("result0"));
  return parser.parseType(types.emplace_back());
}

/// `(%x: type, %y: type rows %x)`. `rows` gets a name for each argument, "" for
/// those without.
static ParseResult
parseInputs(OpAsmParser &parser,
            SmallVectorImpl<OpAsmParser::Argument> &arguments,
            SmallVectorImpl<StringRef> &rows) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::UnresolvedOperand other;
        if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true))
          return failure();
        bool hasOther = succeeded(parser.parseOptionalKeyword("rows"));
        if (hasOther && parser.parseOperand(other, /*allowResultNumber=*/false))
          return failure();
        rows.push_back(hasOther ? other.name.drop_front() : StringRef());
        return success();
      });
}

/// `ranks(4)`, if it is there.
static ParseResult parseRanks(OpAsmParser &parser, IntegerAttr &ranks) {
  if (failed(parser.parseOptionalKeyword("ranks")))
    return success();
  return failure(
      parser.parseLParen() ||
      parser.parseAttribute(ranks, parser.getBuilder().getI64Type()) ||
      parser.parseRParen());
}

/// The name of an argument as written, without the percent sign.
static StringAttr argumentName(Builder &builder,
                               const OpAsmParser::Argument &argument) {
  return builder.getStringAttr(argument.ssaName.name.drop_front());
}

/// The first operation that needs what `use` has: in the body of a stage, if it
/// is its parser that gave the stage a constant.
static Operation *firstReader(OpOperand &use) {
  auto stage = dyn_cast<StageOp>(use.getOwner());
  if (!stage || use.getOperandNumber() >= stage.getBody().getNumArguments())
    return use.getOwner();
  BlockArgument argument = stage.getBody().getArgument(use.getOperandNumber());
  if (argument.use_empty())
    return stage;
  Operation *first = *argument.user_begin();
  for (Operation *user : argument.getUsers())
    first = user; // Uses are listed from the last one on.
  return first;
}

/// A program sees nothing of what stands around it. Said here because nothing
/// else knows what to do.
static LogicalResult verifyUsesInside(mlir::Region &body) {
  WalkResult result = body.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      mlir::Region *source = use.get().getParentRegion();
      // What is not defined anywhere has no region yet.
      if (!source || body.isAncestor(source))
        continue;
      Operation *maker = use.get().getDefiningOp();
      bool isConstant = maker && maker->hasTrait<OpTrait::ConstantLike>();
      InFlightDiagnostic error = firstReader(use)->emitOpError(
          isConstant ? "uses a constant that stands outside of the program: "
                       "move it into the program, whose stages use it as it "
                       "is, or into the body of the stage"
                     : "uses a value from outside of the program, which sees "
                       "its inputs only: make it one of them");
      error.attachNote(use.get().getLoc()) << "it stands here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> outputTypes;
  SmallVector<Attribute> inputNames, outputNames;
  SmallVector<StringRef> inputRows;
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, mlir::SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parseInputs(parser, arguments, inputRows) ||
      parseOutputs(parser, outputTypes, outputNames) ||
      parseRanks(parser, result.getOrAddProperties<Properties>().ranks) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> inputTypes;
  for (const OpAsmParser::Argument &argument : arguments) {
    inputTypes.push_back(argument.type);
    inputNames.push_back(argumentName(builder, argument));
  }
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(inputTypes, outputTypes)));
  result.addAttribute(getInputNamesAttrName(result.name),
                      builder.getArrayAttr(inputNames));
  result.addAttribute(getOutputNamesAttrName(result.name),
                      builder.getArrayAttr(outputNames));
  if (llvm::any_of(inputRows, [](StringRef rows) { return !rows.empty(); }))
    result.addAttribute(getInputRowsAttrName(result.name),
                        builder.getStrArrayAttr(inputRows));
  mlir::Region &body = *result.addRegion();
  return failure(parser.parseRegion(body, arguments) ||
                 failed(verifyUsesInside(body)));
}

/// Whether a name without quotes would be read as the beginning of a type.
static bool readsAsType(StringRef name) {
  static constexpr StringLiteral kTypes[] = {"index",  "none",   "tensor",
                                             "vector", "memref", "complex",
                                             "tuple",  "bf16"};
  if (llvm::is_contained(kTypes, name))
    return true;
  // i32, si8, ui8, f16, f8E4M3, tf32, ...
  StringRef rest = name;
  (void)(rest.consume_front("si") || rest.consume_front("ui") ||
         rest.consume_front("tf") || rest.consume_front("i") ||
         rest.consume_front("f"));
  return rest.size() != name.size() && !rest.empty() &&
         llvm::isDigit(rest.front());
}

static void printOutputName(OpAsmPrinter &p, StringRef name) {
  if (readsAsType(name))
    p.printString(name);
  else
    p.printKeywordOrString(name);
}

void ProgramOp::print(OpAsmPrinter &p) {
  p << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    p << *visibility << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  auto inputs = getBody().getArguments();
  llvm::interleaveComma(inputs, p, [&](BlockArgument arg) {
    p.printRegionArgument(arg);
    StringRef rows = getRowsOf(arg.getArgNumber());
    for (auto [other, name] : llvm::zip_equal(inputs, getInputNames()))
      if (other != arg && cast<StringAttr>(name).getValue() == rows)
        p << " rows " << other;
  });
  p << ')';
  FunctionType type = getProgramType();
  if (type.getNumResults() != 0) {
    p << " -> (";
    llvm::interleaveComma(llvm::zip_equal(getOutputNames(), type.getResults()),
                          p, [&](auto pair) {
                            auto [name, outputType] = pair;
                            printOutputName(p,
                                            cast<StringAttr>(name).getValue());
                            p << ": " << outputType;
                          });
    p << ')';
  }
  if (std::optional<uint64_t> ranks = getRanks())
    p << " ranks(" << *ranks << ')';
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getInputNamesAttrName(),
       getOutputNamesAttrName(), getInputRowsAttrName(), getRanksAttrName(),
       getSymVisibilityAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void ProgramOp::getAsmBlockArgumentNames(mlir::Region &region,
                                         OpAsmSetValueNameFn setName) {
  for (auto [arg, name] : llvm::zip(region.getArguments(), getInputNames()))
    setName(arg, cast<StringAttr>(name).getValue());
}

StringRef ProgramOp::getRowsOf(unsigned i) {
  if (std::optional<ArrayAttr> rows = getInputRows())
    if (StringRef other = cast<StringAttr>((*rows)[i]).getValue();
        !other.empty())
      return other;
  return cast<StringAttr>(getInputNames()[i]).getValue();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult gpuvm::emitStrayOp(Operation &op, StringRef constraint) {
  bool isLoop = isa<scf::ForOp, scf::WhileOp, scf::ForallOp>(op);
  return op.emitOpError(constraint)
         << ": cannot stand between stages: "
         << (isLoop ? "stages run again in a gpuvm.repeat, and a loop over "
                      "numbers stands in a stage, in the body of an operation"
             : isa<scf::IfOp>(op)
                 ? "a stage runs on a condition with when(%condition : type)"
                 : "put it into the body of a stage");
}

// What stands in the body is looked at before what stands in that, which would
// be named otherwise.
LogicalResult ProgramOp::verify() {
  constexpr int64_t kMostRanks = 1024;
  if (IntegerAttr ranks = getRanksAttr();
      ranks && (ranks.getInt() < 1 || ranks.getInt() > kMostRanks)) // C6
    return emitOpError("C6: there cannot be ")
           << ranks.getInt() << " ranks (1 to " << kMostRanks << ")";
  FunctionType type = getProgramType();
  if (type.getNumInputs() != getInputNames().size() ||
      type.getNumResults() != getOutputNames().size())
    return emitOpError("C2: there is one name per input and output");
  SmallVector<Type> unpacked(type.getResults());
  llvm::append_range(unpacked,
                     llvm::make_filter_range(type.getInputs(), [](Type input) {
                       return !isa<PackedType>(input);
                     }));
  for (Type t : unpacked)
    if (!hasRows(t))
      return emitNoRows(*this, t);
  for (Operation &op : getBody().front())
    if (!isa_and_nonnull<GpuvmDialect>(op.getDialect()) &&
        !op.hasTrait<InCommands>() && !op.hasTrait<IsExchange>() &&
        !isa<func::FuncOp>(op) && !op.hasTrait<OpTrait::ConstantLike>()) // C3
      return emitStrayOp(op, "C3");
  return success();
}

/// C5.
static LogicalResult verifyInputRows(ProgramOp program) {
  if (!program.getInputRows())
    return success();
  ArrayAttr names = program.getInputNames();
  if (program.getInputRows()->size() != names.size())
    return program.emitOpError("C5: there is one name of rows per input");
  FunctionType type = program.getProgramType();
  auto boundOf = [&](unsigned i) {
    auto tensor = dyn_cast<RankedTensorType>(type.getInput(i));
    RankedTensorType all = tensor ? boundedTo(tensor) : RankedTensorType();
    return all ? all.getDimSize(0) : -1;
  };
  for (auto [i, name] : llvm::enumerate(names.getAsValueRange<StringAttr>())) {
    StringRef rows = program.getRowsOf(i);
    if (rows == name)
      continue;
    auto other = llvm::find_if(names, [&](Attribute n) {
      return cast<StringAttr>(n).getValue() == rows;
    });
    if (other == names.end())
      return program.emitOpError("C5: input \"")
             << name << "\" has the rows of \"" << rows
             << "\", which is no input";
    unsigned owner = other - names.begin();
    if (boundOf(i) == -1 || boundOf(i) != boundOf(owner))
      return program.emitOpError("C5: input \"")
             << name << "\" (" << type.getInput(i) << ") has the rows of \""
             << rows << "\" (" << type.getInput(owner)
             << "): both must be bounded, by the same number";
    if (program.getRowsOf(owner) != rows)
      return program.emitOpError("C5: input \"")
             << name << "\" has the rows of \"" << rows
             << "\", which has those of \"" << program.getRowsOf(owner)
             << "\": name that one";
  }
  return success();
}

/// C4. (Operations of the program itself are SymbolTable's.)
static LogicalResult verifyNames(ProgramOp program) {
  llvm::StringSet<> names;
  WalkResult result = program.getBody().walk([&](Operation *op) {
    if (!isa<StageOp, RepeatOp, CallOp>(op) ||
        names.insert(SymbolTable::getSymbolName(op).getValue()).second)
      return WalkResult::advance();
    op->emitOpError("C4: another one is named ")
        << SymbolTable::getSymbolName(op);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ProgramOp::verifyRegions() {
  if (getBody().getArgumentTypes() != getProgramType().getInputs()) // C1
    return emitOpError("C1: the block arguments do not have the input types");
  llvm::StringSet<> inputs, outputs;
  for (Attribute name : getInputNames())
    if (!inputs.insert(cast<StringAttr>(name).getValue()).second) // C2
      return emitOpError("C2: two inputs are named ") << name;
  for (Attribute name : getOutputNames())
    if (!outputs.insert(cast<StringAttr>(name).getValue()).second) // C2
      return emitOpError("C2: two outputs are named ") << name;
  for (auto heap : getBody().front().getOps<HeapOp>())
    if (!inputs.insert(heap.getSymName()).second) // C2
      return heap.emitOpError("C2: an input is named \"")
             << heap.getSymName() << "\" too";
  if (!isa<ReturnOp>(getBody().front().back())) // C3
    return emitOpError("C3: the body does not end with gpuvm.return");
  if (failed(verifyInputRows(*this)))
    return failure();
  return verifyNames(*this);
}

LogicalResult ReturnOp::verify() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  ArrayRef<Type> outputs = program.getProgramType().getResults();
  if (outputs.size() != getValues().size()) // C1
    return emitOpError("C1: the program has ")
           << outputs.size() << " outputs, " << getValues().size()
           << " are returned";
  for (auto [output, value] : llvm::zip_equal(outputs, getValues()))
    if (payloadType(value.getType()) != output) // C1
      return emitOpError("C1: ")
             << value.getType() << " does not hold the output's " << output;
  return success();
}
