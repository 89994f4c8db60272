//===- StepBuilder.cpp - the body of a step of one instance ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/StepBuilder.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "dialects/gpuvm/SplitReduction.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Values of all instances
//===----------------------------------------------------------------------===//

/// The block argument for `value`, which is of type `type`.
Value StepBuilder::argument(Value value, RankedTensorType type) {
  Block &body = kernel.getBody().front();
  if (operands.insert(value))
    body.addArgument(type, kernel.getLoc());
  auto *place = llvm::find(operands, value);
  return body.getArgument(place - operands.begin());
}

/// `value` as it is in the chain; null if there are instances and it is made of
/// what is held, or by a root, which an instance has its own part of.
Value StepBuilder::full(Value value) {
  if (Value known = fullValues.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || isa<flow::HoldOp>(op)) {
    if (op && numDims() > 0)
      return Value();
    Value own = argument(value, cast<RankedTensorType>(value.getType()));
    fullValues.map(value, own);
    return own;
  }
  if (numDims() > 0 && (isa<RootOpInterface>(op) || isReduction(op)))
    return Value();
  for (Value operand : getOperandsAndTables(op))
    if (!full(operand))
      return Value();
  b.clone(*op, fullValues);
  return fullValues.lookup(value);
}

//===----------------------------------------------------------------------===//
// Values of one instance
//===----------------------------------------------------------------------===//

bool StepBuilder::hasInstances(RankedTensorType type) const {
  return type.getRank() >= int64_t(numDims()) &&
         type.getShape().take_front(numDims()) == instances;
}

RankedTensorType StepBuilder::ownType(RankedTensorType type) const {
  return RankedTensorType::get(type.getShape().drop_front(numDims()),
                               type.getElementType());
}

/// Whether `value` is made of what is held, or by the root of the step.
bool StepBuilder::isLocal(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<flow::HoldOp, RootOpInterface>(op) || isReduction(op))
    return true;
  auto [known, isNew] = local.try_emplace(value, false);
  if (!isNew)
    return known->second;
  bool is = llvm::any_of(getOperandsAndTables(op),
                         [&](Value operand) { return isLocal(operand); });
  return local[value] = is;
}

/// The row of a value of all instances that is this one's.
Value StepBuilder::pick(Value value) {
  Value all = full(value);
  if (!all)
    return Value();
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(all.getType());
  if (numDims() > 1) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (dim >= int64_t(numDims()))
        groups.emplace_back();
      groups.back().push_back(dim);
    }
    all = tensor::CollapseShapeOp::create(b, loc, all, groups);
  }
  if (!number)
    number = argument(Value(), RankedTensorType::get({}, b.getI32Type()));
  return GatherOp::create(b, loc, ownType(type), all, number);
}

Value StepBuilder::own(Value value) {
  if (numDims() == 0)
    return full(value);
  Value &known = ownValues[value];
  if (known)
    return known;
  Value made = makeOwn(value);
  return ownValues[value] = made;
}

Value StepBuilder::makeOwn(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!hasInstances(type))
    return Value();
  if (op && isa<flow::HoldOp>(op))
    return argument(value, ownType(type));
  if (op && isa<tensor::EmptyOp>(op))
    return tensor::EmptyOp::create(b, value.getLoc(), ownType(type).getShape(),
                                   type.getElementType());
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return arith::ConstantOp::create(b, value.getLoc(),
                                     splat.resizeSplat(ownType(type)));
  if (!isLocal(value))
    return pick(value);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](linalg::GenericOp generic) {
        return ownGeneric(generic, cast<OpResult>(value).getResultNumber());
      })
      .Case([&](tensor::ExtractSliceOp slice) { return ownSlice(slice); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](Operation *reshape) { return ownReshape(reshape); })
      .Case([&](tensor::ConcatOp concat) { return ownConcat(concat); })
      .Case([&](tensor::PadOp pad) { return ownPad(pad); })
      .Case([&](FftOp transform) { return ownTransform(transform); })
      .Default(Value());
}

//===----------------------------------------------------------------------===//
// What moves elements
//===----------------------------------------------------------------------===//

Value StepBuilder::ownSlice(tensor::ExtractSliceOp op) {
  unsigned dims = numDims();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned dim = 0; dim < dims; ++dim)
    if (op.getStaticOffsets()[dim] != 0 || op.getStaticStrides()[dim] != 1 ||
        dropped.test(dim))
      return Value();
  Value source = own(op.getSource());
  if (!source)
    return Value();
  return tensor::ExtractSliceOp::create(
      b, op.getLoc(), ownType(op.getType()), source,
      ArrayRef(op.getMixedOffsets()).drop_front(dims),
      ArrayRef(op.getMixedSizes()).drop_front(dims),
      ArrayRef(op.getMixedStrides()).drop_front(dims));
}

/// The groups of a reshape without those of the instances; nothing if these are
/// mixed with others.
static std::optional<SmallVector<ReassociationIndices>>
dropGroups(ArrayRef<ReassociationIndices> groups, int64_t dims) {
  SmallVector<ReassociationIndices> own;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (int64_t(i) < dims) {
      if (group.size() != 1)
        return std::nullopt;
      continue;
    }
    own.emplace_back();
    for (int64_t dim : group)
      own.back().push_back(dim - dims);
  }
  return own;
}

Value StepBuilder::ownReshape(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  auto groups =
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  auto ownGroups = dropGroups(groups, numDims());
  Value source = ownGroups ? own(op->getOperand(0)) : Value();
  if (!source)
    return Value();
  if (expand)
    return tensor::ExpandShapeOp::create(b, op->getLoc(), ownType(type), source,
                                         *ownGroups);
  return tensor::CollapseShapeOp::create(b, op->getLoc(), ownType(type), source,
                                         *ownGroups);
}

Value StepBuilder::ownConcat(tensor::ConcatOp op) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    if (op.getDim() < numDims() || !inputs.emplace_back(own(input)))
      return Value();
  return tensor::ConcatOp::create(b, op.getLoc(), op.getDim() - numDims(),
                                  inputs);
}

Value StepBuilder::ownPad(tensor::PadOp op) {
  unsigned dims = numDims();
  for (unsigned dim = 0; dim < dims; ++dim)
    if (op.getStaticLow()[dim] != 0 || op.getStaticHigh()[dim] != 0)
      return Value();
  Value padding = op.getConstantPaddingValue();
  Value source = padding ? own(op.getSource()) : Value();
  if (!source)
    return Value();
  Value constant = b.clone(*padding.getDefiningOp())->getResult(0);
  return tensor::PadOp::create(b, op.getLoc(), ownType(op.getType()), source,
                               ArrayRef(op.getMixedLowPad()).drop_front(dims),
                               ArrayRef(op.getMixedHighPad()).drop_front(dims),
                               constant);
}

Value StepBuilder::ownTransform(FftOp op) {
  int64_t dims = numDims();
  if (op.getTransformed() < dims || op.getPlaced() < dims || !op.getTwiddles())
    return Value();
  Value source = own(op.getSource()), twiddles = full(op.getTwiddles());
  if (!source || !twiddles)
    return Value();
  return FftOp::create(b, op.getLoc(), ownType(typeOf(op.getResult())), source,
                       twiddles, op.getInverseAttr(),
                       b.getI64IntegerAttr(op.getTransformed() - dims),
                       b.getI64IntegerAttr(op.getPlaced() - dims));
}

//===----------------------------------------------------------------------===//
// Loop nests
//===----------------------------------------------------------------------===//

/// The loops of `op` over the instances; nothing if its results have none.
static std::optional<SmallVector<unsigned>> loopsOver(linalg::GenericOp op,
                                                      unsigned dims) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> loops;
  for (AffineExpr expr : out.getResults().take_front(dims)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, dim.getPosition()) ||
        op.getIteratorTypesArray()[dim.getPosition()] !=
            utils::IteratorType::parallel)
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  if (loops.size() != dims)
    return std::nullopt;
  return loops;
}

/// What `operand` is for one instance, and where it is read.
bool StepBuilder::mapOperand(linalg::GenericOp op, OpOperand &operand,
                             ArrayRef<unsigned> loops, Value &value,
                             AffineMap &map) {
  AffineMap whole = op.getMatchingIndexingMap(&operand);
  ArrayRef<AffineExpr> places = whole.getResults();
  bool hasOwn = places.size() >= loops.size() &&
                llvm::all_of(llvm::zip(loops, places), [](auto pair) {
                  auto dim = dyn_cast<AffineDimExpr>(std::get<1>(pair));
                  return dim && dim.getPosition() == std::get<0>(pair);
                });
  if (hasOwn)
    places = places.drop_front(loops.size());
  for (AffineExpr place : places)
    for (unsigned loop : loops)
      if (place.isFunctionOfDim(loop))
        return false;
  value = hasOwn ? own(operand.get()) : full(operand.get());
  SmallVector<AffineExpr> dims;
  unsigned next = 0;
  for (unsigned dim = 0; dim < whole.getNumDims(); ++dim)
    dims.push_back(llvm::is_contained(loops, dim)
                       ? getAffineConstantExpr(0, b.getContext())
                       : getAffineDimExpr(next++, b.getContext()));
  SmallVector<AffineExpr> ownPlaces;
  for (AffineExpr place : places)
    ownPlaces.push_back(place.replaceDims(dims));
  map = AffineMap::get(next, 0, ownPlaces, b.getContext());
  return value != nullptr;
}

/// Has the body of `own`, a copy of that of `op`, read the tables of one
/// instance, and count loops without those over instances.
bool StepBuilder::mapTables(linalg::GenericOp op, ArrayRef<unsigned> loops,
                            linalg::GenericOp own) {
  auto isInstance = [&](Value index, unsigned loop) {
    auto number = index.getDefiningOp<linalg::IndexOp>();
    return number && number.getDim() == loop;
  };
  SmallVector<tensor::ExtractOp> reads;
  own.getBody()->walk([&](tensor::ExtractOp read) { reads.push_back(read); });
  for (tensor::ExtractOp read : reads) {
    Value table = read.getTensor();
    if (table.getParentRegion() != op->getParentRegion())
      return false;
    bool isOwn = read.getIndices().size() >= loops.size();
    for (auto [index, loop] : llvm::zip(read.getIndices(), loops))
      isOwn &= isInstance(index, loop);
    Value source = isOwn ? this->own(table) : full(table);
    if (!source)
      return false;
    OpBuilder inside(read);
    Value element = tensor::ExtractOp::create(
        inside, read.getLoc(), source,
        read.getIndices().drop_front(isOwn ? loops.size() : 0));
    read.replaceAllUsesWith(element);
    read.erase();
  }
  SmallVector<linalg::IndexOp> indices;
  own.getBody()->walk([&](linalg::IndexOp index) { indices.push_back(index); });
  for (linalg::IndexOp index : indices) {
    if (llvm::is_contained(loops, index.getDim())) {
      if (!index->use_empty())
        return false;
      index.erase();
      continue;
    }
    index.setDim(index.getDim() - llvm::count_if(loops, [&](unsigned loop) {
                   return loop < index.getDim();
                 }));
  }
  return true;
}

Value StepBuilder::ownGeneric(linalg::GenericOp op, unsigned result) {
  auto loops = loopsOver(op, numDims());
  if (!loops || (isReduction(op) && getReductionOrder(op).tiled))
    return Value();
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands())
    if (!mapOperand(op, operand, *loops, values.emplace_back(),
                    maps.emplace_back()))
      return Value();
  SmallVector<Type> types;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value own = values[init.getOperandNumber()];
    if (own.getType() != ownType(typeOf(init.get())))
      return Value(); // It is one for all instances.
    types.push_back(own.getType());
  }
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!llvm::is_contained(*loops, loop))
      iterators.push_back(iterator);
  ArrayRef<Value> all(values);
  auto own = linalg::GenericOp::create(
      b, op.getLoc(), types, all.take_front(op.getNumDpsInputs()),
      all.drop_front(op.getNumDpsInputs()), maps, iterators);
  own->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  own->removeAttr(kInstancesAttr);
  IRMapping inside;
  op.getRegion().cloneInto(&own.getRegion(), inside);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(own);
  if (!mapTables(op, *loops, own))
    return Value();
  if (isReduction(op))
    keepReductionOrder(op, own);
  for (auto [whole, part] :
       llvm::zip_equal(op->getResults(), own->getResults()))
    ownValues[whole] = part;
  return own->getResult(result);
}
