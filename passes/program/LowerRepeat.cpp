//===- LowerRepeat.cpp - repeats laid end to end --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a repeat carries lies in registers with names, which its first stage
// sets. In the repeat a stage sends what they hold, and another one stores what
// they hold the next time. The stages between run while a word, `go`, says so:
// from then on they are stages with a condition, and a time behind the last one
// does nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/expand/ElementBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LOWERREPEAT
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

struct LowerRepeat : gpuvm::impl::LowerRepeatBase<LowerRepeat> {
  void runOnOperation() override;
};

/// Lowers one repeat, and those in it.
class RepeatLowering {
public:
  /// `goes`: a message that says whether the repeat runs at all; null if it
  /// always does.
  RepeatLowering(RepeatOp repeat, SymbolTable &symbols, Value goes)
      : repeat(repeat), symbols(symbols), goes(goes), loc(repeat.getLoc()),
        b(repeat), word(RankedTensorType::get({}, b.getI1Type())) {}
  void run();

private:
  using BodyBuilder = function_ref<SmallVector<Value>(ValueRange)>;
  StageOp addStage(StringRef suffix, ValueRange inputs, Value condition,
                   BodyBuilder body);
  StringAttr addRegister(StringRef suffix, RankedTensorType type);
  Value makeWord(bool value);
  void start();
  SmallVector<Value> load(StringRef stage);
  void lowerBody(Value go);
  void runOn(StageOp stage, Value go);
  void next(NextOp op, Value go);

  RepeatOp repeat;
  SymbolTable &symbols;
  Value goes;
  Location loc;
  OpBuilder b;
  RankedTensorType word;
  SmallVector<StringAttr> carried; ///< The registers.
  StringAttr goOn;                 ///< Null if the repeat runs all its times.
  DenseMap<Value, Value> both;     ///< Conditions of stages, and `go`.
};

} // namespace

/// A stage whose `body` makes what it sends of what it is given.
StageOp RepeatLowering::addStage(StringRef suffix, ValueRange inputs,
                                 Value condition, BodyBuilder body) {
  SmallVector<Value> operands(inputs);
  if (condition)
    operands.push_back(condition);
  Block *block = new Block;
  for (Value operand : operands)
    block->addArgument(payloadType(operand.getType()), loc);
  OpBuilder::InsertionGuard guard(b);
  Operation *place = &*b.getInsertionPoint();
  b.setInsertionPointToStart(block);
  SmallVector<Value> sent =
      body(block->getArguments().take_front(inputs.size()));
  SendOp::create(b, loc, sent);
  b.setInsertionPoint(place);
  SmallVector<Type> messages;
  for (Value value : sent)
    messages.push_back(MessageType::get(
        b.getContext(), cast<RankedTensorType>(value.getType())));
  auto stage = StageOp::create(b, loc, messages,
                               (repeat.getSymName() + "." + suffix).str(),
                               operands, /*fusion_group=*/IntegerAttr(),
                               /*instances=*/IntegerAttr(),
                               /*conditional=*/condition != Value());
  stage.getBody().push_back(block);
  return stage;
}

StringAttr RepeatLowering::addRegister(StringRef suffix,
                                       RankedTensorType type) {
  auto program = repeat->getParentOfType<ProgramOp>();
  OpBuilder first = OpBuilder::atBlockBegin(&program.getBody().front());
  auto symbol =
      RegisterOp::create(first, loc, (repeat.getSymName() + "." + suffix).str(),
                         type, ElementsAttr(), StringAttr(), WindowAttr());
  return symbols.insert(symbol);
}

Value RepeatLowering::makeWord(bool value) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(word, value));
}

/// Sets the registers to what is carried at first.
void RepeatLowering::start() {
  for (auto [i, initial] : llvm::enumerate(repeat.getInitial()))
    carried.push_back(
        addRegister(std::to_string(i), payloadType(initial.getType())));
  addStage("start", repeat.getInitial(), goes, [&](ValueRange values) {
    for (auto [value, symbol] : llvm::zip_equal(values, carried))
      StoreOp::create(b, loc, value, symbol.getValue());
    if (goOn && !goes)
      StoreOp::create(b, loc, makeWord(true), goOn.getValue());
    return SmallVector<Value>();
  });
  if (goOn && goes)
    addStage("goes", goes, Value(), [&](ValueRange values) {
      StoreOp::create(b, loc, values.front(), goOn.getValue());
      return SmallVector<Value>();
    });
}

/// What the registers hold, and whether the repeat goes on, as messages.
SmallVector<Value> RepeatLowering::load(StringRef stage) {
  StageOp sender = addStage(stage, {}, Value(), [&](ValueRange) {
    SmallVector<Value> sent;
    for (auto [symbol, initial] : llvm::zip_equal(carried, repeat.getInitial()))
      sent.push_back(LoadOp::create(b, loc, payloadType(initial.getType()),
                                    symbol.getValue(), IntegerAttr()));
    if (goOn)
      sent.push_back(
          LoadOp::create(b, loc, word, goOn.getValue(), IntegerAttr()));
    return sent;
  });
  return SmallVector<Value>(sender.getMessages());
}

/// The stage runs if it would, and if `go`.
void RepeatLowering::runOn(StageOp stage, Value go) {
  if (!stage.getConditional()) {
    stage.getInputsMutable().append(go);
    stage.getBody().front().addArgument(word, loc);
    stage.setConditional(true);
    return;
  }
  OpOperand &own = stage->getOpOperand(stage.getInputs().size() - 1);
  Value &condition = both[own.get()];
  if (!condition) { // Sends what it is given, or false.
    b.setInsertionPoint(stage);
    StageOp sender = addStage("when", own.get(), go, [&](ValueRange values) {
      return SmallVector<Value>(values);
    });
    sender.setSymName((stage.getSymName() + ".when").str());
    condition = sender.getMessages().front();
  }
  own.set(condition);
}

/// Stores what is carried on, and whether it is.
void RepeatLowering::next(NextOp op, Value go) {
  SmallVector<Value> values(op.getValues());
  bool ends = op.getUntil() != Value();
  if (ends)
    values.push_back(op.getUntil());
  addStage("next", values, go, [&](ValueRange made) {
    for (auto [value, symbol] : llvm::zip(made, carried))
      StoreOp::create(b, loc, value, symbol.getValue());
    if (ends)
      StoreOp::create(b, loc,
                      arith::XOrIOp::create(b, loc, made.back(), makeWord(true))
                          .getResult(),
                      goOn.getValue());
    return SmallVector<Value>();
  });
}

/// Lays the body between the beginning and the end; `go` is null if all of it
/// always runs.
void RepeatLowering::lowerBody(Value go) {
  SmallVector<Operation *> ops;
  for (Operation &op : repeat.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops) {
    op->moveBefore(repeat);
    if (auto stage = dyn_cast<StageOp>(op); stage && go)
      runOn(stage, go);
    if (auto inner = dyn_cast<RepeatOp>(op))
      RepeatLowering(inner, symbols, go).run();
    b.setInsertionPoint(repeat);
    if (auto last = dyn_cast<NextOp>(op)) {
      next(last, go);
      last.erase();
    }
  }
}

void RepeatLowering::run() {
  if (goes || repeat.getNext().getUntil())
    goOn = addRegister("go", word);
  start();
  RepeatBeginOp::create(b, loc, repeat.getTimesAttr());
  SmallVector<Value> messages = load("again");
  Value go = goOn ? messages.pop_back_val() : Value();
  for (auto [argument, message] :
       llvm::zip_equal(repeat.getBody().getArguments(), messages))
    argument.replaceAllUsesWith(message);
  lowerBody(go);
  RepeatEndOp::create(b, loc);
  messages = load("last");
  repeat->replaceAllUsesWith(
      ArrayRef(messages).take_front(repeat->getNumResults()));
  repeat.erase();
}

void LowerRepeat::runOnOperation() {
  SymbolTable symbols(getOperation());
  for (auto repeat :
       llvm::make_early_inc_range(getOperation().getBody().getOps<RepeatOp>()))
    RepeatLowering(repeat, symbols, Value()).run();
}
