//===- LowerBounded.cpp - bounded tensors as they are in memory -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/analysis/Commands.h"
#include "passes/types/BoundLowering.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LOWERBOUNDED
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

/// Emits an error at an operation that cannot work on bounded tensors.
static LogicalResult lowerBounded(ProgramOp program);

namespace {
struct LowerBounded : gpuvm::impl::LowerBoundedBase<LowerBounded> {
  void runOnOperation() override {
    if (failed(lowerBounded(getOperation())))
      signalPassFailure();
  }
};
} // namespace

Type gpuvm::typeInMemory(Type type) {
  if (auto message = dyn_cast<MessageType>(type))
    return MessageType::get(
        type.getContext(),
        cast<RankedTensorType>(typeInMemory(message.getPayload())));
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? withAllRows(tensor) : type;
}

bool gpuvm::isBoundedValue(Value value) {
  return typeInMemory(value.getType()) != value.getType();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// The count of all that are bounded of `operands`, those of `op`; null if none
/// is. They must have one.
FailureOr<StringAttr> BoundLowering::symbolFor(Operation *op,
                                               ValueRange operands) {
  StringAttr symbol;
  for (Value operand : operands) {
    if (!isBoundedValue(operand))
      continue;
    StringAttr own = symbolOf.lookup(operand);
    if (symbol && own != symbol)
      return op->emitOpError("has operands with different numbers of rows: "
                             "those of @")
             << symbol.getValue() << " and of @" << own.getValue();
    symbol = own;
  }
  return symbol;
}

/// All bounded results of `op` have as many rows as `symbol` says.
void BoundLowering::setSymbol(Operation *op, StringAttr symbol) {
  for (Value result : op->getResults())
    if (isBoundedValue(result))
      symbolOf[result] = symbol;
}

Value BoundLowering::clamp(Location loc, Value count, int64_t bound) {
  return makeWords(
      b, loc, {}, count,
      [&](ScalarBuilder &, ArrayRef<Expr>, ArrayRef<Expr> elements) {
        return minSigned(maxSigned(elements.front(), 0), bound);
      });
}

/// Whether `count` is at most `bound`, whatever the data.
static bool isWithin(Value count, int64_t bound) {
  auto compact = count.getDefiningOp<CompactOp>();
  return compact &&
         cast<RankedTensorType>(compact.getKeep().getType()).getDimSize(0) <=
             bound;
}

/// In a repeat, where the count of the next iteration would overwrite one that
/// is too large: what the word of Control gets instead, and a stage before the
/// repeat that clears it.
Value BoundLowering::keepExcess(Location loc, Value count, StringAttr symbol,
                                int64_t bound) {
  Operation *repeat = program.getBody().front().findAncestorOpInBlock(*stage);
  auto word = cast<RankedTensorType>(count.getType());
  OpBuilder outside(repeat);
  auto clear = StageOp::create(
      outside, loc, TypeRange(), (symbol.getValue() + ".clear").str(),
      ValueRange(), /*fusion_group=*/IntegerAttr(), /*instances=*/IntegerAttr(),
      /*conditional=*/false);
  OpBuilder inside = OpBuilder::atBlockBegin(&clear.getBody().emplaceBlock());
  auto zero = arith::ConstantOp::create(
      inside, loc, DenseElementsAttr::get(word, inside.getI32IntegerAttr(0)));
  StoreOp::create(inside, loc, zero, symbol.getValue());
  SendOp::create(inside, loc, ValueRange());
  auto old = LoadOp::create(b, loc, word, symbol.getValue(), IntegerAttr());
  return makeWords(
      b, loc, {}, ValueRange{old, count},
      [&](ScalarBuilder &, ArrayRef<Expr>, ArrayRef<Expr> elements) {
        Expr isExcess = lessSigned(bound, elements.front());
        return gpuvm::select(isExcess, elements.front(), elements.back());
      });
}

/// A word of Control for a count of what `name` names.
StringAttr BoundLowering::makeWord(OpBuilder &outside, Location loc,
                                   const Twine &name, int64_t bound,
                                   bool isShared) {
  return symbols.insert(ControlOp::create(
      outside, loc, (name + ".rows").str(),
      RankedTensorType::get({}, b.getI32Type()), ElementsAttr(), StringAttr(),
      WindowAttr(), b.getI64IntegerAttr(bound), isShared));
}

/// A word of Control for what the present stage counted.
StringAttr BoundLowering::makeSymbol(Location loc, Value count, int64_t bound) {
  OpBuilder outside(program.getBody().front().findAncestorOpInBlock(*stage));
  StringAttr symbol = makeWord(outside, loc, stage.getSymName(), bound,
                               /*isShared=*/false);
  bool isRepeated = stage->getParentOfType<RepeatOp>() != nullptr;
  Value stored = isRepeated && !isWithin(count, bound)
                     ? keepExcess(loc, count, symbol, bound)
                     : count;
  StoreOp::create(b, loc, stored, symbol.getValue());
  counts[symbol] = clamp(loc, count, bound);
  return symbol;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// `rows` are those that a word counts, which the stage loads.
void BoundLowering::takeCount(Value rows, StringAttr symbol) {
  symbolOf[rows] = symbol;
  if (counts.contains(symbol))
    return;
  auto control = symbols.lookup<ControlOp>(symbol.getValue());
  auto load = LoadOp::create(b, stage.getLoc(),
                             cast<RankedTensorType>(control.getType()),
                             symbol.getValue(), IntegerAttr());
  counts[symbol] = clamp(stage.getLoc(), load.getValue(), *control.getBound());
}

/// Loads the counts of the rows that the stage is given, or reads.
LogicalResult BoundLowering::takeMessages() {
  Block &body = stage.getBody().front();
  SmallVector<LoadOp> loads(body.getOps<LoadOp>());
  b.setInsertionPointToStart(&body);
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), stage.getInputs()))
    if (isBoundedValue(argument))
      takeCount(argument, symbolOf.lookup(input));
  for (LoadOp load : loads) {
    if (!isBoundedValue(load.getValue()))
      continue;
    auto heap = symbols.lookup<HeapOp>(load.getSymbol());
    if (!heap)
      return load.emitOpError("reads @")
             << load.getSymbol()
             << " of the module, which gpuvm-link puts into the program";
    takeCount(load.getValue(), heap.getRowsAttr().getAttr());
  }
  return success();
}

LogicalResult BoundLowering::lowerStage(StageOp present) {
  stage = present;
  counts.clear();
  bounded.clear();
  SmallVector<Operation *> ops;
  for (Operation &op : stage.getBody().front())
    ops.push_back(&op);
  if (failed(takeMessages()))
    return failure();
  for (Operation *op : ops)
    if (failed(lower(op)))
      return failure();
  SmallVector<Attribute> rows;
  for (auto [message, payload] :
       llvm::zip_equal(stage.getMessages(), stage.getSend().getPayloads())) {
    if (isBoundedValue(payload))
      symbolOf[message] = symbolOf.lookup(payload);
    StringAttr symbol = symbolOf.lookup(message);
    rows.push_back(symbol ? Attribute(symbol) : b.getUnitAttr());
  }
  if (llvm::any_of(rows, llvm::IsaPred<StringAttr>))
    stage.setRowsAttr(b.getArrayAttr(rows));
  for (BoundedOp op : bounded) {
    op.getResult().setType(op.getData().getType());
    op.replaceAllUsesWith(op.getData());
    op.erase();
  }
  for (auto count :
       llvm::make_early_inc_range(stage.getBody().getOps<CountOp>()))
    count.erase();
  return success();
}

/// A word of Control for the rows of each bounded input, or of several: the
/// host writes it.
void BoundLowering::takeInputs() {
  auto outside = OpBuilder::atBlockBegin(&program.getBody().front());
  llvm::StringMap<StringAttr> words;
  for (BlockArgument input : program.getBody().getArguments()) {
    if (!isBoundedValue(input))
      continue;
    StringRef name = program.getRowsOf(input.getArgNumber());
    StringAttr &word = words[name];
    if (!word)
      word = makeWord(outside, program.getLoc(), name,
                      withAllRows(typeOf(input)).getDimSize(0),
                      /*isShared=*/false);
    symbolOf[input] = word;
  }
  program.setInputCountsAttr(countsOf(program.getBody().getArguments()));
  program.removeInputRowsAttr();
}

/// Likewise for bounded heap symbols, which lose their bound. Programs that
/// share one share its word.
LogicalResult BoundLowering::takeHeap() {
  auto outside = OpBuilder::atBlockBegin(&program.getBody().front());
  llvm::StringMap<StringAttr> words;
  for (auto heap : llvm::to_vector(program.getBody().getOps<HeapOp>())) {
    if (heap.getRows() && symbols.lookup<ControlOp>(*heap.getRows()))
      continue; // It was here before.
    auto type = dyn_cast<RankedTensorType>(heap.getType());
    RankedTensorType all = type ? boundedTo(type) : RankedTensorType();
    if (!all && !heap.getRows())
      continue;
    StringRef name = heap.getRows().value_or(heap.getSymName());
    auto other = dyn_cast_or_null<HeapOp>(lookupSymbol(heap, name).op);
    // The other one may have got its word already.
    if (!all || !other || !(isBounded(other.getType()) || other.getRows()))
      return heap.emitOpError("has the rows of @")
             << name << ": both must be bounded heap symbols";
    StringAttr &word = words[name];
    if (!word)
      word = makeWord(outside, heap.getLoc(), name, all.getDimSize(0),
                      heap.getShared());
    auto control = symbols.lookup<ControlOp>(word.getValue());
    if (static_cast<int64_t>(*control.getBound()) != all.getDimSize(0) ||
        other.getShared() != heap.getShared())
      return heap.emitOpError("has the rows of @")
             << name << ": both must have the same bound, and be symbols of "
             << "the program or of the module";
    if (heap.getShared() && word.getValue() != (name + ".rows").str())
      return heap.emitOpError("is shared, and its count would be named @")
             << name << ".rows, as something else is";
    heap.setRows(word.getValue());
    heap.setType(all);
  }
  return success();
}

/// Which symbol has the count of each input or output; null if none has one.
ArrayAttr BoundLowering::countsOf(ValueRange values) {
  SmallVector<Attribute> rows;
  bool any = false;
  for (Value value : values) {
    StringAttr symbol = symbolOf.lookup(value);
    any |= symbol != StringAttr();
    rows.push_back(symbol ? Attribute(symbol) : b.getUnitAttr());
  }
  return any ? b.getArrayAttr(rows) : ArrayAttr();
}

void BoundLowering::changeTypes() {
  auto change = [](Value value) {
    value.setType(typeInMemory(value.getType()));
  };
  program.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), change);
    for (mlir::Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), change);
  });
  FunctionType type = program.getProgramType();
  auto inputs = llvm::map_to_vector(type.getInputs(), typeInMemory);
  auto results = llvm::map_to_vector(type.getResults(), typeInMemory);
  program.setFunctionTypeAttr(
      TypeAttr::get(FunctionType::get(program.getContext(), inputs, results)));
}

LogicalResult BoundLowering::run() {
  takeInputs();
  if (failed(takeHeap()))
    return failure();
  SmallVector<StageOp> stages; // Those in repeats, too.
  program.walk([&](StageOp op) { stages.push_back(op); });
  for (StageOp stage : stages) {
    bool isBounded = false;
    stage.walk([&](Operation *op) {
      isBounded |= llvm::any_of(op->getResultTypes(), [](Type type) {
        return typeInMemory(type) != type;
      });
    });
    isBounded |= llvm::any_of(stage.getBody().getArguments(), isBoundedValue);
    if (isBounded && stage.getInstances())
      return stage.emitOpError("has instances and rows whose number only the "
                               "device knows");
    if (isBounded && failed(lowerStage(stage)))
      return failure();
  }
  program.setOutputCountsAttr(
      countsOf(program.getBody().front().getTerminator()->getOperands()));
  changeTypes();
  return success();
}

LogicalResult lowerBounded(ProgramOp program) {
  return BoundLowering(program).run();
}
