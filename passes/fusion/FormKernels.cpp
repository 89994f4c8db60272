//===- FormKernels.cpp - from stages to kernels ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages are flattened (FlattenStages.h), the operations are grouped, and
// each group moves into a `flow.dispatch`. What is left of a stage is its name
// on the kernels and `flow.expose` for its registers.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/FreeValues.h"
#include "passes/analysis/PruneKernel.h"
#include "passes/fusion/CodeCopies.h"
#include "passes/fusion/CrowdedMoves.h"
#include "passes/fusion/KernelGroups.h"
#include "passes/program/FlattenStages.h"
#include "passes/program/ForwardStores.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-form-kernels"
ALWAYS_ENABLED_STATISTIC(numKernels, "Kernels formed");

namespace {

struct FormKernels : gpuvm::impl::FormKernelsBase<FormKernels> {
  using Base::Base;
  void runOnOperation() override;

private:
  void buildKernels();
  flow::DispatchOp buildKernel(const KernelGroup &group,
                               const Grouping &grouping);
  void removeDeadCode();
  StringAttr getRows(flow::DispatchOp kernel) const;
  void addRows();
  std::string takeName(StringRef wanted);

  FlatStages flat;
  llvm::StringSet<> takenNames;
  llvm::StringMap<unsigned> copies; ///< How often a name was wanted again.
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The contents of a kernel: `ops`, all virtual operations and index
/// computations that they depend on, in block order, and the values it reads.
static void collectBody(ArrayRef<Operation *> ops, const Grouping &grouping,
                        SmallVectorImpl<Operation *> &body,
                        llvm::SmallSetVector<Value, 8> &inputs) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> pending(ops);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (needed.insert(op))
      for (Value operand : getOperandsAndTables(op))
        if (Operation *source = operand.getDefiningOp();
            source && (isFree(operand) || grouping.virtualOps.contains(source)))
          pending.push_back(source);
  }
  body = needed.takeVector();
  llvm::sort(body, isBefore);
  llvm::DenseSet<Operation *> inside(body.begin(), body.end());
  for (Operation *op : body)
    for (auto [i, operand] : llvm::enumerate(getOperandsAndTables(op))) {
      Operation *source = operand.getDefiningOp();
      bool outside = !source || !inside.contains(source);
      auto generic = dyn_cast<linalg::GenericOp>(op);
      bool unread =
          generic && i < op->getNumOperands() &&
          generic.isDpsInit(&op->getOpOperand(i)) &&
          generic.getMatchingBlockArgument(&op->getOpOperand(i)).use_empty();
      if (outside && !unread)
        inputs.insert(operand);
    }
}

/// "filter_revenue_reduce", with the first stages' names.
static std::string kernelName(ArrayRef<Attribute> stages, Root root) {
  constexpr size_t kNames = 3;
  std::string name;
  llvm::raw_string_ostream os(name);
  for (Attribute stage : stages.take_front(kNames))
    os << cast<StringAttr>(stage).getValue() << '_';
  if (stages.size() > kNames)
    os << "and_" << stages.size() - kNames << "_more_";
  os << stringifyRoot(root);
  return name;
}

/// `wanted`, with a number if something in the program has that name already.
std::string FormKernels::takeName(StringRef wanted) {
  std::string name = wanted.str();
  while (!takenNames.insert(name).second)
    name = (wanted + "_" + Twine(++copies[wanted])).str();
  return name;
}

flow::DispatchOp FormKernels::buildKernel(const KernelGroup &group,
                                          const Grouping &grouping) {
  ArrayRef<Operation *> ops = group.ops;
  SmallVector<Operation *> body;
  llvm::SmallSetVector<Value, 8> inputs;
  collectBody(ops, grouping, body, inputs);
  llvm::SmallSetVector<Attribute, 4> stages;
  for (Operation *op : ops)
    stages.insert(op->getAttr(kStageAttr));
  OpBuilder b(ops.front());
  SmallVector<Location> locations;
  for (Operation *op : ops)
    locations.push_back(op->getLoc());
  SmallVector<Value> outputs;
  for (Operation *op : ops)
    llvm::append_range(outputs, op->getResults());
  Location loc =
      locations.size() == 1 ? locations.front() : b.getFusedLoc(locations);
  std::string name = takeName(kernelName(stages.getArrayRef(), group.root));
  auto kernel = flow::DispatchOp::create(
      b, loc, TypeRange(outputs), b.getStringAttr(name), group.root,
      b.getArrayAttr(stages.getArrayRef()), inputs.getArrayRef());
  Block *block = b.createBlock(&kernel.getBody());
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, block->addArgument(input.getType(), input.getLoc()));
  for (Operation *op : body) {
    // An unused init need not come from outside.
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand)) {
        auto type = cast<RankedTensorType>(operand.getType());
        mapping.map(operand, tensor::EmptyOp::create(b, operand.getLoc(),
                                                     type.getShape(),
                                                     type.getElementType())
                                 .getResult());
      }
    Operation *clone = b.clone(*op, mapping);
    for (StringRef own : {kUnitAttr, kStageAttr, kHasPlaceAttr})
      clone->removeAttr(own);
    if (isReduction(op) && grouping.virtualOps.contains(op))
      clone->setAttr(kInnerAttr, b.getUnitAttr());
    if (group.held.contains(op))
      mapping.map(
          op->getResults(),
          flow::HoldOp::create(b, op->getLoc(), clone->getResults()).getHeld());
  }
  SmallVector<Value> yielded;
  for (Value output : outputs)
    yielded.push_back(mapping.lookup(output));
  YieldOp::create(b, loc, yielded);
  for (auto [old, replacement] :
       llvm::zip_equal(outputs, kernel.getOutputs())) {
    llvm::DenseSet<Operation *> own(ops.begin(), ops.end());
    old.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return !own.contains(use.getOwner());
    });
    for (Exposure &exposure : flat.exposures)
      if (exposure.value == old)
        exposure.value = replacement;
    if (StringAttr symbol = flat.rows.lookup(old))
      flat.rows[replacement] = symbol;
  }
  return kernel;
}

void FormKernels::buildKernels() {
  SmallVector<Operation *> ops;
  for (Operation *op : listOps(getOperation()))
    if (auto name =
            op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      takenNames.insert(name.getValue());
    else if (isa<linalg::GenericOp, RootOpInterface>(op))
      ops.push_back(op);
  auto mayShare = [&](Operation *a, Operation *b) {
    return a->getBlock() == b->getBlock() &&
           a->getAttr(kUnitAttr) == b->getAttr(kUnitAttr);
  };
  auto never = [](Operation *, Operation *) { return false; };
  auto resolve = [](Value value) { return value; };
  GroupingLimits limits(getOperation(), maxWindowBytes);
  Grouping grouping = group ? groupOps(ops, resolve, mayShare, limits)
                            : groupOps(ops, resolve, never, limits);
  for (const KernelGroup &g : grouping.groups) {
    buildKernel(g, grouping);
    ++numKernels;
  }
}

void FormKernels::removeDeadCode() {
  SmallVector<Operation *> ops = listOps(getOperation());
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>() &&
        (isMemoryEffectFree(op) || isa<LoadOp>(op)) &&
        !isa<RegisterOp, MetricOp, GlobalOp, ControlOp, HeapOp, ExternKernelOp>(
            op)) {
      llvm::erase_if(flat.exposures, [&](const Exposure &exposure) {
        return exposure.value.getDefiningOp() == op;
      });
      for (Value result : op->getResults())
        flat.rows.erase(result);
      op->erase();
    }
}

/// The symbol with the count of rows of all results of `kernel` that are used;
/// null if there is none.
StringAttr FormKernels::getRows(flow::DispatchOp kernel) const {
  StringAttr rows;
  if (!kernel.getBody().getOps<flow::HoldOp>().empty())
    return rows; // The first tiles are not the first rows.
  for (Value result : kernel.getOutputs()) {
    if (result.use_empty())
      continue;
    StringAttr own = flat.rows.lookup(result);
    if (!own || (rows && own != rows))
      return StringAttr();
    rows = own;
  }
  return rows;
}

/// Kernels whose results are rows of bounded messages read how many there are:
/// what their own stage stores, if the count is its own, unless that is counted
/// after them; else what is stored.
void FormKernels::addRows() {
  llvm::StringMap<SmallVector<StoreOp>> stores;
  for (auto store : listOps<StoreOp>(getOperation()))
    stores[store.getSymbol()].push_back(store);
  std::optional<Effects> effects;
  for (auto kernel : listOps<flow::DispatchOp>(getOperation())) {
    StringAttr symbol = getRows(kernel);
    if (!symbol)
      continue;
    auto isOwn = [&](StoreOp store) {
      return llvm::is_contained(kernel.getStages(), store->getAttr(kStageAttr));
    };
    SmallVector<StoreOp> &all = stores[symbol];
    if (auto *own = llvm::find_if(all, isOwn); own != all.end()) {
      Value count = own->getValue();
      if (!effects)
        effects.emplace(getOperation());
      if (Operation *maker = count.getDefiningOp();
          maker && effects->dependsOn(maker, kernel))
        continue;
      kernel.getRowsMutable().assign(count);
      effects.reset(); // There is one more dependence.
      continue;
    }
    OpBuilder b(kernel);
    auto count = LoadOp::create(b, kernel.getLoc(),
                                RankedTensorType::get({}, b.getI32Type()),
                                symbol, IntegerAttr());
    kernel.getRowsMutable().assign(count.getValue());
    effects.reset();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void FormKernels::runOnOperation() {
  ProgramOp program = getOperation();
  GroupingLimits limits(program, maxWindowBytes);
  for (auto stage : listOps<StageOp>(program)) {
    dropUnusedOperands(stage);
    materializeEscapes(stage);
    placeCrowdedMoves(stage, group, limits);
  }
  bool hadKernels = program.getStages().has_value();
  FailureOr<FlatStages> flattened = flattenStages(program);
  if (failed(flattened))
    return signalPassFailure();
  flat = std::move(*flattened);
  if (!hadKernels) { // With registers that rotate.
    forwardStores(program, flat.exposures);
    removeDeadCode(); // Loads of what is forwarded keep no store.
    eraseDeadStores(program);
  }
  removeDeadCode();
  copyLoadsThatOutliveTheirSymbol(program, flat.exposures);
  buildKernels();
  removeDeadCode();
  // What is exposed must not keep alive what has no other reader, so results
  // without a reader are removed first.
  llvm::DenseSet<Value> valid;
  for (Value argument : program.getBody().getArguments())
    valid.insert(argument);
  for (Operation *op : listOps(program))
    for (Value result : op->getResults())
      if (!result.use_empty())
        valid.insert(result);
  OpBuilder b(program.getContext());
  for (auto [value, reg, instance] : flat.exposures)
    if (valid.contains(value)) {
      b.setInsertionPoint(value.getParentBlock()->getTerminator());
      flow::ExposeOp::create(b, program.getLoc(), value, reg, instance);
    }
  addRows();
  for (auto kernel : listOps<flow::DispatchOp>(program))
    pruneOutputs(kernel);
  Effects(program).orderProgram();
  for (Operation *op : listOps(program)) {
    if (auto stage = op->getAttrOfType<StringAttr>(kStageAttr))
      if (isa<StoreOp, InvokeOp>(op))
        cast<CommandOpInterface>(op).setStagesAttr(b.getArrayAttr(stage));
    op->removeAttr(kStageAttr);
    op->removeAttr(kUnitAttr);
  }
}
