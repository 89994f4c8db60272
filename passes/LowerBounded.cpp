//===- LowerBounded.cpp - bounded tensors as they are in memory -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every bounded value belongs to a count, a word of Control. An operation on
// bounded values is one on all rows; where it would see those behind the count,
// something is put in front of it or into it that hides them. Types change in
// place when all operations have been looked at.
//
//===----------------------------------------------------------------------===//

#include "passes/LowerBounded.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "passes/ElementBuilder.h"
#include "passes/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LOWERBOUNDED
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

class BoundLowering {
public:
  explicit BoundLowering(ProgramOp program)
      : program(program), symbols(program), b(program.getContext()) {}
  LogicalResult run();

private:
  LogicalResult lowerStage(StageOp stage);
  LogicalResult lower(Operation *op);
  LogicalResult lowerBounded(BoundedOp op);
  LogicalResult lowerLinalg(linalg::LinalgOp op);
  LogicalResult hideFromReduction(linalg::GenericOp op, StringAttr symbol,
                                  unsigned loop);
  LogicalResult lowerSort(SortOp op);
  void fill(FilledOp op);
  FailureOr<StringAttr> symbolFor(Operation *op);
  Value countOf(StringAttr symbol);
  Value isInside(ScalarBuilder &s, Value row, Value count);
  Value select(Value rows, StringAttr symbol,
               function_ref<Value(ScalarBuilder &, Type)> otherwise);
  void giveResults(Operation *op, StringAttr symbol);
  void returnRows();
  void changeTypes();

  ProgramOp program;
  SymbolTable symbols;
  OpBuilder b;
  llvm::DenseMap<Value, StringAttr> symbolOf; ///< Of bounded values.
  llvm::DenseMap<StringAttr, Value> counts;   ///< In the present stage.
  SmallVector<BoundedOp> bounded;
};

struct LowerBounded : gpuvm::impl::LowerBoundedBase<LowerBounded> {
  void runOnOperation() override {
    if (failed(gpuvm::lowerBounded(getOperation())))
      signalPassFailure();
  }
};

} // namespace

/// The type that a value of type `type` has in memory.
static Type lowered(Type type) {
  if (auto message = dyn_cast<MessageType>(type))
    return MessageType::get(type.getContext(), cast<RankedTensorType>(lowered(
                                                   message.getPayload())));
  return isBounded(type) ? Type(boundedTo(cast<RankedTensorType>(type))) : type;
}

static bool isBoundedValue(Value value) {
  return lowered(value.getType()) != value.getType();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// The count of all bounded operands of `op`; null if there is none. They must
/// have one.
FailureOr<StringAttr> BoundLowering::symbolFor(Operation *op) {
  StringAttr symbol;
  for (Value operand : op->getOperands()) {
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

/// How many rows there are, at most as many as there is room for.
Value BoundLowering::countOf(StringAttr symbol) {
  return counts.lookup(symbol);
}

void BoundLowering::giveResults(Operation *op, StringAttr symbol) {
  for (Value result : op->getResults())
    if (isBoundedValue(result))
      symbolOf[result] = symbol;
}

static Value clampCount(OpBuilder &b, Location loc, Value count,
                        int64_t bound) {
  return makeWords(b, loc, {}, count,
                   [&](ScalarBuilder &s, ArrayRef<Value>, ValueRange elements) {
                     return s.min(s.max(elements.front(), s.word(0)),
                                  s.word(bound));
                   });
}

LogicalResult BoundLowering::lowerBounded(BoundedOp op) {
  Location loc = op.getLoc();
  int64_t bound = cast<RankedTensorType>(op.getData().getType()).getDimSize(0);
  // Several values may have the rows of one count.
  if (auto known = op.getCount().getDefiningOp<CountOp>()) {
    StringAttr symbol = symbolOf.lookup(known.getSource());
    auto control = symbols.lookup<ControlOp>(symbol.getValue());
    if (static_cast<int64_t>(*control.getBound()) != bound)
      return op.emitOpError("has ")
             << bound << " rows at most, but @" << symbol.getValue() << " "
             << *control.getBound();
    symbolOf[op.getResult()] = symbol;
    bounded.push_back(op);
    return success();
  }
  for (BoundedOp other : bounded)
    if (other.getCount() == op.getCount() &&
        other.getData().getType().getDimSize(0) == bound) {
      symbolOf[op.getResult()] = symbolOf.lookup(other.getResult());
      bounded.push_back(op);
      return success();
    }
  auto stage = cast<StageOp>(op->getParentOp());
  OpBuilder outside(stage);
  auto control = ControlOp::create(
      outside, loc, (stage.getSymName() + ".rows").str(),
      RankedTensorType::get({}, b.getI32Type()), ElementsAttr(), StringAttr(),
      WindowAttr(), b.getI64IntegerAttr(bound));
  StringAttr symbol = symbols.insert(control);
  b.setInsertionPoint(op);
  StoreOp::create(b, loc, op.getCount(), symbol.getValue());
  counts[symbol] = clampCount(b, loc, op.getCount(), bound);
  symbolOf[op.getResult()] = symbol;
  bounded.push_back(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Rows behind the count
//===----------------------------------------------------------------------===//

Value BoundLowering::isInside(ScalarBuilder &s, Value row, Value count) {
  return s.less(s.toWord(row), s.read(count, {}));
}

/// The rows of a bounded value, and something else behind its count.
Value BoundLowering::select(
    Value rows, StringAttr symbol,
    function_ref<Value(ScalarBuilder &, Type)> otherwise) {
  auto type = boundedTo(cast<RankedTensorType>(rows.getType()));
  Value count = countOf(symbol);
  auto choose = [&](ScalarBuilder &s, ArrayRef<Value> indices,
                    ValueRange elements) -> SmallVector<Value> {
    return {s.select(isInside(s, indices.front(), count), elements.front(),
                     otherwise(s, type.getElementType()))};
  };
  return makeElements(b, rows.getLoc(), type.getShape(), type.getElementType(),
                      rows, choose)
      .getResult(0);
}

void BoundLowering::fill(FilledOp op) {
  Value filled = select(
      op.getSource(), symbolOf.lookup(op.getSource()),
      [&](ScalarBuilder &s, Type) { return s.read(op.getElement(), {}); });
  op.replaceAllUsesWith(filled);
  op.erase();
}

/// Rows behind the count come behind all others.
LogicalResult BoundLowering::lowerSort(SortOp op) {
  FailureOr<StringAttr> symbol = symbolFor(op);
  if (failed(symbol))
    return failure();
  auto type = cast<RankedTensorType>(op.getKeys().front().getType());
  if (type.getRank() != 1)
    return op.emitOpError("sorts rows whose number only the device knows by "
                          "their last dimension; sort one dimension");
  Value count = countOf(*symbol);
  auto isBehind = [&](ScalarBuilder &s, ArrayRef<Value> indices,
                      ValueRange) -> SmallVector<Value> {
    Value inside = isInside(s, indices.front(), count);
    return {s.select(inside, s.integer(b.getI8Type(), 0),
                     s.integer(b.getI8Type(), 1))};
  };
  Value behind = makeElements(b, op.getLoc(), boundedTo(type).getShape(),
                              b.getI8Type(), {}, isBehind)
                     .getResult(0);
  SmallVector<Value> keys = {behind};
  llvm::append_range(keys, op.getKeys());
  SmallVector<Type> types = {behind.getType()};
  llvm::append_range(types, op.getResultTypes());
  SmallVector<bool> isUnsigned = {true}, descends = {false};
  llvm::append_range(isUnsigned, op.getUnsignedKeys());
  llvm::append_range(descends, op.getDescending());
  auto sorted = SortOp::create(b, op.getLoc(), types, keys, op.getPayloads(),
                               isUnsigned, descends, op.getNumbers());
  for (auto [old, result] :
       llvm::zip_equal(op.getResults(), sorted->getResults().drop_front())) {
    symbolOf[result] = *symbol;
    old.replaceAllUsesWith(result);
  }
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// An element behind the count is combined as what changes nothing.
LogicalResult BoundLowering::hideFromReduction(linalg::GenericOp op,
                                               StringAttr symbol,
                                               unsigned loop) {
  Block &body = *op.getBody();
  Operation *yield = body.getTerminator();
  for (auto [accumulator, value] :
       llvm::zip_equal(op.getRegionOutputArgs(), yield->getOperands())) {
    Operation *combine = value.getDefiningOp();
    std::optional<TypedAttr> neutral = combine && combine->getNumOperands() == 2
                                           ? arith::getNeutralElement(combine)
                                           : std::nullopt;
    int element = -1;
    if (neutral)
      for (int side : {0, 1})
        if (combine->getOperand(1 - side) == accumulator)
          element = side;
    if (element < 0)
      return op.emitOpError("cannot reduce rows whose number only the device "
                            "knows: nothing is known that changes nothing");
    OpBuilder inside(combine);
    ScalarBuilder s(inside, op.getLoc());
    Value row = linalg::IndexOp::create(inside, op.getLoc(), loop);
    Value nothing = arith::ConstantOp::create(inside, op.getLoc(), *neutral);
    combine->setOperand(element,
                        s.select(isInside(s, row, countOf(symbol)),
                                 combine->getOperand(element), nothing));
  }
  return success();
}

LogicalResult BoundLowering::lowerLinalg(linalg::LinalgOp op) {
  IRRewriter rewriter(b);
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return op.emitOpError("cannot work on rows whose number only the device "
                            "knows");
    generic = *made;
  }
  FailureOr<StringAttr> symbol = symbolFor(generic);
  if (failed(symbol))
    return failure();
  std::optional<unsigned> rows; ///< The loop over them.
  for (OpOperand &operand : generic->getOpOperands()) {
    if (!isBoundedValue(operand.get()))
      continue;
    AffineMap map = generic.getMatchingIndexingMap(&operand);
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
    if (!dim || (rows && *rows != dim.getPosition()))
      return generic.emitOpError("walks over rows whose number only the device "
                                 "knows by something else than one loop");
    rows = dim.getPosition();
  }
  giveResults(generic, *symbol);
  if (generic.getIteratorTypesArray()[*rows] == utils::IteratorType::parallel)
    return success();
  return hideFromReduction(generic, *symbol, *rows);
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

LogicalResult BoundLowering::lower(Operation *op) {
  if (auto make = dyn_cast<BoundedOp>(op))
    return lowerBounded(make);
  if (!llvm::any_of(op->getOperands(), isBoundedValue)) {
    if (llvm::any_of(op->getResults(), isBoundedValue))
      return op->emitOpError("makes rows whose number nobody says");
    return success();
  }
  b.setInsertionPoint(op);
  if (isa<SendOp>(op)) // Each payload may have a count of its own.
    return success();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return lowerLinalg(linalgOp);
  if (auto sort = dyn_cast<SortOp>(op))
    return lowerSort(sort);
  FailureOr<StringAttr> symbol = symbolFor(op);
  if (failed(symbol))
    return failure();
  auto hide = [&](OpOperand &operand, int64_t value) {
    operand.set(
        select(operand.get(), *symbol, [&](ScalarBuilder &s, Type type) {
          return s.integer(type, value);
        }));
    return success();
  };
  if (auto filled = dyn_cast<FilledOp>(op)) {
    fill(filled);
    return success();
  }
  if (auto count = dyn_cast<CountOp>(op)) {
    count.getCount().replaceUsesWithIf(countOf(*symbol), [](OpOperand &use) {
      return !isa<BoundedOp>(use.getOwner());
    });
    return success();
  }
  giveResults(op, *symbol);
  if (auto compact = dyn_cast<CompactOp>(op))
    return hide(compact.getKeepMutable(), 0);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return hide(scatter.getPositionsMutable(), -1);
  if (auto expand = dyn_cast<ExpandOp>(op))
    return hide(expand.getCountsMutable(), 0);
  auto scan = dyn_cast<ScanOp>(op);
  bool seesBehind = scan && (scan.getReverse() || scan.getDimension() != 0);
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>() ||
                       isa<GatherOp, MatchOp, SearchSortedOp>(op);
  if (isElementwise || (scan && !seesBehind))
    return success();
  return op->emitOpError("cannot work on rows whose number only the device "
                         "knows; gpuvm.filled makes a tensor of all rows");
}

LogicalResult BoundLowering::lowerStage(StageOp stage) {
  counts.clear();
  bounded.clear();
  b.setInsertionPointToStart(&stage.getBody().front());
  for (auto [argument, input] :
       llvm::zip_equal(stage.getBody().getArguments(), stage.getInputs())) {
    if (!isBoundedValue(argument))
      continue;
    StringAttr symbol = symbolOf.lookup(input);
    symbolOf[argument] = symbol;
    if (counts.contains(symbol))
      continue;
    auto control = symbols.lookup<ControlOp>(symbol.getValue());
    auto load = LoadOp::create(b, stage.getLoc(),
                               cast<RankedTensorType>(control.getType()),
                               symbol.getValue(), IntegerAttr());
    counts[symbol] =
        clampCount(b, stage.getLoc(), load.getValue(), *control.getBound());
  }
  SmallVector<Operation *> ops;
  for (Operation &op : stage.getBody().front())
    ops.push_back(&op);
  SendOp send = stage.getSend();
  for (Operation *op : ops)
    if (failed(lower(op)))
      return failure();
  for (auto [message, payload] :
       llvm::zip_equal(stage.getMessages(), send.getPayloads()))
    if (isBoundedValue(payload))
      symbolOf[message] = symbolOf.lookup(payload);
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

/// Says of each output which symbol has its count.
void BoundLowering::returnRows() {
  auto returned = cast<ReturnOp>(program.getBody().front().getTerminator());
  SmallVector<Attribute> rows;
  bool any = false;
  for (Value value : returned.getValues()) {
    StringAttr symbol = symbolOf.lookup(value);
    any |= symbol != StringAttr();
    rows.push_back(symbol ? Attribute(symbol) : b.getUnitAttr());
  }
  if (any)
    program->setAttr(kOutputRowsAttr, b.getArrayAttr(rows));
}

void BoundLowering::changeTypes() {
  auto change = [](Value value) { value.setType(lowered(value.getType())); };
  program.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), change);
    for (mlir::Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), change);
  });
  FunctionType type = program.getProgramType();
  auto results = llvm::map_to_vector(type.getResults(), lowered);
  program.setFunctionTypeAttr(TypeAttr::get(
      FunctionType::get(program.getContext(), type.getInputs(), results)));
}

LogicalResult BoundLowering::run() {
  for (BlockArgument input : program.getBody().getArguments())
    if (isBoundedValue(input))
      return program.emitOpError("has an input whose number of rows only the "
                                 "device would know");
  for (auto stage : program.getBody().getOps<StageOp>()) {
    bool isBounded = false;
    stage.walk([&](Operation *op) {
      isBounded |= llvm::any_of(op->getResultTypes(), [](Type type) {
        return lowered(type) != type;
      });
    });
    isBounded |= llvm::any_of(stage.getBody().getArguments(), isBoundedValue);
    if (isBounded && stage.getInstances())
      return stage.emitOpError("has instances and rows whose number only the "
                               "device knows");
    if (isBounded && failed(lowerStage(stage)))
      return failure();
  }
  returnRows();
  changeTypes();
  return success();
}

LogicalResult gpuvm::lowerBounded(ProgramOp program) {
  return BoundLowering(program).run();
}
