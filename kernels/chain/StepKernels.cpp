//===- StepKernels.cpp - steps of a chain as kernels ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/StepKernels.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/InPlace.h"
#include "kernels/chain/ChainSteps.h"
#include "kernels/chain/StepBuilder.h"
#include "kernels/family/RootEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

bool gpuvm::fitsRegisters(Operation *op) {
  if (isReduction(op) || isa<RootOpInterface>(op))
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return !generic || (!hasLoops(generic) && getTables(generic).empty());
}

bool gpuvm::isOfMaps(flow::DispatchOp chain) {
  return llvm::all_of(chain.getBody().front(),
                      [](Operation &op) { return fitsRegisters(&op); });
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

Root gpuvm::getRootOf(ArrayRef<Operation *> ops) {
  Root root = Root::map;
  for (Operation *op : ops)
    if (auto own = dyn_cast<RootOpInterface>(op))
      root = own.getRoot();
    else if (isReduction(op))
      root = Root::reduce;
  return root;
}

std::unique_ptr<KernelLayout> gpuvm::layOutStep(flow::DispatchOp kernel) {
  const KernelFamily &family = getFamily(kernel);
  TargetAttr target = getMainTarget(kernel);
  std::unique_ptr<KernelLayout> layout = family.layOut(kernel, target);
  bool fits = family.changeForm(kernel, kPlainForm, target, layout) &&
              family.fitToOneGroup(*layout) && !mayLoopLong(kernel, *layout);
  return fits ? std::move(layout) : nullptr;
}

/// A program like that around `chain`, in a module like that, which say what
/// kernels are laid out for; sets the insertion point into it.
static OwningOpRef<ModuleOp> makeModule(flow::DispatchOp chain, OpBuilder &b) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(chain.getLoc());
  if (auto around = chain->getParentOfType<ModuleOp>())
    (*module)->setAttrs(around->getAttrDictionary());
  b.setInsertionPointToStart(module->getBody());
  if (auto around = chain->getParentOfType<ProgramOp>()) {
    Operation *program = b.insert(around->cloneWithoutRegions());
    b.createBlock(&program->getRegion(0));
  }
  return module;
}

/// The step that ends with `hold`, for one of `dims`; false if it is none for
/// one workgroup.
static bool makeStep(flow::HoldOp hold, ArrayRef<int64_t> dims,
                     StepKernel &step) {
  auto chain = hold->getParentOfType<flow::DispatchOp>();
  OpBuilder b(hold.getContext());
  step.hold = hold;
  step.module = makeModule(chain, b);
  SmallVector<Type> types;
  for (Value value : hold.getValues())
    types.push_back(
        RankedTensorType::get(typeOf(value).getShape().drop_front(dims.size()),
                              typeOf(value).getElementType()));
  step.kernel = flow::DispatchOp::create(
      b, hold.getLoc(), types, chain.getSymNameAttr(),
      getRootOf(collectStep(hold).ops), b.getArrayAttr({}), ValueRange());
  Block *body = b.createBlock(&step.kernel.getBody());
  StepBuilder builder(step.kernel, dims);
  SmallVector<Value> made;
  for (Value value : hold.getValues())
    if (!made.emplace_back(builder.own(value)))
      return false;
  YieldOp::create(b, hold.getLoc(), made);
  step.operands = llvm::to_vector(builder.getOperands());
  b.setInsertionPoint(step.kernel);
  for (BlockArgument argument : body->getArguments())
    step.kernel.getInputsMutable().append(
        tensor::EmptyOp::create(b, hold.getLoc(), typeOf(argument).getShape(),
                                typeOf(argument).getElementType())
            .getResult());
  step.layout = layOutStep(step.kernel);
  return step.layout != nullptr;
}

//===----------------------------------------------------------------------===//
// All steps
//===----------------------------------------------------------------------===//

/// The leading dimensions that all that is held has.
static SmallVector<int64_t> commonDims(flow::DispatchOp chain) {
  std::optional<SmallVector<int64_t>> common;
  for (auto hold : chain.getBody().getOps<flow::HoldOp>())
    for (Value value : hold.getHeld()) {
      ArrayRef<int64_t> shape = typeOf(value).getShape();
      if (!common)
        common = llvm::to_vector(shape);
      auto [end, _] = llvm::mismatch(*common, shape);
      common->erase(end, common->end());
    }
  return common.value_or(SmallVector<int64_t>());
}

/// A subgroup of most devices, and the elements for which an instance is worth
/// a workgroup.
static constexpr int64_t kMinLanes = 32, kMinWork = 16;

/// The most elements that a step of one instance goes through.
static int64_t countWork(const StepsPlan &plan) {
  int64_t most = 0;
  for (const StepKernel &step : plan.steps)
    most = std::max(most, step.layout->elements * step.layout->results);
  return most;
}

/// Maps run with any lanes, so there are no more than they have elements.
static void chooseLanes(StepsPlan &plan) {
  for (const StepKernel &step : plan.steps)
    if (flow::DispatchOp(step.kernel).getRoot() != Root::map)
      return;
  plan.lanes = std::clamp<int64_t>(llvm::PowerOf2Ceil(countWork(plan)),
                                   kMinLanes, KernelLayout::kLanes);
  for (StepKernel &step : plan.steps)
    step.layout->lanes = plan.lanes;
}

/// Workgroups of a dispatch that every device allows in one dimension.
static constexpr int64_t kMaxInstances = 65535;

std::optional<StepsPlan> gpuvm::planSteps(flow::DispatchOp chain) {
  SmallVector<int64_t> dims = commonDims(chain);
  for (size_t count = dims.size() + 1; count-- > 0;) {
    dims.truncate(count);
    StepsPlan plan;
    plan.dims = dims;
    if (count > 0 &&
        (plan.numInstances() == 1 || plan.numInstances() > kMaxInstances))
      continue;
    bool runs = true;
    for (auto hold : chain.getBody().getOps<flow::HoldOp>())
      runs = runs && makeStep(hold, dims, plan.steps.emplace_back());
    if (!runs || (count > 0 && countWork(plan) < kMinWork))
      continue;
    chooseLanes(plan);
    return plan;
  }
  return std::nullopt;
}

bool StepsPlan::isRead(Value held) const {
  return llvm::any_of(steps, [&](const StepKernel &step) {
    return llvm::is_contained(step.operands, held);
  });
}

/// Bytes of a value of one instance that workgroup memory may hold: a quarter
/// of what every device has.
static constexpr uint64_t kMaxKeptBytes = 4096;

static bool isLarge(const StepsPlan &plan, Value held) {
  return tensorBytes(typeOf(held)) > kMaxKeptBytes * plan.numInstances();
}

SmallVector<Value> gpuvm::findLarge(const StepsPlan &plan) {
  SmallVector<Value> large;
  for (const StepKernel &step : plan.steps)
    for (Value held : flow::HoldOp(step.hold).getHeld())
      if (isLarge(plan, held) && plan.isRead(held))
        large.push_back(held);
  return large;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
/// Emits the steps one after the other, with a barrier between them.
class StepsEmitter : RootEmitter {
public:
  StepsEmitter(EmitterContext &context, StepsPlan plan)
      : RootEmitter(context), plan(std::move(plan)) {}
  LogicalResult run();

private:
  void findInstance();
  void bindHeld(Value held, unsigned number);
  LogicalResult emitStep(StepKernel &step);

  StepsPlan plan;
  DenseMap<Value, unsigned> bindings; ///< Of what steps read and hold.
  Value instance;                     ///< Its number; null if there is one.
};
} // namespace

/// Bindings of values that have no window.
static constexpr unsigned kFirstKept = 1 << 16;

/// To the families each instance is the only workgroup.
void StepsEmitter::findInstance() {
  if (!plan.dims.empty()) {
    Expr group = k.groupId();
    instance = group.toWord();
    for (auto [value, binding] :
         llvm::zip_equal(c.op.getOutputs(), c.bindings.outputs)) {
      int64_t own = typeOf(value).getNumElements() / plan.numInstances();
      k.shiftWindow(binding, group * own, own);
    }
  }
  k.setGroup(k.index(0));
}

/// What no step reads, and what is large, is only in its window.
void StepsEmitter::bindHeld(Value held, unsigned number) {
  SmallVector<unsigned> windows;
  Operation *yield = c.op.getBody().front().getTerminator();
  for (auto [value, binding] :
       llvm::zip_equal(yield->getOperands(), c.bindings.outputs))
    if (value == held)
      windows.push_back(binding);
  bool isRead = plan.isRead(held);
  if (windows.size() == 1 && (!isRead || isLarge(plan, held))) {
    bindings[held] = windows.front();
    if (isRead)
      k.markCoherent(windows.front());
    return;
  }
  bindings[held] = kFirstKept + number;
  k.keepInWorkgroup(kFirstKept + number, typeOf(held).getElementType(),
                    typeOf(held).getNumElements() / plan.numInstances(),
                    windows);
}

LogicalResult StepsEmitter::emitStep(StepKernel &step) {
  BindingLayout own;
  for (Value operand : step.operands)
    own.inputs.push_back(operand ? bindings.lookup(operand) : 0);
  for (Value held : step.hold.getHeld())
    own.outputs.push_back(bindings.lookup(held));
  ElementEmitter elements(
      k,
      [&own](BlockArgument argument) {
        return own.inputs[argument.getArgNumber()];
      },
      c.exact);
  for (auto [operand, argument] :
       llvm::zip_equal(step.operands, step.kernel.getBody().getArguments()))
    if (!operand)
      elements.bind(argument, instance);
  EmitterContext context{step.kernel, *step.layout, own,    k,
                         elements,    c.exact,      c.spins};
  return getFamily(step.kernel).emit(context);
}

LogicalResult StepsEmitter::run() {
  for (auto [argument, binding] :
       llvm::zip_equal(c.op.getBody().getArguments(), c.bindings.inputs))
    bindings[argument] = binding;
  findInstance();
  unsigned number = 0;
  for (StepKernel &step : plan.steps)
    for (Value held : step.hold.getHeld())
      bindHeld(held, number++);
  for (auto [i, step] : llvm::enumerate(plan.steps)) {
    if (i > 0)
      k.stepBarrier();
    if (failed(emitStep(step)))
      return failure();
    k.releaseWorkgroup();
  }
  return success();
}

LogicalResult gpuvm::emitSteps(EmitterContext &context, StepsPlan plan) {
  return StepsEmitter(context, std::move(plan)).run();
}

namespace {
struct StepsLayout : LayoutOf<StepsLayout> {};
} // namespace

FailureOr<int64_t> gpuvm::countStepBytes(flow::DispatchOp chain,
                                         StepsPlan plan) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(chain.getLoc());
  OpBuilder b(chain.getContext());
  b.setInsertionPointToStart(scratch->getBody());
  KernelBuilder kernel(b, chain.getLoc(), "steps", plan.lanes);
  BindingLayout bindings;
  unsigned next = 0;
  for (unsigned i = 0; i < chain.getInputs().size(); ++i)
    bindings.inputs.push_back(next++);
  for (unsigned i = 0; i < chain->getNumResults(); ++i)
    bindings.outputs.push_back(next++);
  ElementEmitter elements(
      kernel, [](BlockArgument argument) { return argument.getArgNumber(); },
      /*exact=*/false);
  StepsLayout layout;
  EmitterContext context{chain,    layout,          bindings,   kernel,
                         elements, /*exact=*/false, /*spins=*/0};
  if (failed(emitSteps(context, std::move(plan))))
    return failure();
  kernel.finish();
  return kernel.workgroupBytes();
}

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

/// Barriers stand between steps of a workgroup, so only the step that makes the
/// result, and later ones, may read the operand too late.
bool gpuvm::stepsWorkInPlace(flow::DispatchOp chain, unsigned operand,
                             unsigned result) {
  std::optional<StepsPlan> plan = planSteps(chain);
  if (!plan || !plan->dims.empty())
    return false;
  Value argument = chain.getBody().getArgument(operand);
  Operation *yield = chain.getBody().front().getTerminator();
  auto made = cast<OpResult>(yield->getOperand(result));
  auto maker = cast<flow::HoldOp>(made.getOwner());
  for (StepKernel &step : plan->steps) {
    auto *input = llvm::find(step.operands, argument);
    if (input == step.operands.end() ||
        (step.hold != maker && step.hold->isBeforeInBlock(maker)))
      continue;
    if (step.hold != maker ||
        !canUpdateInPlace(step.kernel, input - step.operands.begin(),
                          made.getResultNumber()))
      return false;
  }
  return true;
}
