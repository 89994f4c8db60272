//===- HoistInvariants.cpp - hoisting out of repeats ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage of a repeat is brought into its final form, so that the steps of a
// sort or of `gpuvm.segment_reduce` can be told apart. Steps that depend only
// on values that no iteration changes are hoisted: a stage before the repeat
// computes them and sends them to the one in the repeat. That is done for
// results that are in memory anyhow, those of reductions, roots and loops.
// Cheaper operations stay: reading their results would take longer.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/expand/Generalize.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/elements/InnerReduction.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-hoist-invariants"
ALWAYS_ENABLED_STATISTIC(numHoisted, "Values made in front of repeats");

/// All that `op` reads: operands, tables, and constants that its body takes.
static SmallVector<Value> getReads(Operation *op) {
  SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads.takeVector();
}

namespace {
struct HoistInvariants : gpuvm::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override;
};

/// Hoists out of one repeat, also from stages of the repeats in it.
class RepeatHoister {
public:
  explicit RepeatHoister(RepeatOp repeat);
  /// Takes the stages in their order, in the form of gpuvm-generalize.
  void hoistFrom(StageOp stage);

private:
  Value fromOutside(Value operand);
  bool isInvariant(Operation *op) const;
  void findInvariants(StageOp stage);
  SmallVector<Value> chooseValues(StageOp stage) const;
  StageOp makeStage(StageOp stage, ArrayRef<Value> values);
  void receive(StageOp stage, ArrayRef<Value> values, StageOp sender);
  void noteMessages(StageOp stage);

  RepeatOp repeat;
  llvm::StringSet<> stored; ///< Symbols that stages of the repeat store to.
  /// Messages of its stages that are the same each time, as what is outside.
  llvm::DenseMap<Value, Value> outside;
  llvm::DenseSet<Value> invariants; ///< Values of the present stage's body.
};
} // namespace

RepeatHoister::RepeatHoister(RepeatOp repeat) : repeat(repeat) {
  repeat.walk([&](StoreOp store) { stored.insert(store.getSymbol()); });
}

//===----------------------------------------------------------------------===//
// What is the same each time
//===----------------------------------------------------------------------===//

/// What a stage of the repeat is given, as a value from outside of it; null if
/// it changes.
Value RepeatHoister::fromOutside(Value operand) {
  if (!repeat.getBody().isAncestor(operand.getParentRegion()))
    return operand;
  return outside.lookup(operand);
}

/// Whether the host may write to a symbol while a program runs. (It does not
/// write to words with a bound: they are counts of rows.)
static bool isSharedWithHost(const SymbolInfo &symbol) {
  return symbol.region == gpuvm::Region::metrics ||
         (symbol.region == gpuvm::Region::control && !symbol.bound);
}

/// Whether `op` is loop-invariant, in a stage whose other invariants are known.
bool RepeatHoister::isInvariant(Operation *op) const {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getOwn() && !stored.contains(load.getSymbol()) &&
           !isSharedWithHost(lookupSymbol(load, load.getSymbol()));
  if (isa<InvokeOp, MetadataOp, SendOp>(op) || !isMemoryEffectFree(op))
    return false;
  return llvm::all_of(getReads(op),
                      [&](Value value) { return invariants.contains(value); });
}

void RepeatHoister::findInvariants(StageOp stage) {
  invariants.clear();
  Block &body = stage.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), stage.getInputs()))
    if (fromOutside(input))
      invariants.insert(argument);
  for (Operation &op : body)
    if (isInvariant(&op))
      invariants.insert_range(op.getResults());
}

//===----------------------------------------------------------------------===//
// What is worth it
//===----------------------------------------------------------------------===//

/// Whether the result of `op` is in memory whichever operation reads it, and
/// takes longer to compute than to read: a kernel of its own, or a large
/// reduction. A short one costs nothing where another reduction has its kernel.
static bool isWorkOfItsOwn(Operation *op) {
  if (isa<RootOpInterface>(op) || hasLoops(op))
    return true;
  // On llvmpipe a reduction of so many takes as long as a barrier, 40 us.
  constexpr int64_t kMuch = 1 << 14;
  constexpr int64_t kFew = 16; // A reader may do so many again (VirtualOps.h).
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && isReduction(generic) && countReduced(generic) > kFew &&
         llvm::product_of(generic.getStaticLoopRanges()) >= kMuch;
}

/// The results of invariant work that the rest of the stage reads.
SmallVector<Value> RepeatHoister::chooseValues(StageOp stage) const {
  llvm::SmallSetVector<Value, 8> chosen;
  llvm::DenseSet<Operation *> needed;
  auto need = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    if (!maker)
      return;
    if (invariants.contains(value) && isWorkOfItsOwn(maker))
      chosen.insert(value);
    else
      needed.insert(maker);
  };
  for (Operation &op : llvm::reverse(stage.getBody().front()))
    if (needed.contains(&op) || !isMemoryEffectFree(&op) || isa<SendOp>(op))
      llvm::for_each(getReads(&op), need);
  return SmallVector<Value>(llvm::reverse(chosen.getArrayRef()));
}

//===----------------------------------------------------------------------===//
// The stage before the repeat
//===----------------------------------------------------------------------===//

/// A stage before the repeat that sends `values` of the body of `stage`.
StageOp RepeatHoister::makeStage(StageOp stage, ArrayRef<Value> values) {
  llvm::DenseSet<Operation *> needed;
  llvm::DenseSet<Value> read;
  auto need = [&](Value value) {
    read.insert(value);
    if (Operation *maker = value.getDefiningOp())
      needed.insert(maker);
  };
  llvm::for_each(values, need);
  Block &body = stage.getBody().front();
  for (Operation &op : llvm::reverse(body))
    if (needed.contains(&op))
      llvm::for_each(getReads(&op), need);

  IRMapping mapping;
  SmallVector<Value> operands;
  auto *block = new Block;
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), stage.getInputs())) {
    if (!read.contains(argument))
      continue;
    operands.push_back(fromOutside(input));
    mapping.map(argument,
                block->addArgument(argument.getType(), argument.getLoc()));
  }
  OpBuilder b(stage.getContext());
  b.setInsertionPointToStart(block);
  for (Operation &op : body)
    if (needed.contains(&op))
      b.clone(op, mapping);
  auto sent = llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookup(value); });
  SendOp::create(b, stage.getLoc(), sent);
  SmallVector<Type> messages;
  for (Value value : sent)
    messages.push_back(MessageType::get(b.getContext(), typeOf(value)));
  b.setInsertionPoint(repeat);
  auto sender = StageOp::create(
      b, stage.getLoc(), messages,
      (repeat.getSymName() + "." + stage.getSymName()).str(), operands,
      /*fusion_group=*/IntegerAttr(), /*instances=*/IntegerAttr(),
      /*conditional=*/false);
  sender.getBody().push_back(block);
  return sender;
}

/// Gives the stage what `sender` sends instead of `values`.
void RepeatHoister::receive(StageOp stage, ArrayRef<Value> values,
                            StageOp sender) {
  Block &body = stage.getBody().front();
  stage.getInputsMutable().append(sender.getMessages());
  for (Value value : values)
    value.replaceAllUsesWith(body.addArgument(value.getType(), value.getLoc()));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// A stage that always runs may pass on what it was given.
void RepeatHoister::noteMessages(StageOp stage) {
  for (auto [message, payload] :
       llvm::zip_equal(stage.getMessages(), stage.getSend().getPayloads()))
    if (auto argument = dyn_cast<BlockArgument>(payload))
      if (Value value = fromOutside(stage.getInputs()[argument.getArgNumber()]))
        outside[message] = value;
}

void RepeatHoister::hoistFrom(StageOp stage) {
  findInvariants(stage);
  SmallVector<Value> values = chooseValues(stage);
  if (!values.empty())
    receive(stage, values, makeStage(stage, values));
  numHoisted += values.size();
  noteMessages(stage);
}

/// A stage that might not run, or not for all instances, keeps what it does.
static bool alwaysRuns(StageOp stage) {
  return !stage.getConditional() && !stage.getInstances();
}

void HoistInvariants::runOnOperation() {
  FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
  SmallVector<RepeatOp> repeats; // Outer ones first.
  getOperation().walk<WalkOrder::PreOrder>(
      [&](RepeatOp repeat) { repeats.push_back(repeat); });
  for (RepeatOp repeat : repeats) {
    SmallVector<StageOp> stages;
    repeat.walk([&](StageOp stage) {
      if (alwaysRuns(stage))
        stages.push_back(stage);
    });
    RepeatHoister hoister(repeat);
    for (StageOp stage : stages) {
      if (failed(generalizeStage(stage, patterns)))
        return signalPassFailure();
      hoister.hoistFrom(stage);
    }
  }
}
