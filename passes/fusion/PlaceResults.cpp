//===- PlaceResults.cpp - results stored where they belong ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that is appended to a cache is made by a reduction (a product) and
// stored by a scatter, which waits for it; results that are concatenated are
// read and written once more. Where each element has a place of its own, the
// lanes that finish the elements store them there: one dispatch and one barrier
// less. A concatenation is stored piece by piece.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/analysis/Alternative.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/analysis/Reductions.h"
#include "kernels/analysis/Updates.h"
#include "kernels/family/Family.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/PruneKernel.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/expand/ScatterRows.h"
#include "passes/fusion/GroupingLimits.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PLACERESULTS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-place-results"
ALWAYS_ENABLED_STATISTIC(numPlaced, "Kernels that reductions do without");

namespace {

/// A kernel that moves results of reductions: a scatter, or a map that
/// concatenates them.
class Placer {
public:
  Placer(flow::DispatchOp kernel, const Effects &effects,
         uint64_t maxWindowBytes)
      : kernel(kernel), effects(effects), maxWindowBytes(maxWindowBytes) {}
  /// False if the kernel stays as it is.
  bool run();

private:
  /// The results whose elements one kernel makes.
  struct Part {
    flow::DispatchOp maker;
    SmallVector<unsigned> results;
  };

  Value elementsOf(unsigned result);
  flow::DispatchOp findMaker(Value update);
  bool isOf(Value inside, flow::DispatchOp maker);
  bool isReadInPlace(Value value, flow::DispatchOp maker);
  bool isMadeOfPieces(Value value, flow::DispatchOp maker, int64_t count);
  bool canWait(flow::DispatchOp maker);
  bool fits(const Part &part);
  void apply(const Part &part);

  flow::DispatchOp kernel;
  const Effects &effects;
  uint64_t maxWindowBytes;
  ScatterOp scatter;                                         ///< Null in a map.
  llvm::DenseMap<std::pair<Value, Operation *>, bool> known; ///< isOf
};

/// Builds the end of a kernel: clones of what the kernel that moves its results
/// does with them.
class EndBuilder {
public:
  EndBuilder(OpBuilder &b, IRMapping &known) : b(b), known(known) {}
  /// The result of scatters that store the pieces of update `number`.
  Value store(ScatterOp scatter, unsigned number);
  /// The result of scatters that store the pieces of `value`.
  Value store(Value value);

private:
  struct Piece {
    Value elements, positions; ///< Of one dimension.
  };
  Value clone(Value value);
  ScatterOp scatter(const Piece &piece, Value whole);
  void addPieces(Value update, Value positions, SmallVectorImpl<Piece> &pieces);
  Value flatten(Value value) {
    return reshapeTo(b, value.getLoc(), value,
                     {typeOf(value).getNumElements()});
  }

  OpBuilder &b;
  IRMapping &known; ///< Values of the other kernel.
};

struct PlaceResults : gpuvm::impl::PlaceResultsBase<PlaceResults> {
  using Base::Base;
  void runOnOperation() override {
    const Effects *effects = &getAnalysis<Effects>();
    std::optional<Effects> own; // Of the program as it has become.
    for (auto kernel : listOps<flow::DispatchOp>(getOperation()))
      if (Placer(kernel, *effects, maxWindowBytes).run()) {
        ++numPlaced;
        effects = &own.emplace(getOperation());
      }
    if (own)
      own->orderProgram();
    else
      markAllAnalysesPreserved();
  }
};

} // namespace

static YieldOp yieldOf(flow::DispatchOp kernel) {
  return cast<YieldOp>(kernel.getBody().front().getTerminator());
}

/// The only operand of an elementwise operation that has no other, and computes
/// an element of nothing but the operand's; null for other operations.
static Value onlyOperand(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 || !getTables(op).empty() ||
      !op.getBody()->getOps<linalg::IndexOp>().empty() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return Value();
  return op.getInputs().front();
}

//===----------------------------------------------------------------------===//
// What may be fused
//===----------------------------------------------------------------------===//

/// Whether `inside`, a value in the kernel, is made of results of `maker`.
bool Placer::isOf(Value inside, flow::DispatchOp maker) {
  if (auto argument = dyn_cast<BlockArgument>(inside))
    return kernel.getInputs()[argument.getArgNumber()].getDefiningOp() == maker;
  auto [entry, isNew] = known.try_emplace({inside, maker}, false);
  if (!isNew)
    return entry->second;
  bool isMade =
      llvm::any_of(getOperandsAndTables(inside.getDefiningOp()),
                   [&](Value operand) { return isOf(operand, maker); });
  return known[{inside, maker}] = isMade;
}

/// What the elements of result `result` of the kernel are: an update, or all of
/// it.
Value Placer::elementsOf(unsigned result) {
  Value yielded = yieldOf(kernel).getValues()[result];
  return scatter
             ? scatter.getUpdates()[getRootResult(yielded).getResultNumber()]
             : yielded;
}

/// The kernel whose results `update` is made of; null if there are several.
flow::DispatchOp Placer::findMaker(Value update) {
  llvm::SmallSetVector<Value, 8> seen;
  seen.insert(update);
  flow::DispatchOp maker;
  for (size_t i = 0; i < seen.size(); ++i) {
    Value value = seen[i];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto source = kernel.getInputs()[argument.getArgNumber()]
                        .getDefiningOp<flow::DispatchOp>();
      if (!source || !getFamily(source).placesResults())
        continue;
      if (maker && maker != source)
        return flow::DispatchOp();
      maker = source;
    } else {
      seen.insert_range(getOperandsAndTables(value.getDefiningOp()));
    }
  }
  return maker;
}

/// Whether an element of `value` is made of the same elements of the maker's
/// results, and of other things.
bool Placer::isReadInPlace(Value value, flow::DispatchOp maker) {
  llvm::SmallSetVector<Value, 8> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (!op || !isOf(seen[i], maker))
      continue;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      seen.insert(op->getOperand(0));
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic.getNumReductionLoops() != 0 ||
        llvm::any_of(getTables(generic),
                     [&](Value table) { return isOf(table, maker); }))
      return false;
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      if (isOf(operand->get(), maker) &&
          !generic.getMatchingIndexingMap(operand).isIdentity())
        return false;
      seen.insert(operand->get());
    }
  }
  return true;
}

/// Whether `value` consists of pieces of `count` elements that are.
bool Placer::isMadeOfPieces(Value value, flow::DispatchOp maker,
                            int64_t count) {
  if (typeOf(value).getNumElements() == count && isReadInPlace(value, maker))
    return isOf(value, maker);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return isMadeOfPieces(op->getOperand(0), maker, count);
  if (auto concat = dyn_cast_or_null<tensor::ConcatOp>(op))
    return llvm::all_of(concat.getInputs(), [&](Value part) {
      return isMadeOfPieces(part, maker, count);
    });
  Value operand = onlyOperand(value);
  return operand && isMadeOfPieces(operand, maker, count);
}

/// Whether nothing comes after `maker` and before the kernel.
bool Placer::canWait(flow::DispatchOp maker) {
  if (!effects.areTogether(maker, kernel))
    return false;
  SmallVector<Operation *> others(effects.before(kernel));
  llvm::erase(others, maker);
  return !effects.withAllBefore(others).contains(maker);
}

bool Placer::fits(const Part &part) {
  flow::DispatchOp maker = part.maker;
  linalg::GenericOp first = getReductions(maker).front();
  int64_t count = typeOf(first->getResult(0)).getNumElements();
  for (Value input : kernel.getInputs())
    if (input.getDefiningOp() == maker) {
      unsigned result = cast<OpResult>(input).getResultNumber();
      StoredUpdate made = getUpdates(yieldOf(maker).getValues()[result])[0];
      if (made.scatter || typeOf(made.value).getNumElements() != count)
        return false;
    }
  bool isLong = llvm::any_of(kernel->getResultTypes(), [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return !hasWordNumbers(tensor) || countWindows(tensor, maxWindowBytes) > 1;
  });
  unsigned windows = maker.getInputs().size() + kernel.getInputs().size() +
                     maker->getNumResults();
  if (isLong || windows > GroupingLimits(kernel, maxWindowBytes).windows)
    return false;
  bool isMoved = llvm::all_of(part.results, [&](unsigned result) {
    Value elements = elementsOf(result);
    // An elementwise kernel stays: there was a reason to have it.
    bool isLonger = scatter || typeOf(elements).getNumElements() > count;
    return isLonger && isMadeOfPieces(elements, maker, count) &&
           (!scatter || (!isOf(scatter.getInitial()[0], maker) &&
                         !isOf(scatter.getPositions(), maker)));
  });
  return isMoved && canWait(maker);
}

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

Value EndBuilder::clone(Value value) {
  if (Value there = known.lookupOrNull(value))
    return there;
  Operation *op = value.getDefiningOp();
  for (Value operand : getOperandsAndTables(op))
    clone(operand);
  b.clone(*op, known);
  return known.lookup(value);
}

/// `positions` are those of all elements of `update`, in one dimension.
void EndBuilder::addPieces(Value update, Value positions,
                           SmallVectorImpl<Piece> &pieces) {
  Operation *op = update.getDefiningOp();
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return addPieces(op->getOperand(0), positions, pieces);
  if (auto concat = dyn_cast_or_null<tensor::ConcatOp>(op)) {
    Location loc = concat.getLoc();
    RankedTensorType whole = typeOf(concat.getResult());
    Value all = reshapeTo(b, loc, positions, whole.getShape());
    SmallVector<OpFoldResult> offsets(whole.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(whole.getRank(), b.getIndexAttr(1));
    int64_t done = 0;
    for (Value part : concat.getInputs()) {
      ArrayRef<int64_t> shape = typeOf(part).getShape();
      offsets[concat.getDim()] = b.getIndexAttr(done);
      done += shape[concat.getDim()];
      Value own = tensor::ExtractSliceOp::create(
          b, loc, all, offsets, getAsIndexOpFoldResult(b.getContext(), shape),
          strides);
      addPieces(part, flatten(own), pieces);
    }
    return;
  }
  Value operand = onlyOperand(update);
  if (!operand)
    return pieces.push_back({flatten(clone(update)), positions}), void();
  size_t first = pieces.size();
  addPieces(operand, positions, pieces);
  auto map = cast<linalg::GenericOp>(op);
  for (Piece &piece : MutableArrayRef(pieces).drop_front(first))
    piece.elements =
        makeElements(b, map.getLoc(), typeOf(piece.elements).getShape(),
                     typeOf(update).getElementType(), piece.elements,
                     [&](ScalarBuilder &s, ArrayRef<Expr>,
                         ArrayRef<Expr> elements) -> SmallVector<Value> {
                       return s.inlineBlock(*map.getBody(),
                                            {elements[0], elements[0]});
                     })
            .getResult(0);
}

ScatterOp EndBuilder::scatter(const Piece &piece, Value whole) {
  auto part = ScatterOp::create(
      b, whole.getLoc(), whole.getType(), piece.elements, piece.positions,
      whole, b.getArrayAttr(RuleAttr::get(b.getContext(), Rule::last)));
  part.setDistinct(true);
  return part;
}

Value EndBuilder::store(ScatterOp op, unsigned number) {
  Value condition = getUpdateCondition(op), positions = op.getPositions();
  if (condition) // Of each piece, where passes look for it.
    positions =
        getAlternative(positions.getDefiningOp<linalg::GenericOp>())->yes;
  SmallVector<Piece> pieces;
  addPieces(op.getUpdates()[number], clone(positions), pieces);
  Value whole = clone(op.getInitial()[number]);
  for (const Piece &piece : pieces) {
    ScatterOp part = scatter(piece, whole);
    if (condition)
      updateOnCondition(part, clone(condition));
    whole = part.getResult(0);
  }
  return whole;
}

Value EndBuilder::store(Value value) {
  RankedTensorType type = typeOf(value);
  Location loc = value.getLoc();
  int64_t count = type.getNumElements();
  Value positions =
      makeWords(b, loc, {count}, {},
                [](ScalarBuilder &, ArrayRef<Expr> indices, ArrayRef<Expr>) {
                  return indices.front().signedToWord();
                });
  SmallVector<Piece> pieces;
  addPieces(value, positions, pieces);
  Value whole =
      tensor::EmptyOp::create(b, loc, ArrayRef{count}, type.getElementType());
  for (const Piece &piece : pieces)
    whole = scatter(piece, whole).getResult(0);
  return whole;
}

void Placer::apply(const Part &part) {
  flow::DispatchOp maker = part.maker;
  SmallVector<Value> inputs(maker.getInputs());
  llvm::append_range(inputs, kernel.getInputs());
  // What others read of the maker, then what is stored.
  SmallVector<OpResult> kept;
  for (OpResult result : maker->getResults())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return user != kernel; }))
      kept.push_back(result);
  SmallVector<Type> types;
  for (OpResult result : kept)
    types.push_back(result.getType());
  for (unsigned number : part.results)
    types.push_back(kernel->getResult(number).getType());
  SmallVector<Attribute> stages(maker.getStages().getValue());
  for (Attribute stage : kernel.getStages())
    if (!llvm::is_contained(stages, stage))
      stages.push_back(stage);

  OpBuilder b(kernel);
  auto fused = flow::DispatchOp::create(
      b, maker.getLoc(), types, maker.getSymNameAttr(),
      maker.getRootAttr().getValue(), b.getArrayAttr(stages), inputs);
  Block *body = b.createBlock(&fused.getBody());
  IRMapping known;
  auto addArguments = [&](flow::DispatchOp of) {
    for (BlockArgument argument : of.getBody().getArguments())
      known.map(Value(argument), Value(body->addArgument(argument.getType(),
                                                         argument.getLoc())));
  };
  addArguments(maker);
  for (Operation &op : maker.getBody().front().without_terminator())
    b.clone(op, known);
  addArguments(kernel);
  for (auto [input, argument] :
       llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments()))
    if (input.getDefiningOp() == maker)
      known.map(Value(argument),
                known.lookup(
                    yieldOf(maker)
                        .getValues()[cast<OpResult>(input).getResultNumber()]));
  SmallVector<Value> yielded;
  for (OpResult result : kept)
    yielded.push_back(
        known.lookup(yieldOf(maker).getValues()[result.getResultNumber()]));
  EndBuilder end(b, known);
  for (unsigned number : part.results) {
    Value old = yieldOf(kernel).getValues()[number];
    Value whole = scatter
                      ? end.store(scatter, getRootResult(old).getResultNumber())
                      : end.store(old);
    yielded.push_back(
        reshapeTo(b, whole.getLoc(), whole, typeOf(old).getShape()));
  }
  YieldOp::create(b, maker.getLoc(), yielded);

  for (auto [result, own] :
       llvm::zip_equal(kept, fused->getResults().take_front(kept.size())))
    result.replaceAllUsesExcept(own, kernel);
  for (auto [number, own] : llvm::zip_equal(
           part.results, fused->getResults().drop_front(kept.size())))
    kernel->getResult(number).replaceAllUsesWith(own);
  pruneKernel(fused); // Operands that are left over.
}

bool Placer::run() {
  if (getFamily(kernel).placesResults())
    return false; // It is what others are fused into.
  auto roots = kernel.getBody().getOps<RootOpInterface>();
  if (!roots.empty()) {
    scatter = dyn_cast<ScatterOp>((*roots.begin()).getOperation());
    if (!scatter || !scatter.getDistinct())
      return false;
  }
  SmallVector<Part> parts;
  for (unsigned number = 0; number < kernel->getNumResults(); ++number) {
    flow::DispatchOp maker = findMaker(elementsOf(number));
    if (!maker)
      return false;
    auto part = llvm::find_if(
        parts, [&](const Part &part) { return part.maker == maker; });
    if (part == parts.end())
      part = parts.insert(parts.end(), Part{maker, {}});
    part->results.push_back(number);
  }
  if (!llvm::all_of(parts, [&](const Part &part) { return fits(part); }))
    return false;
  SmallVector<flow::DispatchOp> makers;
  for (const Part &part : parts) {
    apply(part);
    makers.push_back(part.maker);
  }
  kernel.erase();
  for (flow::DispatchOp maker : makers)
    maker.erase();
  return true;
}
