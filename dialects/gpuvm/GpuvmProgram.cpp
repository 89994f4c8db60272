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

/// How the sharding of an input or an output is written.
static constexpr llvm::StringLiteral kShardingKey = "gpuvm.sharding";

/// The sharding that a dictionary has, and nothing else; a unit if it is empty.
static ParseResult readSharding(OpAsmParser &parser, SMLoc place,
                                const NamedAttrList &attributes,
                                SmallVectorImpl<Attribute> &shardings) {
  Attribute &sharding =
      shardings.emplace_back(parser.getBuilder().getUnitAttr());
  for (NamedAttribute attribute : attributes) {
    if (attribute.getName() != kShardingKey ||
        !isa<ShardingAttr>(attribute.getValue()))
      return parser.emitError(place,
                              "an input or an output has no attribute but "
                              "`gpuvm.sharding = #gpuvm.sharding<axis>`");
    sharding = attribute.getValue();
  }
  return success();
}

/// The array of the program; null without a sharding.
static ArrayAttr toShardings(Builder &builder, ArrayRef<Attribute> shardings) {
  return llvm::any_of(shardings, llvm::IsaPred<ShardingAttr>)
             ? builder.getArrayAttr(shardings)
             : ArrayAttr();
}

static void printSharding(OpAsmPrinter &p, ShardingAttr sharding) {
  if (sharding)
    p << " {" << kShardingKey << " = " << sharding << '}';
}

static ParseResult parseOutputs(OpAsmParser &parser,
                                SmallVectorImpl<Type> &types,
                                SmallVectorImpl<Attribute> &names,
                                SmallVectorImpl<Attribute> &shardings) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  Builder &builder = parser.getBuilder();
  auto parseOne = [&]() -> ParseResult {
    std::string name = "result" + std::to_string(names.size());
    Type &type = types.emplace_back();
    OptionalParseResult unnamed = parser.parseOptionalType(type);
    bool isNamed = !unnamed.has_value();
    if (isNamed && (parser.parseKeywordOrString(&name) || parser.parseColon()))
      return failure();
    names.push_back(builder.getStringAttr(name));
    if (isNamed ? parser.parseType(type) : *unnamed)
      return failure();
    NamedAttrList attributes;
    SMLoc place = parser.getCurrentLocation();
    return failure(parser.parseOptionalAttrDict(attributes) ||
                   readSharding(parser, place, attributes, shardings));
  };
  if (succeeded(parser.parseOptionalLParen())) {
    if (succeeded(parser.parseOptionalRParen()))
      return success();
    return failure(parser.parseCommaSeparatedList(parseOne) ||
                   parser.parseRParen());
  }
  names.push_back(builder.getStringAttr("result0"));
  shardings.push_back(builder.getUnitAttr());
  return parser.parseType(types.emplace_back());
}

/// `(%x: type {gpuvm.sharding = ...}, %y: type rows %x)`. `rows` gets a name
/// for each argument, "" for those without.
static ParseResult parseInputs(
    OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments,
    SmallVectorImpl<StringRef> &rows, SmallVectorImpl<Attribute> &shardings) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::UnresolvedOperand other;
        SMLoc place = parser.getCurrentLocation();
        OpAsmParser::Argument &argument = arguments.emplace_back();
        if (parser.parseArgument(argument, /*allowType=*/true,
                                 /*allowAttrs=*/true) ||
            readSharding(parser, place, argument.attrs, shardings))
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
  SmallVector<Attribute> inputNames, outputNames, inputShardings,
      outputShardings;
  SmallVector<StringRef> inputRows;
  auto &own = result.getOrAddProperties<Properties>();
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, mlir::SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parseInputs(parser, arguments, inputRows, inputShardings) ||
      parseOutputs(parser, outputTypes, outputNames, outputShardings) ||
      parseRanks(parser, own.ranks) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  own.input_shardings = toShardings(builder, inputShardings);
  own.output_shardings = toShardings(builder, outputShardings);
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
    printSharding(p, getSharding(getInputShardings(), arg.getArgNumber()));
    StringRef rows = getRowsOf(arg.getArgNumber());
    for (auto [other, name] : llvm::zip_equal(inputs, getInputNames()))
      if (other != arg && cast<StringAttr>(name).getValue() == rows)
        p << " rows " << other;
  });
  p << ')';
  FunctionType type = getProgramType();
  if (type.getNumResults() != 0) {
    p << " -> (";
    llvm::interleaveComma(
        llvm::enumerate(getOutputNames(), type.getResults()), p,
        [&](auto output) {
          auto [i, name, outputType] = output;
          printOutputName(p, cast<StringAttr>(name).getValue());
          p << ": " << outputType;
          printSharding(p, getSharding(getOutputShardings(), i));
        });
    p << ')';
  }
  if (std::optional<uint64_t> ranks = getRanks())
    p << " ranks(" << *ranks << ')';
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getInputNamesAttrName(),
       getOutputNamesAttrName(), getInputRowsAttrName(), getRanksAttrName(),
       getInputShardingsAttrName(), getOutputShardingsAttrName(),
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

/// C7, of inputs or of outputs.
static LogicalResult verifyShardings(ProgramOp program,
                                     std::optional<ArrayAttr> shardings,
                                     ArrayAttr names, TypeRange types,
                                     StringRef kind) {
  if (shardings && shardings->size() != types.size())
    return program.emitOpError("C7: there is one sharding per ") << kind;
  for (auto [i, name, type] : llvm::enumerate(names, types)) {
    ShardingAttr sharding = ProgramOp::getSharding(shardings, i);
    if (!sharding)
      continue;
    auto fail = [&] {
      return program.emitOpError("C7: ") << kind << ' ' << name << ' ';
    };
    if (!program.getRanks())
      return fail() << "has a sharding in a program that does not say how many "
                       "ranks there are: write `ranks(n)` after its outputs";
    if (!isVmTensor(type))
      return fail() << "has a sharding, and " << type
                    << " is no static tensor with elements";
    auto tensor = cast<RankedTensorType>(type);
    auto ranks = static_cast<int64_t>(*program.getRanks());
    int64_t axis = sharding.getAxis();
    if (axis < 0 || axis >= tensor.getRank())
      return fail() << "is cut along axis " << axis << ", which " << tensor
                    << " does not have";
    if (tensor.getDimSize(axis) % ranks != 0)
      return fail() << "is cut along axis " << axis << ", whose length "
                    << tensor.getDimSize(axis) << " is no multiple of the "
                    << ranks << " ranks";
  }
  return success();
}

/// C8.
static LogicalResult verifyGlobalView(ProgramOp program) {
  if (!program.isGlobalView())
    return success();
  WalkResult result = program.getBody().walk([&](Operation *op) {
    if (!op->hasTrait<IsExchange>() && !isa<RankOp, NumRanksOp>(op))
      return WalkResult::advance();
    op->emitOpError(
        "C8: stands in a program with shardings, which is written on "
        "whole tensors: its exchanges are the compiler's; without "
        "shardings, a program is that of one rank");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
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
  if (failed(verifyShardings(*this, getInputShardings(), getInputNames(),
                             type.getInputs(), "input")) ||
      failed(verifyShardings(*this, getOutputShardings(), getOutputNames(),
                             type.getResults(), "output")))
    return failure();
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
  if (failed(verifyInputRows(*this)) || failed(verifyGlobalView(*this)))
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
