//===- InstanceSpreader.cpp - a body for all instances --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/InstanceSpreader.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "passes/analysis/Commands.h"
#include "passes/expand/ReadElements.h"
#include "passes/expand/ScatterRows.h"
#include "passes/program/InstanceWords.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

RankedTensorType InstanceSpreader::wholeType(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
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
  if (Attribute order = op->getAttr(kOrderAttr))
    whole->setAttr(kOrderAttr, order);
  b.cloneRegionBefore(op.getRegion(), whole.getRegion(),
                      whole.getRegion().end(), values);
  whole.walk([](linalg::IndexOp index) { index.setDim(index.getDim() + 1); });
  spreadTables(whole);
  values.map(op.getResults(), whole.getResults());
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

/// Whether instances have results of their own.
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
      .Case([&](AttentionOp o) { return spreadAttention(o); })
      .Case([&](FftOp o) { return spreadFft(o); })
      .Case([&](ConvolveOp o) { return spreadConvolve(o); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](Operation *o) { return spreadReshape(o); })
      .Default([](Operation *) { return Value(); });
}

/// Each instance stores its own, so all of them the whole symbol.
LogicalResult InstanceSpreader::spreadStore(StoreOp op) {
  Value whole = wholeOf(op.getValue());
  if (op.getPosition()) {
    SymbolInfo symbol = lookupSymbol(stage, op.getSymbol());
    if (!hasWordNumbers(symbol.type))
      return op.emitOpError("stores at a position of a symbol of ")
             << symbol.type.getNumElements()
             << " elements (at most 2147483647 have positions)";
    Value old = LoadOp::create(b, op.getLoc(), symbol.type, op.getSymbol(),
                               /*offset=*/IntegerAttr());
    whole = scatterRows(b, op.getLoc(), whole, wholeOf(op.getPosition()), old);
  }
  StoreOp::create(b, op.getLoc(), whole, op.getSymbol());
  return success();
}

LogicalResult InstanceSpreader::spread(Operation &op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return spreadStore(store);
  if (!differs(op)) {
    b.clone(op, values);
    return success();
  }
  spreadOut.insert(op.result_begin(), op.result_end());
  if (auto metadata = dyn_cast<MetadataOp>(op)) {
    spreadMetadata(metadata);
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    spreadGeneric(generic);
  } else if (isa<SortRunsOp, MergeRunsOp, MergeOp, CountDigitsOp,
                 ScatterDigitsOp>(op)) {
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
  whole.setPredicateAttr(stage.getPredicateAttr());
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
