//===- FlattenStages.cpp - stages laid end to end -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/FlattenStages.h"
#include "passes/analysis/FreeValues.h"
#include "passes/expand/ReadElements.h"
#include "passes/program/StageUnits.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The registers of a stage's operands and message (GpuvmOps.td, gpuvm.stage).
static constexpr int64_t kNextInbox = kOutbox - 1, kBeyond = kNumRegisters;

namespace {
struct StageFlattener {
  explicit StageFlattener(ProgramOp program) : program(program) {}
  LogicalResult run();
  void flattenStage(StageOp stage, int64_t instance);
  void moveToRegisters(StageOp stage);
  void exposeRegisters(StageOp stage, int64_t instance);
  void flattenLoop(flow::LoopOp loop);

  ProgramOp program;
  IRMapping payloads; ///< Of the messages.
  FlatStages flat;
};
} // namespace

/// Whether an operation of the stage computes `operand` for this use alone.
static bool isOwned(OpOperand &operand) {
  Operation *op = operand.get().getDefiningOp();
  return isa_and_nonnull<linalg::GenericOp>(op) && operand.get().hasOneUse();
}

/// An elementwise operation that copies `value`, so that it has a window.
static Value makeIdentity(OpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return readElements(b, value, type, b.getMultiDimIdentityMap(type.getRank()));
}

void gpuvm::dropUnusedOperands(StageOp stage) {
  RewritePatternSet patterns(stage.getContext());
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  // Each application leaves out something, so it ends.
  (void)applyPatternsGreedily(stage.getBody(), std::move(patterns),
                              GreedyRewriteConfig().enableFolding(false));
}

/// Constants of the program are those of the stages that are given them.
static void takeConstants(StageOp stage) {
  Block &body = stage.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), stage.getInputs()))
    if (auto constant = input.getDefiningOp<arith::ConstantOp>())
      argument.replaceAllUsesWith(b.clone(*constant)->getResult(0));
}

void gpuvm::materializeEscapes(StageOp stage) {
  takeConstants(stage);
  // An external kernel reads Registers only.
  for (auto invoke : stage.getBody().getOps<InvokeOp>())
    for (OpOperand &operand : invoke->getOpOperands())
      if (operand.get().getDefiningOp<LoadOp>()) {
        OpBuilder b(invoke);
        operand.set(makeIdentity(b, operand.get()));
      }
  // An operand that an operation overwrites with its results has no other
  // reader.
  for (auto root : stage.getBody().getOps<RootOpInterface>())
    for (unsigned number : root.getUpdatedOperands())
      if (OpOperand &operand = root->getOpOperand(number); !isOwned(operand)) {
        OpBuilder b(root);
        operand.set(makeIdentity(b, operand.get()));
      }
  for (Operation &op : llvm::make_early_inc_range(stage.getBody().front())) {
    if (!isa<SendOp, StoreOp, InvokeOp, DecodeOp>(op))
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      bool isStatus =
          isa<SendOp>(op) && operand.get() == cast<SendOp>(op).getStatus() &&
          operand.getOperandNumber() == cast<SendOp>(op).getPayloads().size();
      if (!isFree(operand.get()) || isStatus)
        continue;
      OpBuilder b(&op);
      operand.set(makeIdentity(b, operand.get()));
    }
  }
}

/// Copies the constants that a body takes from around it into the body (folding
/// puts them there).
static void sinkConstantsInto(Block *body) {
  OpBuilder b = OpBuilder::atBlockBegin(body);
  body->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (!isa<ShapedType>(operand.get().getType()) &&
          !body->getParent()->isAncestor(operand.get().getParentRegion()))
        operand.set(b.clone(*operand.get().getDefiningOp())->getResult(0));
  });
}

/// For all bodies of the operations of a stage or a kernel.
static void sinkConstants(Block &block) {
  for (Operation &op : block)
    if (isa<linalg::GenericOp, tensor::PadOp, RootOpInterface>(op))
      for (mlir::Region &region : op.getRegions())
        sinkConstantsInto(&region.front());
}

static void annotateUnits(StageOp stage, int64_t unitBase) {
  StageUnits units(stage);
  Builder b(stage.getContext());
  for (Operation *op : units.ops)
    op->setAttr(kUnitAttr,
                b.getI64IntegerAttr(unitBase + units.epoch.lookup(op)));
  for (Operation &op : stage.getBody().front())
    op.setAttr(kStageAttr, stage.getSymNameAttr());
}

void StageFlattener::exposeRegisters(StageOp stage, int64_t instance) {
  int64_t nextRegister = 0, nextInbox = kNextInbox, beyond = kBeyond;
  bool hasInbox = false;
  for (Value input : stage.getInputs()) {
    bool isMessage = isa<MessageType>(input.getType());
    int64_t name = kInbox;
    if (!isMessage || hasInbox) {
      bool isFull = nextRegister > nextInbox;
      name = isFull ? beyond++ : isMessage ? nextInbox-- : nextRegister++;
    }
    hasInbox |= isMessage;
    flat.exposures.push_back({payloads.lookupOrDefault(input), name, instance});
  }
  if (ValueRange fields = stage.getSend().getPayloads(); !fields.empty())
    flat.exposures.push_back({fields.front(), kOutbox, instance});
}

/// An external kernel reads Registers only, and a message may be what a symbol
/// of another region holds.
void StageFlattener::moveToRegisters(StageOp stage) {
  for (auto invoke : stage.getBody().getOps<InvokeOp>())
    for (OpOperand &operand : invoke->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      if (!argument)
        continue;
      Value input = stage.getInputs()[argument.getArgNumber()];
      OpBuilder b(invoke);
      if (payloads.lookupOrDefault(input).getDefiningOp<LoadOp>())
        operand.set(makeIdentity(b, argument));
    }
}

void StageFlattener::flattenStage(StageOp stage, int64_t instance) {
  Block &body = stage.getBody().front();
  SendOp send = stage.getSend();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), stage.getInputs()))
    argument.replaceAllUsesWith(payloads.lookupOrDefault(input));
  std::optional<ArrayAttr> rows = stage.getRows();
  for (auto [i, payload] : llvm::enumerate(send.getPayloads())) {
    payloads.map(stage.getResult(i), payload);
    if (auto symbol = rows ? dyn_cast<StringAttr>((*rows)[i]) : StringAttr())
      flat.rows[payload] = symbol;
  }
  exposeRegisters(stage, instance);
  send.erase();
  stage->getBlock()->getOperations().splice(stage->getIterator(),
                                            body.getOperations());
}

/// Iteration values become plain tensors.
void StageFlattener::flattenLoop(flow::LoopOp loop) {
  for (Operation *op : {loop.getOperation(), loop.getEnd().getOperation()})
    for (OpOperand &operand : op->getOpOperands())
      operand.set(payloads.lookupOrDefault(operand.get()));
  for (ValueRange values :
       {ValueRange(loop.getBody().getArguments()), ValueRange(loop.getLast())})
    for (Value value : values)
      value.setType(payloadType(value.getType()));
}

/// An exchange is for the stages that are given its results.
static void nameReaders(flow::ExchangeOp exchange) {
  llvm::SmallSetVector<Attribute, 4> names;
  for (Operation *user : exchange->getUsers())
    if (auto stage = dyn_cast<StageOp>(user))
      names.insert(stage.getSymNameAttr());
  SmallVector<Attribute> ordered(names.rbegin(), names.rend());
  exchange.setStagesAttr(ArrayAttr::get(exchange.getContext(), ordered));
}

LogicalResult StageFlattener::run() {
  SmallVector<StageOp> stages = listOps<StageOp>(program);
  // A program that was printed after gpuvm-form-kernels and compiled again.
  if (stages.empty() && program.getStages()) {
    for (auto kernel : listOps<flow::DispatchOp>(program))
      sinkConstants(kernel.getBody().front());
    return success();
  }
  SmallVector<Attribute> stageNames, stageLocations;
  int64_t unit = stages.size() * 2; // Beyond all fusion groups.
  for (auto exchange : listOps<flow::ExchangeOp>(program))
    nameReaders(exchange);
  for (auto [instance, stage] : llvm::enumerate(stages)) {
    for (auto metadata : stage.getBody().getOps<MetadataOp>())
      return metadata.emitOpError(
          "is still there: run gpuvm-materialize-metadata first");
    dropUnusedOperands(stage);
    sinkConstants(stage.getBody().front());
    materializeEscapes(stage);
    moveToRegisters(stage);
    bool fused = stage.getFusionGroup().has_value();
    annotateUnits(stage, fused ? *stage.getFusionGroup() : unit);
    unit += StageUnits(stage).numEpochs;
    flattenStage(stage, instance);
    stageNames.push_back(stage.getSymNameAttr());
    stageLocations.push_back(stage.getLoc());
  }
  for (auto loop : listOps<flow::LoopOp>(program))
    flattenLoop(loop);
  for (Operation *op : listOps(program))
    if (isa<ClockOp, flow::ExchangeOp>(op))
      for (OpOperand &operand : op->getOpOperands())
        operand.set(payloads.lookupOrDefault(operand.get()));
  Operation *terminator = program.getBody().front().getTerminator();
  OpBuilder b(terminator);
  SmallVector<Value> outputs;
  for (Value value : terminator->getOperands())
    outputs.push_back(payloads.lookupOrDefault(value));
  ReturnOp::create(b, terminator->getLoc(), outputs);
  terminator->erase();
  for (StageOp stage : llvm::reverse(stages))
    stage.erase();
  program.setStagesAttr(b.getArrayAttr(stageNames));
  program.setStageLocationsAttr(b.getArrayAttr(stageLocations));
  return success();
}

FailureOr<FlatStages> gpuvm::flattenStages(ProgramOp program) {
  StageFlattener flattener(program);
  if (failed(flattener.run()))
    return failure();
  return std::move(flattener.flat);
}

/// Whether `user` reads, after `store`, what `load` loads. Operations that are
/// rematerialised are read by the readers of their consumers.
static bool readsAfter(Operation *user, StoreOp store, LoadOp load) {
  user = getOpOfProgram(user); // A table's reader.
  if (isMadeWhereRead(user))
    return llvm::any_of(user->getUsers(), [&](Operation *reader) {
      return readsAfter(reader, store, load);
    });
  return isBefore(store, lastRun(user, load));
}

void gpuvm::copyLoadsThatOutliveTheirSymbol(
    ProgramOp program, MutableArrayRef<Exposure> exposures) {
  SymbolAccesses symbols(program);
  for (auto load : listOps<LoadOp>(program)) {
    SmallPtrSet<Operation *, 4> late;
    for (StoreOp store : symbols.storesTo(getPlace(load)))
      if (isBefore(load, store))
        for (Operation *user : load->getUsers())
          if (readsAfter(user, store, load))
            late.insert(user);
    if (late.empty())
      continue;
    OpBuilder b(load);
    b.setInsertionPointAfter(load);
    auto copy = flow::CopyOp::create(
        b, load.getLoc(), load.getValue().getType(), load.getValue(),
        b.getArrayAttr(load->getAttr(kStageAttr)), ArrayAttr(), ArrayAttr());
    load.getValue().replaceUsesWithIf(copy.getResult(), [&](OpOperand &use) {
      return late.contains(use.getOwner());
    });
    for (Exposure &exposure : exposures)
      if (exposure.value == load.getValue())
        exposure.value = copy.getResult();
  }
}
