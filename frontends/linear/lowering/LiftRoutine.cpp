//===- LiftRoutine.cpp - from blocks to loops and branches ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's transformation of a control flow graph into structured operations does
// the work. Bodies of gpuvm have scf.if, scf.for and scf.while; a
// scf.index_switch becomes a chain of scf.if, and a value that is not used a 0.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/EmitRoutine.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CFGToSCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <fmt/format.h>

using namespace mlir;
using namespace mlir::linear;

namespace {
struct SwitchToIf : OpRewritePattern<scf::IndexSwitchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IndexSwitchOp op,
                                PatternRewriter &rewriter) const override;
};

struct PoisonToZero : OpRewritePattern<ub::PoisonOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op,
                                PatternRewriter &rewriter) const override {
    auto zero = rewriter.getZeroAttr(op.getType());
    if (!zero)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};
} // namespace

LogicalResult SwitchToIf::matchAndRewrite(scf::IndexSwitchOp op,
                                          PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  // From the last case on: what is left is the default.
  if (op.getNumCases() == 0) {
    Block &block = op.getDefaultBlock();
    auto yield = cast<scf::YieldOp>(block.getTerminator());
    SmallVector<Value> values(yield.getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&block, op);
    rewriter.replaceOp(op, values);
    return success();
  }
  // The transformation switches on numbers of i32.
  auto cast = op.getArg().getDefiningOp<arith::IndexCastUIOp>();
  if (!cast)
    return failure();
  Value number = arith::ConstantOp::create(
      rewriter, loc, rewriter.getI32IntegerAttr(op.getCases().front()));
  Value isIt = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                     cast.getIn(), number);
  auto choice = scf::IfOp::create(rewriter, loc, op.getResultTypes(), isIt,
                                  /*withElseRegion=*/true);
  choice.getThenRegion().takeBody(op.getCaseRegions().front());
  OpBuilder::InsertionGuard guard(rewriter);
  choice.getElseRegion().getBlocks().clear();
  Block *rest = rewriter.createBlock(&choice.getElseRegion());
  rewriter.setInsertionPointToStart(rest);
  auto smaller = scf::IndexSwitchOp::create(
      rewriter, loc, op.getResultTypes(), op.getArg(),
      op.getCases().drop_front(), op.getNumCases() - 1);
  for (auto [from, to] : llvm::zip_equal(op.getCaseRegions().drop_front(),
                                         smaller.getCaseRegions()))
    to.takeBody(from);
  smaller.getDefaultRegion().takeBody(op.getDefaultRegion());
  scf::YieldOp::create(rewriter, loc, smaller.getResults());
  rewriter.replaceOp(op, choice.getResults());
  return success();
}

namespace {
/// Replaces the constants that arithmetic uses by arguments: MLIR's folding
/// keeps subnormal numbers, and gpuvm-make-exact, which flushes them, comes
/// later. Ends with the constants in their places again.
class HiddenConstants {
public:
  explicit HiddenConstants(func::FuncOp function) : entry(function.front()) {
    SmallVector<arith::ConstantOp> constants;
    function.walk([&](arith::ConstantOp op) {
      if (op.getType().isF32())
        constants.push_back(op);
    });
    own = entry.getNumArguments();
    for (arith::ConstantOp op : constants) {
      auto [known, isNew] = arguments.try_emplace(op.getValue(), nullptr);
      if (isNew)
        known->second = entry.addArgument(op.getType(), op.getLoc());
      op.replaceAllUsesWith(known->second);
      op.erase();
    }
  }

  ~HiddenConstants() {
    auto b = OpBuilder::atBlockBegin(&entry);
    for (auto [value, argument] : arguments)
      argument.replaceAllUsesWith(arith::ConstantOp::create(
          b, argument.getLoc(), cast<TypedAttr>(value)));
    entry.eraseArguments(own, entry.getNumArguments() - own);
  }

private:
  Block &entry;
  unsigned own; ///< Arguments that the function had before.
  llvm::MapVector<Attribute, BlockArgument> arguments;
};
} // namespace

/// The place in `block` where a value is used first: an operation of the block
/// and the number of its operand.
static std::pair<Operation *, unsigned> firstUse(Value value, Block &block) {
  std::pair<Operation *, unsigned> first = {nullptr, 0};
  for (OpOperand &use : value.getUses()) {
    Operation *user = block.findAncestorOpInBlock(*use.getOwner());
    unsigned number = user == use.getOwner() ? use.getOperandNumber()
                                             : user->getNumOperands();
    if (!first.first || user->isBeforeInBlock(first.first) ||
        (user == first.first && number < first.second))
      first = {user, number};
  }
  return first;
}

/// Sorts selects of one condition that follow each other by their uses. MLIR's
/// patterns for results of scf.if and scf.while go through tables of pointers,
/// so what they leave is the same, but its order is that of one process.
static void sortSelects(func::FuncOp function) {
  function.walk([](Block *block) {
    for (auto op = block->begin(); op != block->end();) {
      SmallVector<arith::SelectOp> run;
      for (; op != block->end(); ++op) {
        auto select = dyn_cast<arith::SelectOp>(*op);
        if (!select || select.use_empty() ||
            (!run.empty() && select.getCondition() != run[0].getCondition()) ||
            llvm::any_of(select->getOperands(), [&](Value operand) {
              return llvm::is_contained(run, operand.getDefiningOp());
            }))
          break;
        run.push_back(select);
      }
      if (run.empty()) {
        ++op;
        continue;
      }
      llvm::sort(run, [&](arith::SelectOp a, arith::SelectOp b) {
        auto [userOfA, numberOfA] = firstUse(a, *block);
        auto [userOfB, numberOfB] = firstUse(b, *block);
        return userOfA == userOfB ? numberOfA < numberOfB
                                  : userOfA->isBeforeInBlock(userOfB);
      });
      for (arith::SelectOp select : run)
        select->moveBefore(block, op);
    }
  });
}

/// Kernels nest 64 selections and loops (limits::kMaxNesting), some of which
/// they have around a routine.
static constexpr unsigned kMaxNesting = 48;

static unsigned nestingOf(Operation *op) {
  unsigned inside = 0;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      inside = std::max(inside, nestingOf(&inner));
  return inside + isa<scf::IfOp, scf::WhileOp>(op);
}

/// Makes one block of the function's body, with scf.if and scf.while. One that
/// nests far too deeply is not simplified, which would take long.
static LogicalResult makeStructured(func::FuncOp function) {
  HiddenConstants hidden(function);
  MLIRContext *context = function.getContext();
  ControlFlowToSCFTransformation transformation;
  DominanceInfo dominance(function);
  if (failed(transformCFGToSCF(function.getBody(), transformation, dominance)))
    return failure();
  if (nestingOf(function) > 4 * kMaxNesting)
    return success();
  RewritePatternSet patterns(context);
  patterns.add<SwitchToIf, PoisonToZero>(context);
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  scf::WhileOp::getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
  if (failed(applyPatternsGreedily(function, std::move(patterns), config)))
    return failure();
  sortSelects(function);
  return success();
}

/// How deep calls nest whose routines branch: about as deep as their code will.
/// Known before any is emitted, which takes long where it is too deep.
static unsigned callsThatBranch(const vm::linear::Expanded &code) {
  std::vector<unsigned> depth(code.frames.size());
  for (const vm::linear::Expanded::Step &step : code.steps)
    if (step.next.size() == 2)
      depth[step.frame] = 1;
  for (size_t frame = 1; frame < depth.size(); ++frame) // After its caller.
    depth[frame] += depth[code.frames[frame].parent];
  return *std::ranges::max_element(depth);
}

vm::Result<OwningOpRef<func::FuncOp>>
mlir::linear::makeRoutine(Location loc, const vm::linear::Program &program,
                          const vm::linear::CompiledLaunch &code) {
  Builder b(loc.getContext());
  SmallVector<Type> results(code.elements.size(), b.getF32Type());
  results.append(code.results() - results.size(), b.getI32Type());
  int64_t words = std::max<uint32_t>(program.sharedWords(), 1);
  SmallVector<Type> operands = {b.getI32Type(),
                                RankedTensorType::get({words}, b.getI32Type())};
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      loc, code.function, b.getFunctionType(operands, results));
  auto exceed = [&](const std::string &what) {
    return vm::Status(vm::Code::Excess,
                      fmt::format("routine {} {} with its calls written out",
                                  program.routines[code.launch->routine].name,
                                  what));
  };
  auto nestTooDeep = [&](unsigned depth) {
    return exceed(fmt::format("nests branches and loops {} deep ({} are the "
                              "most)",
                              depth, kMaxNesting));
  };
  if (unsigned depth = callsThatBranch(code.code); depth > kMaxNesting)
    return nestTooDeep(depth);
  emitRoutine(*function, program, code);
  if (failed(makeStructured(*function)))
    return exceed("has no form of loops and branches");
  if (unsigned depth = nestingOf(function.get()); depth > kMaxNesting)
    return nestTooDeep(depth);
  return function;
}
