//===- StageCutter.cpp - the stages of one rank ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/StageCutter.h"

#include "dialects/gpuvm/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::gpuvm;

void StageCutter::open() {
  body = new Block;
  b.setInsertionPointToEnd(body);
  inputs.clear();
  arguments.clear();
  constants.clear();
  inside.clear();
  rank = nullptr;
}

bool StageCutter::isUsedLater(Value value) {
  Block &old = stage.getBody().front();
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !done.contains(old.findAncestorOpInBlock(*user));
  });
}

SmallVector<Value> StageCutter::close(ValueRange forced, ArrayRef<Value> more) {
  if (hasMargin())
    all.refuseMargin(); // Something is exchanged.
  SmallVector<Value> old, sent;
  for (auto [value, now] : inside)
    if (isUsedLater(value) || llvm::is_contained(forced, value)) {
      old.push_back(value);
      sent.push_back(now);
    }
  llvm::append_range(sent, more);
  bool stores = !body->getOps<StoreOp>().empty();
  if (sent.empty() && !stores) {
    body->dropAllReferences();
    delete body;
    open();
    return {};
  }
  SendOp::create(b, stage.getLoc(), sent);
  StageOp part =
      all.addStage(stage.getLoc(), all.uniqueName(stage.getSymName() + ".part"),
                   inputs, body);
  for (auto [value, message] : llvm::zip(old, part.getMessages()))
    all.define(value, message, all.axisOf(value));
  open();
  return SmallVector<Value>(part.getMessages().drop_front(old.size()));
}

Value StageCutter::argument(Value value) {
  Value &argument = arguments[value];
  if (!argument) {
    inputs.push_back(value);
    argument = body->addArgument(payloadType(value.getType()), value.getLoc());
  }
  return argument;
}

/// The value, or the block of it that the rank has, in this stage.
Value StageCutter::here(Value value) {
  if (auto known = inside.find(value); known != inside.end()) {
    note(value, 0);
    return known->second;
  }
  Operation *maker = value.getDefiningOp();
  if (auto rows = shifted.find(value);
      rows != shifted.end() && !all.lookup(value)) {
    int64_t others = std::exchange(loss, 0);
    Value now;
    if (axisOf(value)) {
      now = shiftedHere(rows->second, 0, value.getLoc());
    } else { // Of another length: the operation on all there is.
      IRMapping mapping;
      for (Value read : getReads(maker))
        mapping.map(read, wholeHere(read));
      now = b.clone(*maker, mapping)->getResult(0);
    }
    all.setLoss(value, loss);
    loss = std::max(loss, others);
    return inside[value] = now;
  }
  if (!maker || !isa<arith::ConstantOp, tensor::EmptyOp>(maker)) {
    note(value, 0);
    return argument(all.blockOf(source(value)));
  }
  Value &constant = constants[value];
  if (!constant)
    constant = b.clone(*maker)->getResult(0);
  return constant;
}

/// Exchanges what is cut and will be read whole in this stage.
void StageCutter::needWhole(Value value) {
  if (shifted.contains(value) && !all.lookup(value) && !axisOf(value) &&
      !inside.count(value)) {
    Operation *maker = value.getDefiningOp();
    llvm::for_each(getReads(maker), [&](Value read) { needWhole(read); });
    return;
  }
  if (!axisOf(value))
    return;
  send(value);
  all.whole(source(value));
}

/// Makes a message of `value`, for an exchange.
void StageCutter::send(Value value) {
  if (shifted.contains(value) && !all.lookup(value))
    here(value);
  if (inside.count(value))
    close(value);
}

Value StageCutter::wholeHere(Value value) {
  return axisOf(value) ? argument(all.whole(source(value))) : here(value);
}

Value StageCutter::getRank() {
  if (!rank)
    rank = RankOp::create(b, stage.getLoc(),
                          RankedTensorType::get({}, b.getI32Type()));
  return rank;
}

/// The block that the rank has if `value` is cut along `axis`.
Value StageCutter::blockHere(Value value, int64_t axis) {
  if (axisOf(value) == axis)
    return here(value);
  RankedTensorType type = all.blockOf(typeOf(value), axis);
  if (!axisOf(value))
    if (Value constant = cutConstant(b, value, type))
      return constant;
  if (hasMargin())
    return cutMargin(wholeHere(value), axis, type);
  Location loc = value.getLoc();
  int64_t rows = type.getDimSize(axis);
  return sliceRows(b, loc, wholeHere(value), axis,
                   blockBegin(b, loc, getRank(), rows), rows);
}

/// Computes `op` on all ranks, on all there is.
void StageCutter::placeWhole(Operation &op, StringRef reason) {
  SmallVector<Value> reads = getReads(&op);
  if (llvm::any_of(reads, [&](Value v) { return rowsOf(v).has_value(); }) &&
      !isa<SendOp>(op))
    all.remark(&op, "is computed whole on every rank, after an all_gather: " +
                        reason);
  llvm::for_each(reads, [&](Value value) { needWhole(value); });
  IRMapping mapping;
  for (Value value : reads)
    mapping.map(value, wholeHere(value));
  Operation *copy = b.clone(op, mapping);
  for (auto [result, now] :
       llvm::zip_equal(op.getResults(), copy->getResults()))
    define(result, now, std::nullopt);
}

/// Whether `op` is one of those that `row`, a row's number, is computed by.
static bool isPartOf(Value row, Operation *op) {
  Operation *maker = row.getDefiningOp();
  if (maker == op)
    return true;
  return isa<arith::AddIOp, arith::RemUIOp>(maker) &&
         isPartOf(maker->getOperand(0), op);
}

/// Numbers of the loop are those of the whole: they begin with the block's.
void StageCutter::numberFromRank(linalg::GenericOp op, unsigned loop,
                                 int64_t length) {
  SmallVector<linalg::IndexOp> indices;
  op.walk([&](linalg::IndexOp index) {
    if (index.getDim() == loop)
      indices.push_back(index);
  });
  if (indices.empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  getRank();
  for (linalg::IndexOp index : indices) {
    b.setInsertionPointAfter(index);
    Location loc = index.getLoc();
    Value begin = rowBegin(loc, length);
    Value row = rowNumber(b, loc, begin, index, length * all.getRanks());
    index.getResult().replaceUsesWithIf(
        row, [&](OpOperand &use) { return !isPartOf(row, use.getOwner()); });
  }
}

/// `op` on the blocks of a loop, with these initial values.
linalg::GenericOp StageCutter::emit(linalg::GenericOp op, const LoopCut &cut,
                                    ValueRange inits) {
  int64_t block = op.getStaticLoopRanges()[cut.loop] / all.getRanks();
  SmallVector<Value> operands;
  for (auto [operand, axis, more] :
       llvm::zip(op.getDpsInputs(), cut.operandAxes, cut.moreRows))
    operands.push_back(axis ? rowsHere(operand, *axis, block, more)
                            : wholeHere(operand));
  llvm::append_range(operands, inits);
  IRMapping mapping;
  SetVector<Value> tables;
  getUsedValuesDefinedAbove(op->getRegions(), tables);
  for (Value table : tables) {
    std::optional<RowReach> reach = reachOf(op, table, cut.loop);
    mapping.map(table, !reach ? wholeHere(table)
                       : reach->isOwn() || hasMargin()
                           ? here(table)
                           : argument(all.halo(source(table), *reach).wide));
    if (!reach)
      continue;
    note(table, std::max(reach->before, reach->after));
    if (hasMargin() && reach->wraps)
      all.wrapMargin();
  }
  auto copy = cast<linalg::GenericOp>(b.clone(*op, mapping));
  copy->setOperands(operands);
  for (auto [result, init] : llvm::zip_equal(copy.getResults(), inits))
    result.setType(init.getType());
  numberFromRank(copy, cut.loop, block);
  numberInHalos(op, mapping, copy, cut.loop);
  return copy;
}

/// Each rank reduces its blocks; what it has then is combined.
void StageCutter::placeReduction(linalg::GenericOp op, const LoopCut &cut) {
  SmallVector<bool> isLeft;
  SmallVector<Value> inits = beginParts(op.getDpsInits(), cut.rules, isLeft);
  linalg::GenericOp copy = emit(op, cut, inits);
  copy->removeAttr(kOrderAttr); // Any order has the same bits.
  combineParts(op, copy.getResults(), op.getDpsInits(), cut.rules, isLeft);
}

/// Whether the body of the operation looks at what it is given there.
static bool isRead(OpOperand &operand) {
  return cast<linalg::GenericOp>(operand.getOwner())
      .payloadUsesValueFromOperand(&operand);
}

/// Cuts a loop of `op`, if there is one that can be.
bool StageCutter::placeLoop(linalg::GenericOp op) {
  std::optional<LoopCut> cut = chooseLoop(
      op, all.getRanks(), [&](Value value) { return axisOf(value); },
      loopsOfRows(op), all.isExact());
  if (!cut)
    return false;
  int64_t block = op.getStaticLoopRanges()[cut->loop] / all.getRanks();
  SmallVector<Value> needed;
  for (auto [operand, axis] :
       llvm::zip_equal(op->getOpOperands(), cut->operandAxes))
    if (isRead(operand) && !(axis && isShifted(operand.get(), *axis, block)))
      needed.push_back(operand.get());
  SetVector<Value> tables;
  getUsedValuesDefinedAbove(op->getRegions(), tables);
  for (Value table : tables) {
    std::optional<RowReach> reach = reachOf(op, table, cut->loop);
    if (!reach)
      needed.push_back(table);
    else if (!reach->isOwn() && !hasMargin())
      send(table);
  }
  llvm::for_each(needed, [&](Value value) { needWhole(value); });
  if (!cut->rules.empty()) {
    placeReduction(op, *cut);
    return true;
  }
  SmallVector<Value> inits;
  SmallVector<Axis> axes;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    axes.push_back(cut->operandAxes[init.getOperandNumber()]);
    RankedTensorType block = all.blockOf(typeOf(init.get()), *axes.back());
    inits.push_back(
        isRead(init) ? blockHere(init.get(), *axes.back())
                     : tensor::EmptyOp::create(b, op.getLoc(), block.getShape(),
                                               block.getElementType()));
  }
  linalg::GenericOp copy = emit(op, *cut, inits);
  if (!keepFixedOrder(copy)) {
    copy.erase();
    return false;
  }
  for (auto [result, now, axis] :
       llvm::zip_equal(op.getResults(), copy.getResults(), axes))
    define(result, now, axis);
  return true;
}

/// Moves elements of blocks as it would those of the whole, if it leaves the
/// axis as it is.
bool StageCutter::placeMove(Operation &op) {
  SmallVector<Axis> operands;
  for (Value operand : op.getOperands())
    operands.push_back(axisOf(operand));
  Axis axis = moveAxis(&op, operands, all.getRanks());
  if (!axis)
    return false;
  // All operands are tensors that are cut along one axis.
  int64_t from = **llvm::find_if(operands, [](Axis a) { return a; });
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()) && axisOf(operand) != from)
      needWhole(operand);
  SmallVector<Value> blocks;
  for (Value operand : op.getOperands())
    blocks.push_back(isa<RankedTensorType>(operand.getType())
                         ? blockHere(operand, from)
                         : here(operand));
  IRMapping mapping;
  SetVector<Value> around; // The number that a tensor.pad has.
  getUsedValuesDefinedAbove(op.getRegions(), around);
  for (Value value : around)
    mapping.map(value, wholeHere(value));
  Operation *copy = b.clone(op, mapping);
  copy->setOperands(blocks);
  copy->getResult(0).setType(all.blockOf(typeOf(op.getResult(0)), *axis));
  resizeMove(copy, from);
  define(op.getResult(0), copy->getResult(0), axis);
  return true;
}

StringRef StageCutter::whyWhole(Operation &op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && reducesFloats(generic))
    return "it adds floats along the axis that is cut, and in another order "
           "they "
           "have other sums";
  if (shiftRows(&op, [&](Value value) { return rowsOf(value); }))
    return "blocks have rows of others than their neighbours";
  if (isa<SortOp>(op))
    return "rows with several keys are not merged";
  return "nothing is known of how blocks of it depend on blocks";
}

void StageCutter::place(Operation &op) {
  loss = 0;
  if (!isa<arith::ConstantOp, tensor::EmptyOp>(op))
    splitMove(op);
  if (isa<arith::ConstantOp, tensor::EmptyOp>(op))
    return; // Copied to where it is used.
  SmallVector<Value> reads = getReads(&op);
  bool isCut =
      llvm::any_of(reads, [&](Value v) { return rowsOf(v).has_value(); });
  bool fits = llvm::all_of(op.getResultTypes(), isVmTensor);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (isCut && fits &&
      (generic ? placeLoop(generic)
               : placeMove(op) || placeRows(op) || placeRoot(op)))
    return;
  placeWhole(op, whyWhole(op));
}

void StageCutter::run() {
  Block &old = stage.getBody().front();
  for (Operation &op : old.without_terminator()) {
    place(op);
    done.insert(&op);
  }
  SendOp send = stage.getSend();
  if (send.getStatus())
    needWhole(send.getStatus());
  SmallVector<Value> sent;
  for (Value value : send.getPayloads())
    sent.push_back(here(value));
  Value status = send.getStatus() ? wholeHere(send.getStatus()) : Value();
  SendOp::create(b, send.getLoc(), sent, ValueRange(), status);
  StageOp last = all.addStage(stage.getLoc(), stage.getSymName(), inputs, body);
  for (auto [message, now, value] : llvm::zip_equal(
           stage.getMessages(), last.getMessages(), send.getPayloads())) {
    int64_t rows = all.lossOf(source(value));
    all.define(message, now, axisOf(value));
    all.setLoss(message, rows);
  }
}
