//===- ParkKernels.cpp - kernels that run if somebody needs them ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel need not run while a condition does not hold if all it makes is
// chosen only where the condition holds: by others, or by itself in the window
// of what is chosen else, which then stays as it is. It gets its workgroups
// from Control, where a kernel behind the one that makes the condition writes
// theirs, or none, for all kernels of the condition. That costs a dispatch and
// a wait, so it must be worth it.
//
// gpuvm-condition-kernels finds such kernels, and has them wait for the
// condition. When windows are known, gpuvm-park-kernels sees what stays where
// it is, and parks the others.
//
//===----------------------------------------------------------------------===//

#include "kernels/Alternative.h"
#include "kernels/KernelConfig.h"
#include "passes/Commands.h"
#include "passes/ElementBuilder.h"
#include "passes/Passes.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_CONDITIONKERNELS
#define GEN_PASS_DEF_PARKKERNELS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-park-kernels"
ALWAYS_ENABLED_STATISTIC(numParked, "Kernels that run on a condition");

// Measured on an H200 (docs/rationale/conditions.md).
static constexpr double kBytesPerUs = 4.2e6;
static constexpr double kOpsPerUs = 2.9e7;
/// What the kernel that writes the counts costs, with its barriers.
static constexpr double kCountsUs = 4.8;

/// Triplets of one kernel: a lane chooses among so many numbers.
static constexpr size_t kMostTriplets = 16;
static constexpr int64_t kTripletBytes = 12;

namespace {

/// Who needs what kernels make, while a condition does not hold.
class Need {
public:
  explicit Need(Value condition) : condition(condition) {}
  /// Whether nobody needs anything of it.
  bool canBeParked(KernelOp kernel);

private:
  bool isNeeded(OpResult result);
  bool isNeededIn(KernelOp kernel, Value inside);
  bool staysWhereItIs(KernelOp kernel, OpResult result);

  Value condition;
  llvm::DenseMap<Value, bool> known;
};

struct ConditionKernels : gpuvm::impl::ConditionKernelsBase<ConditionKernels> {
  using Base::Base;
  void runOnOperation() override;
};

struct ParkKernels : gpuvm::impl::ParkKernelsBase<ParkKernels> {
  using Base::Base;
  void runOnOperation() override;

private:
  void park(ArrayRef<KernelOp> kernels);
  uint64_t allocate(uint64_t bytes);
};

} // namespace

//===----------------------------------------------------------------------===//
// Who needs what
//===----------------------------------------------------------------------===//

/// Whether `result` is chosen in the window of what is chosen else; as long as
/// there are no windows, whether it may be.
bool Need::staysWhereItIs(KernelOp kernel, OpResult result) {
  unsigned number = result.getResultNumber();
  std::optional<Alternative> choice = getAlternative(kernel, number);
  if (!choice || choice->condition != condition || !choice->no)
    return false;
  if (!kernel.getOutputWindows())
    return true;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    if (input == choice->no)
      return (*kernel.getInputWindows())[i] ==
             (*kernel.getOutputWindows())[number];
  return false;
}

/// Whether `inside`, a value in the body of `kernel`, matters for something
/// that is needed.
bool Need::isNeededIn(KernelOp kernel, Value inside) {
  Block &body = kernel.getBody().front();
  for (OpOperand &use : inside.getUses()) {
    Operation *user = body.findAncestorOpInBlock(*use.getOwner());
    if (isa<YieldOp>(user)) {
      OpResult result = kernel->getResult(use.getOperandNumber());
      // Used other than as what is chosen, so it is needed where that is.
      if (isNeeded(result))
        return true;
      continue;
    }
    std::optional<Alternative> choice;
    if (auto generic = dyn_cast<linalg::GenericOp>(user))
      choice = getAlternative(generic);
    auto argument =
        choice ? dyn_cast<BlockArgument>(choice->condition) : BlockArgument();
    bool isChosen = argument && choice->yes == inside && choice->no != inside &&
                    kernel.getInputs()[argument.getArgNumber()] == condition;
    if (!isChosen && llvm::any_of(user->getResults(), [&](Value result) {
          return isNeededIn(kernel, result);
        }))
      return true;
  }
  return false;
}

/// Whether somebody needs `result`, which no parked kernel chooses.
bool Need::isNeeded(OpResult result) {
  auto [entry, isNew] = known.try_emplace(result, true);
  if (!isNew)
    return entry->second;
  // What is made in a symbol is stored there.
  auto maker = cast<KernelOp>(result.getOwner());
  if (maker.getOutputWindows() &&
      cast<WindowAttr>((*maker.getOutputWindows())[result.getResultNumber()])
              .getRegion() != gpuvm::Region::registers)
    return true;
  bool needed = llvm::any_of(result.getUses(), [&](OpOperand &use) {
    if (isa<ExposeOp>(use.getOwner()))
      return false;
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    return !kernel || isNeededIn(kernel, kernel.getBody().getArgument(
                                             use.getOperandNumber()));
  });
  return known[result] = needed;
}

bool Need::canBeParked(KernelOp kernel) {
  return llvm::all_of(kernel->getResults(), [&](OpResult result) {
    return staysWhereItIs(kernel, result) || !isNeeded(result);
  });
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Microseconds that `kernel` takes at least.
static double estimate(KernelOp kernel) {
  double bytes = 0, ops = 0;
  for (Type type : llvm::concat<const Type>(kernel->getOperandTypes(),
                                            kernel->getResultTypes()))
    bytes += tensorBytes(cast<RankedTensorType>(type));
  kernel.walk([&](linalg::GenericOp op) {
    double elements = 1;
    for (int64_t range : op.getStaticLoopRanges())
      elements *= range;
    ops += elements * op.getBody()->getOperations().size();
  });
  return std::max(bytes / kBytesPerUs, ops / kOpsPerUs);
}

/// `bytes` at the end of Control.
uint64_t ParkKernels::allocate(uint64_t bytes) {
  ProgramOp program = getOperation();
  SmallVector<int64_t> sizes(*program.getRegionBytes());
  int64_t &control = sizes[static_cast<unsigned>(gpuvm::Region::control)];
  uint64_t offset = llvm::alignTo(control, kWindowAlignment);
  control = llvm::alignTo(offset + bytes, kWindowAlignment);
  program.setRegionBytes(sizes);
  return offset;
}

/// Gives `kernels`, which have the same condition, their counts: a new kernel
/// writes them as soon as the condition is known.
void ParkKernels::park(ArrayRef<KernelOp> kernels) {
  ProgramOp program = getOperation();
  Value condition = KernelOp(kernels.front()).getConditionValue();
  Operation *maker = condition.getDefiningOp();
  OpBuilder b(program.getContext());
  if (maker && isCommand(maker))
    b.setInsertionPointAfter(maker);
  else
    b.setInsertionPoint(kernels.front());
  int64_t count = kernels.size();
  uint64_t offset = allocate(count * kTripletBytes);
  auto window = [&](uint64_t begin, uint64_t length) {
    return WindowAttr::get(b.getContext(), gpuvm::Region::control, begin,
                           length);
  };
  llvm::SmallSetVector<Attribute, 4> stages;
  SmallVector<uint32_t> groups;
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    groups.push_back(configureKernel(kernel).groups);
    KernelOp(kernel).setCountsWindowAttr(
        window(offset + i * kTripletBytes, kTripletBytes));
    KernelOp(kernel).setParkedGroups(groups.back());
    stages.insert_range(KernelOp(kernel).getStages());
  }
  Location loc = KernelOp(kernels.front()).getLoc();
  StringRef first = KernelOp(kernels.front()).getSymName();
  auto type = RankedTensorType::get({count, 3}, b.getI32Type());
  auto counts = KernelOp::create(
      b, loc, TypeRange{type}, b.getStringAttr(first + "_counts"), Root::map,
      b.getArrayAttr(stages.getArrayRef()), ValueRange{condition});
  counts.setInputWindowsAttr(b.getArrayAttr(getWindow(program, condition)));
  counts.setOutputWindowsAttr(
      b.getArrayAttr(window(offset, count * kTripletBytes)));
  Block *body = b.createBlock(&counts.getBody());
  Value holds = body->addArgument(condition.getType(), loc);
  Value made =
      makeWords(b, loc, type.getShape(), {},
                [&](ScalarBuilder &s, ArrayRef<Value> indices, ValueRange) {
                  auto is = [&](Value index, uint32_t word) {
                    return s.compare(arith::CmpIPredicate::eq, s.toWord(index),
                                     s.word(word));
                  };
                  Value own = s.word(0);
                  for (auto [i, number] : llvm::enumerate(groups))
                    own = s.select(is(indices[0], i), s.word(number), own);
                  own = s.select(s.read(holds, {}), own, s.word(0));
                  return s.select(is(indices[1], 0), own, s.word(1));
                });
  YieldOp::create(b, loc, made);
}

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

/// The conditions that kernels choose by.
static llvm::SetVector<Value> findConditions(ArrayRef<KernelOp> kernels) {
  llvm::SetVector<Value> conditions;
  for (KernelOp kernel : kernels)
    for (auto generic : kernel.getBody().getOps<linalg::GenericOp>())
      if (std::optional<Alternative> choice = getAlternative(generic))
        if (auto argument = dyn_cast<BlockArgument>(choice->condition))
          conditions.insert(kernel.getInputs()[argument.getArgNumber()]);
  return conditions;
}

/// The commands that must precede `condition`: none of them can wait for it.
static llvm::DenseSet<Operation *> findSources(ProgramOp program,
                                               Value condition) {
  DataDependences dependences(program);
  llvm::DenseSet<Operation *> sources;
  SmallVector<Operation *> open;
  if (Operation *maker = condition.getDefiningOp())
    open.push_back(maker);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (sources.insert(op).second)
      llvm::append_range(open, dependences.before(op));
  }
  return sources;
}

/// Has `kernel` wait for `condition`.
static void setCondition(KernelOp kernel, Value condition) {
  auto inputs = kernel.getInputs();
  auto found = llvm::find(inputs, condition);
  int64_t number = std::distance(inputs.begin(), found);
  if (found == inputs.end()) {
    kernel.getInputsMutable().append(condition);
    kernel.getBody().addArgument(condition.getType(), kernel.getLoc());
  }
  kernel.setCondition(number);
}

void ConditionKernels::runOnOperation() {
  ProgramOp program = getOperation();
  if (mode != "auto" && mode != "always" && mode != "never") {
    program.emitError("the mode of parking is \"auto\", \"always\" or "
                      "\"never\", not \"")
        << mode << '"';
    return signalPassFailure();
  }
  if (mode == "never")
    return;
  SmallVector<KernelOp> kernels(program.getBody().getOps<KernelOp>());
  for (Value condition : findConditions(kernels)) {
    Need need(condition);
    llvm::DenseSet<Operation *> sources = findSources(program, condition);
    SmallVector<KernelOp> found;
    double us = 0;
    for (KernelOp kernel : kernels)
      if (!kernel.getCondition() && !sources.contains(kernel) &&
          need.canBeParked(kernel)) {
        found.push_back(kernel);
        us += estimate(kernel);
      }
    if (mode == "always" || us > kCountsUs)
      for (KernelOp kernel : found)
        setCondition(kernel, condition);
  }
  orderByDependence(program);
}

void ParkKernels::runOnOperation() {
  llvm::MapVector<Value, SmallVector<KernelOp>> found;
  for (auto kernel : getOperation().getBody().getOps<KernelOp>())
    if (Value condition = kernel.getConditionValue())
      if (Need(condition).canBeParked(kernel))
        found[condition].push_back(kernel);
  for (auto &[condition, kernels] : found) {
    numParked += kernels.size();
    for (size_t i = 0; i < kernels.size(); i += kMostTriplets)
      park(ArrayRef(kernels).drop_front(i).take_front(kMostTriplets));
  }
}
