//===- Edits.cpp - edits that shrink a program ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-reduce/Edits.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reduce;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static SmallVector<Operation *> listOperations(ModuleOp module) {
  SmallVector<Operation *> all;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && !op->hasTrait<OpTrait::IsTerminator>())
      all.push_back(op);
  });
  return all;
}

size_t reduce::countOperations(ModuleOp module) {
  return listOperations(module).size();
}

/// Whether users of a message can do with a tensor: stages can.
static bool onlyStagesUse(Value value) {
  return llvm::all_of(value.getUsers(), llvm::IsaPred<StageOp>);
}

/// A value that is there before `op` and can stand for `value`, a result of it.
static Value findOther(Operation *op, Value value) {
  auto fits = [&](Value other) {
    return other != value &&
           (other.getType() == value.getType() ||
            (isa<MessageType>(value.getType()) && onlyStagesUse(value) &&
             other.getType() == payloadType(value.getType())));
  };
  for (Value operand : op->getOperands())
    if (fits(operand))
      return operand;
  for (BlockArgument argument : op->getBlock()->getArguments())
    if (fits(argument))
      return argument;
  for (Operation &before : *op->getBlock()) {
    if (&before == op)
      break;
    for (Value result : before.getResults())
      if (fits(result))
        return result;
  }
  return Value();
}

static Value makeZeros(Operation *op, Value value) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  if (isa<arith::ConstantOp>(op) || (shaped && !shaped.hasStaticShape()) ||
      !getElementTypeOrSelf(value.getType()).isIntOrIndexOrFloat())
    return Value();
  OpBuilder b(op);
  TypedAttr zeros = b.getZeroAttr(value.getType());
  return zeros ? arith::ConstantOp::create(b, op->getLoc(), zeros) : Value();
}

static bool takeAway(Operation *op, Instead instead) {
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value other = instead == Instead::zeros ? makeZeros(op, result) : Value();
    if (!other &&
        (instead == Instead::other || isa<MessageType>(result.getType())))
      other = findOther(op, result);
    if (!other)
      return false;
    result.replaceAllUsesWith(other);
  }
  op->erase();
  return true;
}

bool reduce::takeAway(ModuleOp module, size_t first, size_t count,
                      Instead instead) {
  SmallVector<Operation *> all = listOperations(module);
  SmallPtrSet<Operation *, 16> chosen;
  SmallVector<Operation *> outermost;
  for (Operation *op : ArrayRef(all).slice(first, count)) {
    chosen.insert(op);
    if (!chosen.contains(op->getParentOp()))
      outermost.push_back(op);
  }
  bool changed = false;
  for (Operation *op : llvm::reverse(outermost))
    changed |= ::takeAway(op, instead);
  return changed;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

size_t reduce::countOutputs(ModuleOp module) {
  size_t count = 0;
  for (auto program : module.getOps<ProgramOp>())
    count += program.getProgramType().getNumResults();
  return count;
}

static ArrayAttr without(ArrayAttr list, unsigned number) {
  SmallVector<Attribute> rest(list.getValue());
  rest.erase(rest.begin() + number);
  return ArrayAttr::get(list.getContext(), rest);
}

static void dropOutput(ProgramOp program, unsigned number) {
  program.getBody().front().getTerminator()->eraseOperand(number);
  program.setOutputNamesAttr(without(program.getOutputNames(), number));
  llvm::BitVector results(program.getProgramType().getNumResults());
  results.set(number);
  program.setFunctionTypeAttr(
      TypeAttr::get(program.getProgramType().getWithoutArgsAndResults(
          llvm::BitVector(program.getProgramType().getNumInputs()), results)));
}

bool reduce::dropOutput(ModuleOp module, size_t number) {
  for (auto program : module.getOps<ProgramOp>()) {
    unsigned count = program.getProgramType().getNumResults();
    if (number < count)
      return ::dropOutput(program, number), true;
    number -= count;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// What is not used
//===----------------------------------------------------------------------===//

namespace {
/// Counts what could go, and says what goes.
class Choice {
public:
  explicit Choice(std::optional<size_t> only) : only(only) {}
  bool take() {
    bool isTaken = !only || *only == next;
    ++next;
    taken |= isTaken;
    return isTaken;
  }
  bool hasTaken() const { return taken; }

private:
  std::optional<size_t> only;
  size_t next = 0;
  bool taken = false;
};
} // namespace

static void dropInputs(ProgramOp program, Choice &choice) {
  Block &body = program.getBody().front();
  for (unsigned i = body.getNumArguments(); i-- > 0;) {
    if (!body.getArgument(i).use_empty() || !choice.take())
      continue;
    body.eraseArgument(i);
    program.setInputNamesAttr(without(program.getInputNames(), i));
    if (std::optional<ArrayAttr> rows = program.getInputRows())
      program.setInputRowsAttr(without(*rows, i));
    llvm::BitVector inputs(program.getProgramType().getNumInputs());
    inputs.set(i);
    program.setFunctionTypeAttr(
        TypeAttr::get(program.getProgramType().getWithoutArgsAndResults(
            inputs,
            llvm::BitVector(program.getProgramType().getNumResults()))));
  }
}

static void dropInputs(StageOp stage, Choice &choice) {
  Block &body = stage.getBody().front();
  unsigned last = body.getNumArguments() - (stage.getConditional() ? 1 : 0);
  for (unsigned i = last; i-- > 0;) {
    if (!body.getArgument(i).use_empty() || !choice.take())
      continue;
    body.eraseArgument(i);
    stage->eraseOperand(i);
  }
}

/// The stage with the messages that are used.
static void dropMessages(StageOp stage, Choice &choice) {
  SmallVector<unsigned> gone;
  for (unsigned i = stage.getMessages().size(); i-- > 0;)
    if (stage.getMessages()[i].use_empty() && choice.take())
      gone.push_back(i);
  if (gone.empty())
    return;
  SmallVector<Value> kept;
  SmallVector<Type> types;
  SendOp send = stage.getSend();
  for (unsigned i : gone) {
    send.getPayloadsMutable().erase(i);
    if (!send.getOtherwise().empty())
      send.getOtherwiseMutable().erase(i);
  }
  for (auto [i, message] : llvm::enumerate(stage.getMessages()))
    if (!llvm::is_contained(gone, i)) {
      kept.push_back(message);
      types.push_back(message.getType());
    }
  OpBuilder b(stage);
  OperationState state(stage.getLoc(), StageOp::getOperationName());
  state.addOperands(stage.getInputs());
  state.addTypes(types);
  state.addAttributes(stage->getAttrs());
  state.addRegion();
  Operation *smaller = b.create(state);
  smaller->getRegion(0).takeBody(stage.getBody());
  for (auto [message, result] : llvm::zip_equal(kept, smaller->getResults()))
    message.replaceAllUsesWith(result);
  stage.erase();
}

static void dropInputs(linalg::GenericOp op, Choice &choice) {
  for (unsigned i = op.getNumDpsInputs(); i-- > 0;) {
    if (!op.getBody()->getArgument(i).use_empty() || !choice.take())
      continue;
    op.getBody()->eraseArgument(i);
    op.setIndexingMapsAttr(without(op.getIndexingMaps(), i));
    op.getInputsMutable().erase(i);
  }
}

bool reduce::dropUnused(ModuleOp module, std::optional<size_t> only) {
  Choice choice(only);
  SmallVector<Operation *> all = listOperations(module);
  for (Operation *op : llvm::reverse(all)) { // Users before what they use.
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      dropInputs(generic, choice);
    if (auto program = dyn_cast<ProgramOp>(op))
      dropInputs(program, choice);
    if (auto stage = dyn_cast<StageOp>(op)) {
      dropInputs(stage, choice);
      dropMessages(stage, choice);
    }
  }
  return choice.hasTaken();
}
