//===- KernelCondition.cpp - predicates of selects in kernels -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/KernelCondition.h"

#include "kernels/Launches.h"
#include "kernels/analysis/Alternative.h"
#include "kernels/analysis/Updates.h"
#include "passes/analysis/Commands.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The value outside that `value`, in the body of a kernel, is; null if the
/// body computes it.
static Value outsideOf(flow::DispatchOp kernel, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &kernel.getBody().front()
             ? kernel.getInputs()[argument.getArgNumber()]
             : Value();
}

/// The operations of the kernel that compute `inside`, in their order.
static llvm::SetVector<Operation *> operationsOf(Value inside) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  Block *body = inside.getParentBlock();
  options.filter = [&](Operation *op) { return op->getBlock() == body; };
  // Fails only for operations that are not there yet.
  (void)getBackwardSlice(inside, &slice, options);
  return slice;
}

bool gpuvm::isOnElements(Operation *op) {
  auto isElement = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getRank() == 0;
  };
  return isa<linalg::GenericOp, arith::ConstantOp, tensor::EmptyOp>(op) &&
         llvm::all_of(op->getOperandTypes(), isElement) &&
         llvm::all_of(op->getResultTypes(), isElement) &&
         !op->walk([](tensor::ExtractOp) {
              return WalkResult::interrupt();
            }).wasInterrupted();
}

void gpuvm::runAlways(flow::DispatchOp dispatch) {
  dispatch.removeTiesAttr();
  Block &body = dispatch.getBody().front();
  Operation *yield = body.getTerminator();
  for (unsigned i = 0; i < yield->getNumOperands(); ++i) {
    std::optional<unsigned> operand = dispatch.getOtherwiseOperand(i);
    if (!operand)
      continue;
    if (getRootResult(yield->getOperand(i)) && dispatch.getTiedOperand(i))
      continue; // It updates the operand under a condition of its own.
    OpOperand *made = &yield->getOpOperand(i);
    if (auto held = dyn_cast<OpResult>(made->get());
        held && isa<flow::HoldOp>(held.getOwner()))
      made = &held.getOwner()->getOpOperand(held.getResultNumber());
    OpBuilder b(made->getOwner());
    Value condition =
        body.getArgument(addInput(dispatch, dispatch.getPredicate()));
    Value yes = made->get(), no = body.getArgument(*operand);
    if (dispatch.getUnless())
      std::swap(yes, no);
    made->set(chooseElements(b, dispatch.getLoc(), condition, yes, no));
  }
  dispatch.removeOtherwiseAttr();
  dispatch.setUnless(false);
  dispatch.getPredicateMutable().clear();
  if (dispatch.getLaunches())
    refitLaunches(dispatch);
}

std::optional<KernelCondition> KernelCondition::get(flow::DispatchOp kernel,
                                                    Value inside) {
  if (Value made = outsideOf(kernel, inside))
    return KernelCondition(made);
  if (!llvm::all_of(operationsOf(inside), isOnElements))
    return std::nullopt;
  return KernelCondition(kernel, inside);
}

namespace {
/// Compares what two kernels compute.
class Comparison {
public:
  Comparison(flow::DispatchOp a, flow::DispatchOp b) : a(a), b(b) {}
  bool areSame(Value inA, Value inB) {
    if (same.lookup(inA) == inB)
      return true;
    Value outA = outsideOf(a, inA), outB = outsideOf(b, inB);
    if (outA || outB)
      return outA == outB;
    auto resultA = dyn_cast<OpResult>(inA), resultB = dyn_cast<OpResult>(inB);
    if (!resultA || !resultB ||
        resultA.getResultNumber() != resultB.getResultNumber())
      return false;
    return OperationEquivalence::isEquivalentTo(
        resultA.getOwner(), resultB.getOwner(),
        [&](Value x, Value y) { return success(areSame(x, y)); },
        [&](Value x, Value y) { same[x] = y; },
        OperationEquivalence::IgnoreLocations);
  }

private:
  flow::DispatchOp a, b;
  llvm::DenseMap<Value, Value> same; ///< As far as it is known.
};
} // namespace

bool KernelCondition::is(flow::DispatchOp other, Value value) const {
  if (made)
    return outsideOf(other, value) == made;
  return Comparison(kernel, other).areSame(inside, value);
}

bool KernelCondition::operator==(const KernelCondition &other) const {
  return other.made ? made == other.made : is(other.kernel, other.inside);
}

SmallVector<Value> KernelCondition::getSources() const {
  if (made)
    return {made};
  llvm::SetVector<Value> sources;
  for (Operation *op : operationsOf(inside))
    for (Value operand : op->getOperands())
      if (Value source = outsideOf(kernel, operand))
        sources.insert(source);
  return sources.takeVector();
}

unsigned gpuvm::addInput(flow::DispatchOp kernel, Value value) {
  auto inputs = kernel.getInputs();
  auto found = llvm::find(inputs, value);
  unsigned number = std::distance(inputs.begin(), found);
  if (found == inputs.end()) {
    kernel.getInputsMutable().append(value);
    kernel.getBody().addArgument(value.getType(), kernel.getLoc());
  }
  return number;
}

Value KernelCondition::compute(flow::DispatchOp other, Operation *place) const {
  if (made)
    return other.getBody().getArgument(addInput(other, made));
  IRMapping values;
  for (auto [input, argument] :
       llvm::zip_equal(flow::DispatchOp(kernel).getInputs(),
                       flow::DispatchOp(kernel).getBody().getArguments()))
    if (llvm::is_contained(getSources(), input))
      values.map(argument, other.getBody().getArgument(addInput(other, input)));
  OpBuilder b(place);
  for (Operation *op : operationsOf(inside))
    b.clone(*op, values);
  return values.lookup(inside);
}

/// The operation that `kernel` is or is in, out of all loops that do not
/// compute `sources`.
static Operation *getPlace(flow::DispatchOp kernel, ValueRange sources) {
  Operation *place = kernel;
  auto isMadeInside = [&](Value source) {
    return place->getParentRegion()->isAncestor(source.getParentRegion());
  };
  while (isa<flow::LoopOp>(place->getParentOp()) &&
         llvm::none_of(sources, isMadeInside))
    place = place->getParentOp();
  return place;
}

/// A kernel that computes only `inside`, of `sources`, before the one that
/// computes it now.
static flow::DispatchOp buildKernel(flow::DispatchOp kernel, Value inside,
                                    ValueRange sources) {
  OpBuilder b(getPlace(kernel, sources));
  Location loc = kernel.getLoc();
  StringAttr name = freeName(kernel->getParentOfType<ProgramOp>(),
                             kernel.getSymName() + "_condition");
  auto judge = flow::DispatchOp::create(b, loc, inside.getType(), name,
                                        Root::map, kernel.getStages(), sources);
  Block *body = b.createBlock(&judge.getBody());
  IRMapping values;
  for (Value source : sources) {
    unsigned number = addInput(kernel, source); // Which it has.
    values.map(kernel.getBody().getArgument(number),
               body->addArgument(source.getType(), loc));
  }
  for (Operation *op : operationsOf(inside))
    b.clone(*op, values);
  YieldOp::create(b, loc, values.lookup(inside));
  return judge;
}

Value KernelCondition::make(ArrayRef<flow::DispatchOp> kernels) {
  if (made)
    return made;
  flow::DispatchOp judge = buildKernel(kernel, inside, getSources());
  for (flow::DispatchOp other : kernels)
    for (Operation &op : other.getBody().front())
      for (Value value : op.getResults())
        if (value.getType() == inside.getType() && is(other, value))
          value.replaceAllUsesWith(other.getBody().getArgument(
              addInput(other, judge->getResult(0))));
  made = judge->getResult(0);
  return made;
}
