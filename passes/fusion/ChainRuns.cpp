//===- ChainRuns.cpp - runs of kernels that may become one ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/ChainRuns.h"
#include "dialects/gpuvm/ProgramOrder.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/chain/StepKernels.h"
#include "passes/analysis/ExchangeDepths.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Finding runs
//===----------------------------------------------------------------------===//

namespace {
class RunFinder {
public:
  RunFinder(ProgramOp program, const Effects &effects)
      : program(program), effects(effects), depths(program, effects) {}
  virtual ~RunFinder() = default;
  SmallVector<ChainRun> find();

protected:
  virtual bool takes(flow::DispatchOp kernel) const;
  /// Asked if nothing outside of the run forbids it.
  virtual bool wants(flow::DispatchOp /*kernel*/, unsigned /*run*/) {
    return true;
  }
  virtual bool isWorthIt(const ChainRun &run) const { return run.size() > 1; }
  bool isInside(Operation *op, unsigned run) const;
  const ChainRun &getRun(unsigned run) const { return runs[run]; }

  ProgramOp program;
  const Effects &effects;

private:
  bool mayJoin(Operation *kernel, unsigned run) const;
  bool decodesFrom(flow::DispatchOp kernel, unsigned run) const;
  bool leadsTo(Operation *from, unsigned run,
               llvm::DenseSet<Operation *> &seen) const;

  SmallVector<ChainRun> runs;
  llvm::DenseMap<Operation *, unsigned> runOf;
  ExchangeDepths depths;
};

/// Finds runs with kernels of several families, each of them the work of one
/// workgroup.
class FamilyRunFinder : public RunFinder {
public:
  FamilyRunFinder(ProgramOp program, const Effects &effects, unsigned dims);

private:
  bool takes(flow::DispatchOp kernel) const override;
  bool wants(flow::DispatchOp kernel, unsigned run) override;
  bool isWorthIt(const ChainRun &run) const override;
  unsigned levelBefore(Operation *op) const;
  ArrayRef<int64_t> dimsOf(flow::DispatchOp kernel) const {
    return typeOf(kernel->getResult(0)).getShape().take_front(dims);
  }

  unsigned dims;
  /// How many commands at least come one after the other up to a command, with
  /// itself.
  llvm::DenseMap<Operation *, unsigned> levels;
  /// The commands that must directly come after one.
  llvm::DenseMap<Operation *, SmallVector<Operation *>> after;
};
} // namespace

/// Whether `from`, or what has to run with or before it, is in `run`.
bool RunFinder::leadsTo(Operation *from, unsigned run,
                        llvm::DenseSet<Operation *> &seen) const {
  SmallVector<Operation *> pending = {from};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!seen.insert(op).second)
      continue;
    auto own = runOf.find(op);
    if (own != runOf.end() && own->second == run)
      return true;
    if (own != runOf.end())
      llvm::append_range(pending, runs[own->second]);
    llvm::append_range(pending, effects.before(op));
  }
  return false;
}

bool RunFinder::isInside(Operation *op, unsigned run) const {
  auto own = runOf.find(op);
  return own != runOf.end() && own->second == run;
}

/// Whether nothing outside `run` has to come after it and before `kernel`, and
/// no exchange waits for another one more.
bool RunFinder::mayJoin(Operation *kernel, unsigned run) const {
  if (llvm::any_of(runs[run], [&](Operation *own) {
        return !depths.mayJoin(own, kernel);
      }))
    return false;
  llvm::DenseSet<Operation *> seen;
  return llvm::none_of(effects.before(kernel), [&](Operation *before) {
    return !isInside(before, run) && leadsTo(before, run, seen);
  });
}

/// Whether `kernel` decodes results of `run`, or gathers rows of them: codecs
/// read windows, and which lane has a row that the device picks is not known.
bool RunFinder::decodesFrom(flow::DispatchOp kernel, unsigned run) const {
  for (auto [input, argument] :
       llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments())) {
    auto source = runOf.find(input.getDefiningOp());
    if (source != runOf.end() && source->second == run &&
        llvm::any_of(argument.getUsers(), llvm::IsaPred<DecodeOp, GatherOp>))
      return true;
  }
  return false;
}

bool RunFinder::takes(flow::DispatchOp kernel) const {
  return kernel.getRoot() == Root::map &&
         llvm::all_of(kernel.getBody().front(),
                      [](Operation &op) { return fitsRegisters(&op); });
}

SmallVector<ChainRun> RunFinder::find() {
  for (auto kernel : listOps<flow::DispatchOp>(program)) {
    if (!takes(kernel))
      continue;
    std::optional<unsigned> joined;
    for (Value input : kernel.getInputs()) {
      auto source = runOf.find(input.getDefiningOp());
      if (source != runOf.end() && mayJoin(kernel, source->second) &&
          !decodesFrom(kernel, source->second) && wants(kernel, source->second))
        joined = source->second;
    }
    if (!joined) {
      joined = runs.size();
      runs.emplace_back();
    }
    runs[*joined].push_back(kernel);
    runOf[kernel] = *joined;
  }
  llvm::erase_if(runs, [&](const ChainRun &run) { return !isWorthIt(run); });
  return std::move(runs);
}

//===----------------------------------------------------------------------===//
// Runs of several families
//===----------------------------------------------------------------------===//

FamilyRunFinder::FamilyRunFinder(ProgramOp program, const Effects &effects,
                                 unsigned dims)
    : RunFinder(program, effects), dims(dims) {
  for (Operation *op : listOps(program)) {
    for (Operation *before : effects.before(op))
      after[before].push_back(op);
    // Loads and most stores are no commands in the end.
    levels[op] = levelBefore(op) + !isa<LoadOp, StoreOp>(op);
  }
}

unsigned FamilyRunFinder::levelBefore(Operation *op) const {
  unsigned level = 0;
  for (Operation *before : effects.before(op))
    level = std::max(level, levels.lookup(before));
  return level;
}

bool FamilyRunFinder::takes(flow::DispatchOp kernel) const {
  if (kernel->getNumResults() == 0 || kernel.getPredicate() ||
      kernel.getRows() ||
      !kernel.getBody().getOps<flow::HoldOp>().empty()) // One is a step.
    return false;
  for (OpResult result : kernel->getResults())
    if (typeOf(result).getRank() < int64_t(dims) ||
        typeOf(result).getShape().take_front(dims) != dimsOf(kernel) ||
        kernel.getTiedOperand(result.getResultNumber()))
      return false;
  if (dims > 0)
    return llvm::product_of(dimsOf(kernel)) > 1;
  TargetAttr target = getMainTarget(kernel);
  return getFamily(kernel).layOut(kernel, target)->groups == 1 &&
         layOutStep(kernel);
}

/// Kernels of a run at most, which all may be tried.
static constexpr size_t kMaxRun = 24;

/// Whether no command that waits for the run waits for more than before: the
/// run waits for all that one of its kernels waits for.
bool FamilyRunFinder::wants(flow::DispatchOp kernel, unsigned run) {
  const ChainRun &own = getRun(run);
  if (own.size() >= kMaxRun || !effects.areTogether(kernel, own.front()) ||
      dimsOf(own.front()) != dimsOf(kernel))
    return false;
  auto levelOutside = [&](flow::DispatchOp op) {
    unsigned level = 0;
    for (Operation *before : effects.before(op))
      if (!isInside(before, run))
        level = std::max(level, levels.lookup(before));
    return level;
  };
  unsigned next = levelOutside(kernel);
  if (llvm::any_of(
          own, [&](flow::DispatchOp op) { return levelOutside(op) >= next; }))
    return true;
  return llvm::none_of(own, [&](flow::DispatchOp op) {
    return llvm::any_of(after.lookup(op), [&](Operation *user) {
      return user != kernel && !isInside(user, run) &&
             levels.lookup(user) < next + 2;
    });
  });
}

/// Runs of maps alone may stay in registers.
bool FamilyRunFinder::isWorthIt(const ChainRun &run) const {
  return run.size() > 1 && llvm::any_of(run, [&](flow::DispatchOp kernel) {
           return !RunFinder::takes(kernel);
         });
}

SmallVector<ChainRun> gpuvm::findChainRuns(ProgramOp program,
                                           const Effects &effects) {
  return RunFinder(program, effects).find();
}

SmallVector<ChainRun> gpuvm::findFamilyRuns(ProgramOp program,
                                            const Effects &effects,
                                            unsigned dims) {
  return FamilyRunFinder(program, effects, dims).find();
}

bool gpuvm::isClosed(const ChainRun &run, const Effects &effects) {
  llvm::DenseSet<Operation *> inside(run.begin(), run.end()), seen;
  SmallVector<Operation *> pending;
  for (flow::DispatchOp kernel : run)
    for (Operation *before : effects.before(kernel))
      if (!inside.contains(before))
        pending.push_back(before);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (inside.contains(op))
      return false;
    if (seen.insert(op).second)
      llvm::append_range(pending, effects.before(op));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Building the kernel
//===----------------------------------------------------------------------===//

/// Whether some step reads `input` elsewhere than at its own index, or several
/// read it. What is decoded, or has rows picked, is read from its window.
static bool isWorthHolding(Value input, ArrayRef<flow::DispatchOp> run) {
  unsigned readers = 0;
  bool moves = false;
  for (flow::DispatchOp kernel : run)
    for (auto [operand, argument] :
         llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments())) {
      if (operand != input)
        continue;
      ++readers;
      moves |= llvm::any_of(argument.getUsers(), movesElements);
      if (llvm::any_of(argument.getUsers(), llvm::IsaPred<DecodeOp, GatherOp>))
        return false;
    }
  return moves || readers > 1;
}

/// "relax_0_and_999_more_chain"
static std::string chainName(ArrayRef<flow::DispatchOp> run) {
  flow::DispatchOp leader = run.front();
  auto first = cast<StringAttr>(leader.getStages()[0]).getValue();
  return (first + "_and_" + Twine(run.size() - 1) + "_more_chain").str();
}

namespace {
/// Copies the bodies of the kernels of a run into one.
class ChainBodyBuilder {
public:
  ChainBodyBuilder(ArrayRef<flow::DispatchOp> run, flow::DispatchOp chain,
                   bool holdInputs)
      : run(run), chain(chain), b(chain.getContext()) {
    Block *block = b.createBlock(&chain.getBody());
    for (Value input : chain.getInputs())
      values.map(input, block->addArgument(input.getType(), input.getLoc()));
    if (holdInputs)
      for (Value input : chain.getInputs())
        if (isWorthHolding(input, run))
          hold(input, values.lookup(input), input.getLoc());
  }

  void add(flow::DispatchOp kernel) {
    for (auto [input, argument] :
         llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments()))
      values.map(argument, values.lookup(input));
    Block &body = kernel.getBody().front();
    for (Operation &op : body.without_terminator())
      b.clone(op, values);
    SmallVector<Value> made;
    for (Value value : body.getTerminator()->getOperands())
      made.push_back(values.lookup(value));
    auto step = flow::HoldOp::create(b, kernel.getLoc(), made);
    for (auto [output, held] :
         llvm::zip_equal(kernel.getOutputs(), step.getHeld()))
      values.map(output, held);
  }

  void finish(ValueRange outputs) {
    SmallVector<Value> yielded;
    for (Value output : outputs)
      yielded.push_back(values.lookup(output));
    YieldOp::create(b, chain.getLoc(), yielded);
  }

private:
  void hold(Value name, Value value, Location loc) {
    values.map(name, flow::HoldOp::create(b, loc, value).getHeld().front());
  }

  ArrayRef<flow::DispatchOp> run;
  flow::DispatchOp chain;
  OpBuilder b;
  IRMapping values; ///< From values of the run to values of the chain.
};
} // namespace

/// The results of a run that others use.
static SmallVector<Value> outputsOf(ArrayRef<flow::DispatchOp> run) {
  llvm::DenseSet<Operation *> inside(run.begin(), run.end());
  SmallVector<Value> outputs;
  for (flow::DispatchOp kernel : run)
    for (Value output : kernel.getOutputs())
      if (llvm::any_of(output.getUsers(), [&](Operation *user) {
            return !isa<flow::ExposeOp>(user) && !inside.contains(user);
          }))
        outputs.push_back(output);
  return outputs;
}

flow::DispatchOp gpuvm::buildChain(ArrayRef<flow::DispatchOp> run,
                                   bool holdInputs, ValueRange others) {
  llvm::DenseSet<Operation *> inside(run.begin(), run.end());
  llvm::SmallSetVector<Value, 8> inputs;
  llvm::SmallSetVector<Attribute, 8> stages;
  SmallVector<Location> locations;
  for (flow::DispatchOp kernel : run) {
    for (Value input : kernel.getInputs())
      if (!inside.contains(input.getDefiningOp()))
        inputs.insert(input);
    stages.insert_range(kernel.getStages());
    locations.push_back(kernel.getLoc());
  }
  SmallVector<Value> outputs = outputsOf(run);
  llvm::append_range(outputs, others);
  flow::DispatchOp last = run.back();
  OpBuilder b(last);
  auto chain = flow::DispatchOp::create(
      b, b.getFusedLoc(locations), TypeRange(ValueRange(outputs)),
      b.getStringAttr(chainName(run)), Root::chain,
      b.getArrayAttr(stages.getArrayRef()), inputs.getArrayRef());
  ChainBodyBuilder body(run, chain, holdInputs);
  for (flow::DispatchOp kernel : run)
    body.add(kernel);
  body.finish(outputs);
  return chain;
}

void gpuvm::replaceRun(ArrayRef<flow::DispatchOp> run, flow::DispatchOp chain,
                       SymbolTable &names) {
  llvm::DenseSet<Operation *> inside(run.begin(), run.end());
  for (auto [old, output] : llvm::zip(outputsOf(run), chain.getOutputs()))
    old.replaceUsesWithIf(output, [&](OpOperand &use) {
      return !inside.contains(use.getOwner());
    });
  for (flow::DispatchOp kernel : llvm::reverse(run)) {
    for (Operation *user : llvm::make_early_inc_range(kernel->getUsers()))
      if (isa<flow::ExposeOp>(user))
        user->erase();
    names.erase(kernel);
  }
  names.insert(chain); // Which gives it another name if it has one of others.
}
