//===- SpreadInstances.cpp - one body for all instances of a stage --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every value of the body that differs from instance to instance gets a leading
// dimension, every operation that makes one a leading parallel loop. What is
// the same for all stays as it is, and is read by all at the same place. Only
// reductions are always spread, as their order counts the results of all
// instances (Reduction.h), but for those that are over instances already: of
// the messages that all receive (InstanceWords.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "passes/Commands.h"
#include "passes/Generalize.h"
#include "passes/InstanceWords.h"
#include "passes/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_SPREADINSTANCES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

class InstanceSpreader {
public:
  explicit InstanceSpreader(StageOp stage)
      : stage(stage), count(*stage.getInstances()), b(stage) {}
  /// The stage of all instances. `sendsWords`: it has one more field, with the
  /// status of each of them.
  FailureOr<StageOp> run(bool sendsWords);

private:
  bool differs(Operation &op) const;
  LogicalResult spread(Operation &op);
  Value spreadResult(Operation &op);
  void spreadGeneric(linalg::GenericOp op);
  void spreadTables(linalg::GenericOp whole);
  Value spreadInit(linalg::GenericOp op, OpOperand &init);
  Value spreadSlice(tensor::ExtractSliceOp op);
  Value spreadInsert(tensor::InsertSliceOp op);
  Value spreadPad(tensor::PadOp op);
  Value spreadConcat(tensor::ConcatOp op);
  Value spreadGather(GatherOp op);
  Value spreadSearch(SearchSortedOp op);
  void spreadSort(Operation &op);
  LogicalResult spreadScan(ScanOp op);
  Value spreadReshape(Operation *op);
  Value spreadFft(FftOp op);
  Value spreadConvolve(ConvolveOp op);
  void spreadMetadata(MetadataOp op);
  void send(SendOp op, bool sendsWords);

  RankedTensorType wholeType(Value value) const;
  /// The value for all instances, if need be copied for each of them.
  Value wholeOf(Value value);
  Value broadcast(Value value);
  /// `op` with operands and results of all instances, but for operands that
  /// these share.
  Operation *copyOverAll(Operation &op,
                         llvm::function_ref<bool(OpOperand &)> isShared);

  StageOp stage;
  int64_t count;
  OpBuilder b;
  IRMapping values;                ///< From the body to the new one.
  llvm::DenseSet<Value> spreadOut; ///< Values of the body that differ.
};

struct SpreadInstances : gpuvm::impl::SpreadInstancesBase<SpreadInstances> {
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> prepend(int64_t first, ArrayRef<int64_t> rest) {
  SmallVector<int64_t> all = {first};
  llvm::append_range(all, rest);
  return all;
}

RankedTensorType InstanceSpreader::wholeType(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(prepend(count, type.getShape()),
                               type.getElementType());
}

Value InstanceSpreader::broadcast(Value value) {
  RankedTensorType type = wholeType(value);
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  return readElements(b, value, type, all.dropResult(0));
}

Value InstanceSpreader::wholeOf(Value value) {
  Value own = values.lookup(value);
  return spreadOut.contains(value) ? own : broadcast(own);
}

Operation *
InstanceSpreader::copyOverAll(Operation &op,
                              llvm::function_ref<bool(OpOperand &)> isShared) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op.getOpOperands())
    operands.push_back(isShared(operand) ? values.lookup(operand.get())
                                         : wholeOf(operand.get()));
  Operation *whole = b.clone(op);
  whole->setOperands(operands);
  for (auto [result, own] :
       llvm::zip_equal(whole->getResults(), op.getResults())) {
    result.setType(wholeType(own));
    values.map(own, result);
  }
  return whole;
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

Value InstanceSpreader::spreadInit(linalg::GenericOp op, OpOperand &init) {
  if (!op.getMatchingBlockArgument(&init).use_empty())
    return wholeOf(init.get());
  RankedTensorType type = wholeType(init.get());
  return tensor::EmptyOp::create(b, op.getLoc(), type.getShape(),
                                 type.getElementType());
}

/// Tables that each instance has of its own are read at its number.
void InstanceSpreader::spreadTables(linalg::GenericOp whole) {
  SmallVector<tensor::ExtractOp> extracts;
  whole.walk([&](tensor::ExtractOp extract) {
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    if (type.getRank() != static_cast<int64_t>(extract.getIndices().size()))
      extracts.push_back(extract);
  });
  if (extracts.empty())
    return;
  OpBuilder inside = OpBuilder::atBlockBegin(whole.getBody());
  Value instance = linalg::IndexOp::create(inside, whole.getLoc(), 0);
  for (tensor::ExtractOp extract : extracts)
    extract.getIndicesMutable().assign(llvm::to_vector(
        llvm::concat<Value>(ArrayRef(instance), extract.getIndices())));
}

void InstanceSpreader::spreadGeneric(linalg::GenericOp op) {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = op.isDpsInit(&operand);
    AffineMap map = op.getMatchingIndexingMap(&operand).shiftDims(1);
    if (isInit || spreadOut.contains(operand.get()))
      map = map.insertResult(b.getAffineDimExpr(0), 0);
    maps.push_back(map);
    if (isInit)
      inits.push_back(spreadInit(op, operand));
    else
      inputs.push_back(values.lookup(operand.get()));
  }
  for (Value result : op.getResults())
    types.push_back(wholeType(result));
  SmallVector<utils::IteratorType> loops = {utils::IteratorType::parallel};
  llvm::append_range(loops, op.getIteratorTypesArray());
  auto whole = linalg::GenericOp::create(b, op.getLoc(), types, inputs, inits,
                                         maps, loops);
  if (op.getNumReductionLoops() != 0)
    whole->setAttr(kInstancesAttr, b.getUnitAttr());
  b.cloneRegionBefore(op.getRegion(), whole.getRegion(),
                      whole.getRegion().end(), values);
  whole.walk([](linalg::IndexOp index) { index.setDim(index.getDim() + 1); });
  spreadTables(whole);
  values.map(op.getResults(), whole.getResults());
}

//===----------------------------------------------------------------------===//
// Moved elements
//===----------------------------------------------------------------------===//

Value InstanceSpreader::spreadSlice(tensor::ExtractSliceOp op) {
  return tensor::ExtractSliceOp::create(
      b, op.getLoc(), wholeType(op), wholeOf(op.getSource()), ValueRange(),
      ValueRange(), ValueRange(), prepend(0, op.getStaticOffsets()),
      prepend(count, op.getStaticSizes()), prepend(1, op.getStaticStrides()));
}

Value InstanceSpreader::spreadInsert(tensor::InsertSliceOp op) {
  return tensor::InsertSliceOp::create(
      b, op.getLoc(), wholeType(op), wholeOf(op.getSource()),
      wholeOf(op.getDest()), ValueRange(), ValueRange(), ValueRange(),
      prepend(0, op.getStaticOffsets()), prepend(count, op.getStaticSizes()),
      prepend(1, op.getStaticStrides()));
}

Value InstanceSpreader::spreadPad(tensor::PadOp op) {
  auto widths = [&](ArrayRef<int64_t> own) {
    return getAsIndexOpFoldResult(b.getContext(), prepend(0, own));
  };
  Operation *padding = op.getConstantPaddingValue().getDefiningOp();
  return tensor::PadOp::create(
      b, op.getLoc(), wholeType(op), wholeOf(op.getSource()),
      widths(op.getStaticLow()), widths(op.getStaticHigh()),
      b.clone(*padding)->getResult(0));
}

Value InstanceSpreader::spreadConcat(tensor::ConcatOp op) {
  auto whole = cast<tensor::ConcatOp>(
      copyOverAll(*op, [](OpOperand &) { return false; }));
  whole.setDim(op.getDim() + 1);
  return whole;
}

/// Every instance may look for elements of its own, but in one table.
Value InstanceSpreader::spreadSearch(SearchSortedOp op) {
  if (spreadOut.contains(op.getTable()))
    return Value();
  return copyOverAll(*op,
                     [&](OpOperand &operand) {
                       return operand == op.getTableMutable();
                     })
      ->getResult(0);
}

/// Every instance may pick rows of its own, but of one source.
Value InstanceSpreader::spreadGather(GatherOp op) {
  if (spreadOut.contains(op.getSource()))
    return Value();
  return copyOverAll(*op,
                     [&](OpOperand &operand) {
                       return operand == op.getSourceMutable();
                     })
      ->getResult(0);
}

/// What sorts along the last dimension takes all others as rows.
void InstanceSpreader::spreadSort(Operation &op) {
  copyOverAll(op, [](OpOperand &operand) { // The number of a digit.
    return cast<RankedTensorType>(operand.get().getType()).getRank() == 0;
  });
}

/// Whether what a scan combines depends on where it stands in the order of all
/// (ScanOrder), which instances together would change.
static bool hasVisibleOrder(ScanOp op) {
  bool isFloat = llvm::any_of(op.getInputs().getTypes(), [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  });
  return isFloat &&
         !llvm::all_of(op.getCombine().front(), [](Operation &inner) {
           return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                      arith::MinNumFOp, YieldOp>(inner);
         });
}

/// Each instance has rows of its own.
LogicalResult InstanceSpreader::spreadScan(ScanOp op) {
  bool hasOwnInitials = llvm::any_of(op.getInitial(), [&](Value initial) {
    return spreadOut.contains(initial);
  });
  if (hasVisibleOrder(op) || hasOwnInitials)
    return op.emitOpError("cannot be spread over the instances of a stage: it "
                          "begins with values of their own, or rounds");
  Operation *whole = copyOverAll(*op, [&](OpOperand &operand) {
    return llvm::is_contained(op.getInitial(), operand.get());
  });
  cast<ScanOp>(whole).setDimension(op.getDimension() + 1);
  return success();
}

/// The leading dimension is a group of its own, or in the only one if there is
/// no other dimension to group.
Value InstanceSpreader::spreadReshape(Operation *op) {
  SmallVector<ReassociationIndices> groups;
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  groups = expand ? expand.getReassociationIndices()
                  : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  RankedTensorType type = wholeType(op->getResult(0));
  Value source = wholeOf(op->getOperand(0));
  int64_t rank = std::max(type.getRank(),
                          cast<RankedTensorType>(source.getType()).getRank());
  for (ReassociationIndices &group : groups)
    for (int64_t &dim : group)
      ++dim;
  groups.insert(groups.begin(), ReassociationIndices{0});
  if (groups.size() == 1)
    groups.front() = llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
  if (type == source.getType())
    return source;
  if (expand)
    return tensor::ExpandShapeOp::create(b, op->getLoc(), type, source, groups);
  return tensor::CollapseShapeOp::create(b, op->getLoc(), type, source, groups);
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

Value InstanceSpreader::spreadFft(FftOp op) {
  return FftOp::create(
      b, op.getLoc(), wholeType(op.getResult()), wholeOf(op.getSource()),
      values.lookupOrNull(op.getTwiddles()), op.getInverseAttr(),
      b.getI64IntegerAttr(op.getTransformed() + 1),
      b.getI64IntegerAttr(op.getPlaced() + 1));
}

Value InstanceSpreader::spreadConvolve(ConvolveOp op) {
  return ConvolveOp::create(b, op.getLoc(), wholeType(op.getResult()),
                            wholeOf(op.getSource()), wholeOf(op.getSpectrum()),
                            values.lookupOrNull(op.getTwiddles()));
}

//===----------------------------------------------------------------------===//
// The stage
//===----------------------------------------------------------------------===//

/// All receive the same message, each a slice of it.
void InstanceSpreader::spreadMetadata(MetadataOp op) {
  Value word = b.clone(*op, values)->getResult(0);
  values.map(op.getWord(), broadcast(word));
}

void InstanceSpreader::send(SendOp op, bool sendsWords) {
  SmallVector<Value> payloads;
  for (Value payload : op.getPayloads())
    payloads.push_back(wholeOf(payload));
  Value status = op.getStatus();
  if (status) {
    Value words = wholeOf(status);
    if (sendsWords)
      payloads.push_back(words);
    status = makeMessageStatus(b, op.getLoc(), words);
  }
  SendOp::create(b, op.getLoc(), payloads, ValueRange(), status);
}

/// Whether instances make results of their own.
bool InstanceSpreader::differs(Operation &op) const {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  auto load = dyn_cast<LoadOp>(op);
  return (generic && generic.getNumReductionLoops() != 0 &&
          !generic->hasAttr(kInstancesAttr)) ||
         (load && load.getOwn()) ||
         llvm::any_of(getOperandsAndTables(&op), [&](Value operand) {
           return spreadOut.contains(operand);
         });
}

/// The only result of `op` for all instances; null if there is no way.
Value InstanceSpreader::spreadResult(Operation &op) {
  return TypeSwitch<Operation *, Value>(&op)
      .Case([&](LoadOp o) {
        return LoadOp::create(b, o.getLoc(), wholeType(o), o.getSymbol(),
                              IntegerAttr());
      })
      .Case([&](tensor::ExtractSliceOp o) { return spreadSlice(o); })
      .Case([&](tensor::InsertSliceOp o) { return spreadInsert(o); })
      .Case([&](tensor::PadOp o) { return spreadPad(o); })
      .Case([&](tensor::ConcatOp o) { return spreadConcat(o); })
      .Case([&](GatherOp o) { return spreadGather(o); })
      .Case([&](SearchSortedOp o) { return spreadSearch(o); })
      .Case([&](FftOp o) { return spreadFft(o); })
      .Case([&](ConvolveOp o) { return spreadConvolve(o); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](Operation *o) { return spreadReshape(o); })
      .Default([](Operation *) { return Value(); });
}

LogicalResult InstanceSpreader::spread(Operation &op) {
  if (auto store = dyn_cast<StoreOp>(op)) { // Its own, so of all of them.
    StoreOp::create(b, op.getLoc(), wholeOf(store.getValue()),
                    store.getSymbol());
    return success();
  }
  if (!differs(op)) {
    b.clone(op, values);
    return success();
  }
  spreadOut.insert(op.result_begin(), op.result_end());
  if (auto metadata = dyn_cast<MetadataOp>(op)) {
    spreadMetadata(metadata);
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    spreadGeneric(generic);
  } else if (isa<SortRunsOp, MergeRunsOp, CountDigitsOp, ScatterDigitsOp>(op)) {
    spreadSort(op);
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    return spreadScan(scan);
  } else {
    Value whole = spreadResult(op);
    if (!whole)
      return op.emitOpError("cannot be spread over the instances of a stage");
    values.map(op.getResult(0), whole);
  }
  return success();
}

FailureOr<StageOp> InstanceSpreader::run(bool sendsWords) {
  SmallVector<Type> types(stage.getResultTypes());
  if (sendsWords)
    types.push_back(MessageType::get(
        b.getContext(), RankedTensorType::get(count, b.getI32Type())));
  auto whole = StageOp::create(b, stage.getLoc(), types, stage.getSymName(),
                               stage.getInputs(), stage.getFusionGroupAttr(),
                               IntegerAttr(), /*conditional=*/false);
  if (Attribute condition = stage->getAttr(kConditionAttr))
    whole->setAttr(kConditionAttr, condition);
  Block *body = b.createBlock(&whole.getBody());
  for (auto [i, argument] : llvm::enumerate(stage.getBody().getArguments())) {
    Type type = payloadType(stage.getInputs()[i].getType());
    values.map(argument, body->addArgument(type, argument.getLoc()));
    if (!stage.isShared(i))
      spreadOut.insert(argument);
  }
  for (Operation &op : stage.getBody().front().without_terminator())
    if (failed(spread(op)))
      return failure();
  send(stage.getSend(), sendsWords);
  auto messages = whole.getResults().take_front(stage.getNumResults());
  stage->replaceAllUsesWith(messages);
  stage.erase();
  return whole;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void SpreadInstances::runOnOperation() {
  FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
  InstanceWords words(getOperation());
  for (auto stage :
       llvm::make_early_inc_range(getOperation().getBody().getOps<StageOp>())) {
    words.lowerReads(stage);
    if (!stage.getInstances())
      continue;
    bool sendsWords = words.areSent(stage);
    if (failed(generalizeStage(stage, patterns)))
      return signalPassFailure();
    FailureOr<StageOp> whole = InstanceSpreader(stage).run(sendsWords);
    if (failed(whole))
      return signalPassFailure();
    if (sendsWords)
      words.addSender(*whole);
  }
}
