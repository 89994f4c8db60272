//===- LowerRepeat.cpp - lowering of repeats to loops ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop-carried values become iteration values of a `flow.loop`. If `until` ends
// it, so does `go`: the stages of the body have it as their condition, and the
// values of the next iteration are the old ones where it is false. So an
// iteration after the last one changes nothing.
//
//===----------------------------------------------------------------------===//

#include "dialects/flow/Flow.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  /// `go`: a message that says whether the repeat runs at all; null if it
  /// always does.
  RepeatLowering(RepeatOp repeat, Value go)
      : repeat(repeat), go(go), loc(repeat.getLoc()), b(repeat),
        word(RankedTensorType::get({}, b.getI1Type())),
        count(RankedTensorType::get({}, b.getI32Type())) {}
  void run();

private:
  using BodyBuilder = function_ref<SmallVector<Value>(ValueRange)>;
  StageOp addStage(const Twine &name, ValueRange inputs, BodyBuilder body,
                   ArrayRef<unsigned> otherwise = {});
  Value makeConstant(RankedTensorType type, int64_t value) {
    Attribute one = b.getIntegerAttr(type.getElementType(), value);
    auto all = DenseElementsAttr::get(type, one);
    return arith::ConstantOp::create(b, loc, all);
  }
  SmallVector<Value> start();
  void lowerBody();
  void runOn(StageOp stage);
  SmallVector<Value> next(NextOp op);

  RepeatOp repeat;
  flow::LoopOp loop;
  Value go; ///< Null if all of the body always runs.
  Location loc;
  OpBuilder b;
  RankedTensorType word, count;
  Value turn;                  ///< The number of the iteration, if any.
  DenseMap<Value, Value> both; ///< Conditions of stages, and `go`.
};

} // namespace

/// A stage whose `body` computes its messages from its inputs; where `go` is
/// false it sends the inputs `otherwise`, if it names any.
StageOp RepeatLowering::addStage(const Twine &name, ValueRange inputs,
                                 BodyBuilder body,
                                 ArrayRef<unsigned> otherwise) {
  SmallVector<Value> operands(inputs);
  if (go)
    operands.push_back(go);
  Block *block = new Block;
  for (Value operand : operands)
    block->addArgument(payloadType(operand.getType()), loc);
  OpBuilder::InsertPoint place = b.saveInsertionPoint();
  b.setInsertionPointToStart(block);
  SmallVector<Value> sent = body(block->getArguments()), old;
  if (go)
    for (unsigned number : otherwise)
      old.push_back(block->getArgument(number));
  SendOp::create(b, loc, sent, old, /*status=*/Value());
  b.restoreInsertionPoint(place);
  SmallVector<Type> messages;
  for (Value value : sent)
    messages.push_back(MessageType::get(
        b.getContext(), cast<RankedTensorType>(value.getType())));
  auto stage = StageOp::create(b, loc, messages, name.str(), operands,
                               /*fusion_group=*/IntegerAttr(),
                               /*instances=*/IntegerAttr(),
                               /*conditional=*/bool(go));
  stage.getBody().push_back(block);
  return stage;
}

/// The first iteration values. A stage sends the constants among them and, for
/// a loop that may not run, all others.
SmallVector<Value> RepeatLowering::start() {
  SmallVector<Value> first(repeat.getInitial()), inputs;
  bool ends = repeat.getNext().getUntil() != Value();
  if (ends || repeat.getTurn())
    first.push_back(makeConstant(count, 0));
  if (ends)
    first.push_back(go ? go : makeConstant(word, 1));
  SmallVector<unsigned> sent;
  for (auto [i, value] : llvm::enumerate(first))
    if (value != go && (go || value.getDefiningOp<arith::ConstantOp>())) {
      sent.push_back(i);
      inputs.push_back(value);
    }
  if (sent.empty())
    return first;
  StageOp stage =
      addStage(repeat.getSymName() + ".start", inputs, [&](ValueRange values) {
        return SmallVector<Value>(values.take_front(inputs.size()));
      });
  for (auto [i, message] : llvm::zip_equal(sent, stage.getMessages()))
    first[i] = message;
  return first;
}

/// The stage runs if it would, and if `go`.
void RepeatLowering::runOn(StageOp stage) {
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
    condition = addStage(stage.getSymName() + ".when", own.get(),
                         [](ValueRange values) {
                           return SmallVector<Value>{values.front()};
                         })
                    .getMessages()
                    .front();
  }
  own.set(condition);
}

/// The values of the next iteration. A stage sends those that need one: the
/// number of the iteration, constants, and all that `go` chooses.
SmallVector<Value> RepeatLowering::next(NextOp op) {
  SmallVector<Value> values(op.getValues()), inputs;
  SmallVector<unsigned> sent, otherwise;
  Value done = op.getUntil();
  auto isCarried = [&](Value value) {
    return llvm::is_contained(loop.getBody().getArguments(), value);
  };
  if (turn)
    values.push_back(turn);
  if (done)
    values.push_back(done);
  for (auto [i, value] : llvm::enumerate(values))
    if (i >= repeat.getInitial().size() ||
        (go ? !isCarried(value)
            : bool(value.getDefiningOp<arith::ConstantOp>()))) {
      sent.push_back(i);
      inputs.push_back(value);
    }
  if (sent.empty())
    return values;
  if (go)
    for (unsigned i : sent) {
      otherwise.push_back(inputs.size());
      inputs.push_back(loop.getBody().getArgument(i));
    }
  StageOp stage = addStage(
      repeat.getSymName() + ".next", inputs,
      [&](ValueRange arguments) {
        SmallVector<Value> made(arguments.take_front(sent.size()));
        Value more = makeConstant(count, 1);
        if (done) {
          made.back() =
              arith::XOrIOp::create(b, loc, made.back(), makeConstant(word, 1));
          more = arith::ExtUIOp::create(b, loc, count, made.back());
        }
        if (turn) {
          Value &number = made[sent.size() - (done ? 2 : 1)];
          number = arith::AddIOp::create(b, loc, number, more);
        }
        return made;
      },
      otherwise);
  for (auto [i, message] : llvm::zip_equal(sent, stage.getMessages()))
    values[i] = message;
  return values;
}

/// Moves the body into the loop.
void RepeatLowering::lowerBody() {
  Operation *end = loop.getEnd();
  SmallVector<Operation *> ops;
  for (Operation &op : repeat.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops) {
    op->moveBefore(end);
    if (auto stage = dyn_cast<StageOp>(op); stage && go)
      runOn(stage);
    if (auto inner = dyn_cast<RepeatOp>(op))
      RepeatLowering(inner, go).run();
    if (auto last = dyn_cast<NextOp>(op)) {
      b.setInsertionPoint(end);
      loop.getEnd().getValuesMutable().assign(next(last));
      last.erase();
    }
  }
}

void RepeatLowering::run() {
  SmallVector<Value> first = start();
  bool ends = repeat.getNext().getUntil() != Value();
  loop = flow::LoopOp::create(
      b, loc, repeat.getSymNameAttr(), repeat.getTimes(), first,
      llvm::map_to_vector(first, [&](Value value) -> Type {
        return MessageType::get(b.getContext(), payloadType(value.getType()));
      }));
  flow::LoopOp::ensureTerminator(loop.getBody(), b, loc);
  Block::BlockArgListType values = loop.getBody().getArguments();
  if (ends) {
    loop.setGo(values.size() - 1);
    go = values.back();
  }
  if (ends || repeat.getTurn())
    turn = values[repeat.getInitial().size()];
  for (auto [argument, value] :
       llvm::zip(repeat.getBody().getArguments(), values))
    argument.replaceAllUsesWith(value);
  lowerBody();
  repeat->replaceAllUsesWith(
      loop.getResults().take_front(repeat->getNumResults()));
  repeat.erase();
}

void LowerRepeat::runOnOperation() {
  getOperation().walk([](RepeatOp repeat) {
    Block &body = repeat.getBody().front();
    if (repeat.getTurn() && body.getArguments().back().use_empty()) {
      repeat.removeTurnAttr();
      body.eraseArgument(body.getNumArguments() - 1);
    }
  });
  for (auto repeat :
       llvm::make_early_inc_range(getOperation().getBody().getOps<RepeatOp>()))
    RepeatLowering(repeat, Value()).run();
}
