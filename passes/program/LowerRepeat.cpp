//===- LowerRepeat.cpp - lowering of repeats to loops ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop-carried values are in register symbols, which the first stage of a
// repeat initializes. In the repeat one stage sends their values, and another
// one stores the values for the next iteration: in place, or in a second
// register, which rotates with the first one (CarriedState). The stages between
// have the word `go` as their condition, so an iteration after the last one
// does nothing.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Alternative.h"
#include "passes/Passes.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/program/CarriedState.h"

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
      : repeat(repeat), state(repeat), symbols(symbols), goes(goes),
        loc(repeat.getLoc()), b(repeat),
        word(RankedTensorType::get({}, b.getI1Type())),
        count(RankedTensorType::get({}, b.getI32Type())) {}
  void run();

private:
  using BodyBuilder = function_ref<SmallVector<Value>(ValueRange)>;
  StageOp addStage(StringRef suffix, ValueRange inputs, Value condition,
                   BodyBuilder body);
  StringAttr addRegister(StringRef suffix, RankedTensorType type);
  Value makeWord(bool value);
  void addRegisters();
  void start();
  SmallVector<Value> load(StringRef stage);
  flow::LoopOp addLoop();
  void lowerBody(flow::LoopOp loop, Value go);
  void runOn(StageOp stage, Value go);
  void next(NextOp op, Value go);
  void settle();
  StringAttr symbolOf(const CarriedState::Place &place) const {
    return (place.isNext ? nexts : carried)[place.number];
  }

  RepeatOp repeat;
  CarriedState state;
  SymbolTable &symbols;
  Value goes;
  Location loc;
  OpBuilder b;
  RankedTensorType word, count;
  SmallVector<StringAttr> carried; ///< The registers.
  SmallVector<StringAttr> nexts;   ///< Those for the next time, or null.
  StringAttr goOn;                 ///< Null if the repeat runs all its times.
  /// How many iterations have gone on, which is the number of the present one;
  /// null if that is known, or nothing rotates and nothing reads it.
  StringAttr turns;
  DenseMap<Value, Value> both; ///< Conditions of stages, and `go`.
};

} // namespace

/// A stage whose `body` computes its messages from its operands.
StageOp RepeatLowering::addStage(StringRef suffix, ValueRange inputs,
                                 Value condition, BodyBuilder body) {
  SmallVector<Value> operands(inputs);
  if (condition)
    operands.push_back(condition);
  Block *block = new Block;
  for (Value operand : operands)
    block->addArgument(payloadType(operand.getType()), loc);
  OpBuilder::InsertPoint place = b.saveInsertionPoint();
  b.setInsertionPointToStart(block);
  SmallVector<Value> sent =
      body(block->getArguments().take_front(inputs.size()));
  SendOp::create(b, loc, sent);
  b.restoreInsertionPoint(place);
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

void RepeatLowering::addRegisters() {
  bool ends = repeat.getNext().getUntil() != Value();
  if (goes || ends)
    goOn = addRegister("go", word);
  if (ends && (repeat.getTurn() || !state.getRotations().empty()))
    turns = addRegister("turns", count);
  for (auto [i, initial] : llvm::enumerate(repeat.getInitial())) {
    RankedTensorType type = payloadType(initial.getType());
    std::string name = std::to_string(i);
    carried.push_back(addRegister(name, type));
    nexts.push_back(state.hasNext(i) ? addRegister(name + ".next", type)
                                     : StringAttr());
  }
}

/// Sets the registers to what is carried at first.
void RepeatLowering::start() {
  addStage("start", repeat.getInitial(), goes, [&](ValueRange values) {
    for (auto [i, value] : llvm::enumerate(values))
      StoreOp::create(b, loc, value, symbolOf(state.getStart(i)).getValue());
    if (goOn && !goes)
      StoreOp::create(b, loc, makeWord(true), goOn.getValue());
    if (turns)
      StoreOp::create(
          b, loc,
          arith::ConstantOp::create(b, loc, DenseElementsAttr::get(count, 0)),
          turns.getValue());
    return SmallVector<Value>();
  });
  if (goOn && goes)
    addStage("goes", goes, Value(), [&](ValueRange values) {
      StoreOp::create(b, loc, values.front(), goOn.getValue());
      return SmallVector<Value>();
    });
}

/// An empty loop.
flow::LoopOp RepeatLowering::addLoop() {
  SmallVector<Attribute> rotations;
  for (const CarriedState::Rotation &rotation : state.getRotations())
    rotations.push_back(b.getArrayAttr(llvm::map_to_vector(
        rotation, [&](const CarriedState::Place &place) -> Attribute {
          return FlatSymbolRefAttr::get(symbolOf(place));
        })));
  bool ends = repeat.getNext().getUntil() != Value();
  auto loop = flow::LoopOp::create(
      b, loc, repeat.getTimes(),
      ends ? FlatSymbolRefAttr::get(goOn) : FlatSymbolRefAttr(),
      rotations.empty() ? ArrayAttr() : b.getArrayAttr(rotations),
      state.getPhase());
  flow::LoopOp::ensureTerminator(loop.getBody(), b, loc);
  return loop;
}

/// The values of the registers, the number of the iteration if the body has it,
/// and whether the repeat goes on, as messages.
SmallVector<Value> RepeatLowering::load(StringRef stage) {
  StageOp sender = addStage(stage, {}, Value(), [&](ValueRange) {
    SmallVector<Value> sent;
    for (auto [symbol, initial] : llvm::zip_equal(carried, repeat.getInitial()))
      sent.push_back(LoadOp::create(b, loc, payloadType(initial.getType()),
                                    symbol.getValue(), IntegerAttr()));
    if (repeat.getTurn())
      sent.push_back(
          LoadOp::create(b, loc, count, turns.getValue(), IntegerAttr()));
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
  bool ends = op.getUntil() != Value();
  SmallVector<unsigned> stored;
  SmallVector<Value> values;
  for (auto [i, value] : llvm::enumerate(op.getValues()))
    if (state.isStored(i)) {
      stored.push_back(i);
      values.push_back(value);
    }
  if (ends)
    values.push_back(op.getUntil());
  if (values.empty())
    return;
  addStage("next", values, go, [&](ValueRange made) {
    for (auto [value, i] : llvm::zip(made, stored))
      StoreOp::create(b, loc, value,
                      (nexts[i] ? nexts : carried)[i].getValue());
    if (!ends)
      return SmallVector<Value>();
    Value goesOn = arith::XOrIOp::create(b, loc, made.back(), makeWord(true));
    if (turns) { // With the producer of `go`: it needs no kernel.
      Value before =
          LoadOp::create(b, loc, count, turns.getValue(), IntegerAttr());
      Value more = arith::ExtUIOp::create(b, loc, count, goesOn);
      StoreOp::create(b, loc, arith::AddIOp::create(b, loc, before, more),
                      turns.getValue());
    }
    // The last store: what waits for `go` need not keep it.
    StoreOp::create(b, loc, goesOn, goOn.getValue());
    return SmallVector<Value>();
  });
}

/// Where the device decides which iteration is the last one, a loop-carried
/// value may be in any register of its rotation: moves it to its own.
void RepeatLowering::settle() {
  if (!turns || state.getRotations().empty())
    return;
  addStage("settle", {}, goes, [&](ValueRange) {
    auto constant = [&](int32_t n) {
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(count, n));
    };
    Value ran = LoadOp::create(b, loc, count, turns.getValue(), IntegerAttr());
    ran = arith::AddIOp::create(b, loc, ran, constant(1)); // The last one.
    ran = arith::MinUIOp::create(b, loc, ran, constant(repeat.getTimes()));
    SmallVector<std::pair<Value, StringAttr>> moved;
    for (const CarriedState::Rotation &rotation : state.getRotations()) {
      int32_t length = rotation.size();
      Value phase = arith::AddIOp::create(b, loc, ran,
                                          constant(state.getPhase() % length));
      phase = arith::RemUIOp::create(b, loc, phase, constant(length));
      SmallVector<Value> held;
      for (const CarriedState::Place &place : rotation)
        held.push_back(LoadOp::create(
            b, loc, payloadType(repeat.getInitial()[place.number].getType()),
            symbolOf(place).getValue(), IntegerAttr()));
      for (int32_t role = 0; role < length; ++role) {
        if (rotation[role].isNext)
          continue;
        Value value = held[role];
        for (int32_t at = 1; at < length; ++at) {
          Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           phase, constant(at));
          value = chooseElements(b, loc, is, held[(role + at) % length], value);
        }
        moved.push_back({value, symbolOf(rotation[role])});
      }
    }
    for (auto [value, symbol] : moved)
      StoreOp::create(b, loc, value, symbol.getValue());
    return SmallVector<Value>();
  });
}

/// Moves the body into the loop; `go` is null if all of it always runs.
void RepeatLowering::lowerBody(flow::LoopOp loop, Value go) {
  SmallVector<Operation *> ops;
  for (Operation &op : repeat.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops) {
    op->moveBefore(loop.getEnd());
    if (auto stage = dyn_cast<StageOp>(op); stage && go)
      runOn(stage, go);
    if (auto inner = dyn_cast<RepeatOp>(op))
      RepeatLowering(inner, symbols, go).run();
    b.setInsertionPoint(loop.getEnd());
    if (auto last = dyn_cast<NextOp>(op)) {
      next(last, go);
      last.erase();
    }
  }
}

void RepeatLowering::run() {
  addRegisters();
  start();
  flow::LoopOp loop = addLoop();
  b.setInsertionPoint(loop.getEnd());
  SmallVector<Value> messages = load("again");
  Value go = goOn ? messages.pop_back_val() : Value();
  for (auto [argument, message] :
       llvm::zip_equal(repeat.getBody().getArguments(), messages))
    argument.replaceAllUsesWith(message);
  lowerBody(loop, go);
  b.setInsertionPoint(repeat);
  settle();
  messages = load("last");
  repeat->replaceAllUsesWith(
      ArrayRef(messages).take_front(repeat->getNumResults()));
  repeat.erase();
}

/// A stage that sends the number that it is given plus one.
static StageOp makeCounter(OpBuilder &b, Location loc, const Twine &name,
                           Value number) {
  auto word = cast<RankedTensorType>(payloadType(number.getType()));
  auto *block = new Block;
  Value argument = block->addArgument(word, loc);
  OpBuilder inside(b.getContext());
  inside.setInsertionPointToStart(block);
  Value one =
      arith::ConstantOp::create(inside, loc, DenseElementsAttr::get(word, 1));
  Value next = arith::AddIOp::create(inside, loc, argument, one);
  SendOp::create(inside, loc, next);
  auto stage = StageOp::create(
      b, loc, Type(MessageType::get(b.getContext(), word)), name.str(), number,
      /*fusion_group=*/IntegerAttr(), /*instances=*/IntegerAttr(),
      /*conditional=*/false);
  stage.getBody().push_back(block);
  return stage;
}

/// Makes the number of the iteration a loop-carried value, unless it is counted
/// with the condition.
static void carryTurn(RepeatOp repeat) {
  Block &body = repeat.getBody().front();
  BlockArgument turn = body.getArguments().back();
  if (turn.use_empty()) {
    repeat.removeTurnAttr();
    return body.eraseArgument(turn.getArgNumber());
  }
  if (repeat.getNext().getUntil())
    return;
  repeat.removeTurnAttr();
  OpBuilder b(repeat);
  Location loc = repeat.getLoc();
  RankedTensorType word = payloadType(turn.getType());
  Value zero =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(word, 0));
  OperationState state(loc, RepeatOp::getOperationName());
  state.addOperands(repeat.getInitial());
  state.addOperands(zero);
  state.addTypes(repeat.getResultTypes());
  state.addTypes(turn.getType());
  state.addAttributes(repeat->getAttrs());
  state.addRegion();
  auto whole = cast<RepeatOp>(b.create(state));
  whole.getBody().takeBody(repeat.getBody());
  NextOp next = whole.getNext();
  b.setInsertionPoint(next);
  StageOp counter = makeCounter(b, loc, whole.getSymName() + ".turn", turn);
  next.getValuesMutable().append(counter.getMessages().front());
  repeat->replaceAllUsesWith(whole.getResults().drop_back());
  repeat.erase();
}

void LowerRepeat::runOnOperation() {
  SmallVector<RepeatOp> counted;
  getOperation().walk([&](RepeatOp repeat) {
    if (repeat.getTurn())
      counted.push_back(repeat);
  });
  llvm::for_each(counted, carryTurn);
  SymbolTable symbols(getOperation());
  for (auto repeat :
       llvm::make_early_inc_range(getOperation().getBody().getOps<RepeatOp>()))
    RepeatLowering(repeat, symbols, Value()).run();
}
