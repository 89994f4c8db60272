//===- ExpandOps.cpp - operations in terms of what SPIR-V has -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/ExpandOps.h"

#include "expr/Expr.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// i1 arithmetic in terms of and, or and xor: SPIR-V has none on booleans. As a
/// signed number true is -1.
static void expandBooleans(Operation *module) {
  auto replace = [](Operation *op, bool invertFirst, bool invertSecond,
                    bool conjunction) {
    OpBuilder builder(op);
    ExprBuilder b(builder, op->getLoc());
    Expr one = b.truth(true);
    auto operand = [&](unsigned i, bool invert) {
      Expr x = b(op->getOperand(i));
      return invert ? x ^ one : x;
    };
    Expr x = operand(0, invertFirst), y = operand(1, invertSecond);
    Value result = conjunction ? x & y : x | y;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  };
  using P = arith::CmpIPredicate;
  module->walk([&](Operation *op) {
    if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isInteger(1))
      return;
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      OpBuilder b(op);
      op->getResult(0).replaceAllUsesWith(arith::XOrIOp::create(
          b, op->getLoc(), op->getOperand(0), op->getOperand(1)));
      op->erase();
    } else if (isa<arith::MulIOp, arith::MaxSIOp>(op)) {
      replace(op, false, false, /*conjunction=*/true);
    } else if (isa<arith::MinSIOp>(op)) {
      replace(op, false, false, /*conjunction=*/false);
    } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      P predicate = compare.getPredicate();
      if (predicate == P::slt || predicate == P::sgt)
        replace(op, predicate == P::sgt, predicate == P::slt, true);
      else if (predicate == P::sle || predicate == P::sge)
        replace(op, predicate == P::sge, predicate == P::sle, false);
    }
  });
}

/// `x`, or a zero of its sign if it is subnormal, by integer operations: a
/// device may flush floats or not.
static Expr flush(const Expr &x) {
  APFloat infinity =
      APFloat::getInf(cast<FloatType>(x.getType()).getFloatSemantics());
  ExprBuilder b = x.builder();
  Type word = x.integerType();
  Expr exponentBits =
      b.constant(word, infinity.bitcastToAPInt().getZExtValue());
  Expr signBit = b.constant(word, llvm::minIntN(x.width()));
  Expr zero = b.constant(word, 0), bits = bitsOf(x);
  Expr isSmall = (bits & exponentBits) == zero;
  return fromBits(select(isSmall, bits & signBit, bits));
}

/// f64 as f16, rounded once. Lavapipe goes through f32 and rounds twice, which
/// is right if the first rounding is to odd: what is not exact gets a last bit
/// that no second rounding takes for a tie.
static Expr truncateToHalf(const Expr &x) {
  OpBuilder &b = x.builder().ir();
  Expr single = x.truncate(b.getF32Type()), wide = single.extend(x.getType());
  Expr exact = wide == x, magnitude = abs(wide), away = magnitude > abs(x);
  Expr bits = bitsOf(single), odd = select(away, bits - 1, bits) | 1;
  return fromBits(select(exact, bits, odd)).truncate(b.getF16Type());
}

/// The remainder with the sign of x. SPIR-V's own leaves negative operands
/// open, and MLIR takes the least number, which has no absolute value, for
/// positive.
static Expr signedRemainder(const Expr &x, const Expr &y) {
  Expr last = x.constant(x.width() - 1);
  // Negated where `sign` is -1.
  auto signedAs = [](const Expr &number, const Expr &sign) {
    return (number ^ sign) - sign;
  };
  auto magnitude = [&](const Expr &number) {
    return signedAs(number, shiftRightSigned(number, last));
  };
  Expr dividend = magnitude(x), rest = dividend % magnitude(y);
  return signedAs(rest, shiftRightSigned(x, last));
}

static void expandRemainders(Operation *module) {
  module->walk([](arith::RemSIOp op) {
    OpBuilder builder(op);
    ExprBuilder b(builder, op.getLoc());
    Expr x = b(op.getLhs()), y = b(op.getRhs());
    // Indices are never negative.
    op.getResult().replaceAllUsesWith(
        isa<IntegerType>(op.getType()) ? signedRemainder(x, y) : x % y);
    op.erase();
  });
}

static void expandFloats(Operation *module) {
  module->walk([](Operation *op) {
    OpBuilder builder(op);
    ExprBuilder b(builder, op->getLoc());
    Value result;
    if (auto flushed = dyn_cast<FlushOp>(op))
      result = flush(b(flushed.getNumber()));
    else if (isa<arith::TruncFOp>(op) && op->getOperand(0).getType().isF64() &&
             op->getResult(0).getType().isF16())
      result = truncateToHalf(b(op->getOperand(0)));
    else
      return;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}

/// `number` in a way that drivers cannot know what it is: a workgroup's third
/// number is 0, too.
static Expr hide(const Expr &number) {
  Expr zero = number.builder().make<gpu::BlockIdOp>(gpu::Dimension::z);
  zero = number.builder().make<arith::IndexCastOp>(number.getType(), zero);
  return number | zero;
}

static Value hiddenConstant(Operation *user, Type type, const APFloat &value) {
  OpBuilder b(user);
  Type word = b.getIntegerType(type.getIntOrFloatBitWidth());
  Expr bits = ExprBuilder(b, user->getLoc())
                  .constant(word, value.bitcastToAPInt().getZExtValue());
  return hide(bits).bitcast(type);
}

/// Hides the operand if it is a constant float of which `mustHide` holds.
static void hideConstant(OpOperand &operand,
                         function_ref<bool(const APFloat &)> mustHide) {
  APFloat value(0.0f);
  if (!matchPattern(operand.get(), m_ConstantFloat(&value)) || !mustHide(value))
    return;
  operand.set(
      hiddenConstant(operand.getOwner(), operand.get().getType(), value));
}

/// Lavapipe (Mesa 22.3) takes x * 0 and 0 / x for 0, x + 0 and x - (-0) for x
/// and 0 - x for -x, whatever x is, where it sees the constant, be it after
/// unrolling a loop. With `exact` no loop begins with a number that it knows: a
/// turn may make a 0 of it.
static void hideZeros(Operation *module, bool exact) {
  module->walk([&](Operation *op) {
    bool isLoop = isa<scf::ForOp, scf::WhileOp>(op);
    if (!isLoop &&
        !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      hideConstant(operand, [&](const APFloat &value) {
        return value.isZero() || value.isDenormal() || (exact && isLoop);
      });
  });
}

/// NVIDIA (580) takes a -0 that a turn of a loop hands to the next for 0, where
/// it sees the constant. With `exact` turns hand on no number that is known, as
/// in hideZeros.
static void hideCarriedZeros(Operation *module, bool exact) {
  module->walk([&](Operation *op) {
    bool isCarried = isa<scf::YieldOp>(op) &&
                     isa<scf::ForOp, scf::WhileOp>(op->getParentOp());
    if (!isCarried && !isa<scf::ConditionOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      hideConstant(operand, [&](const APFloat &value) {
        return value.isNegZero() || exact;
      });
  });
}

/// Lavapipe (Mesa 22.3) makes 0 or -1, as a condition says, the negative of 0
/// or 1, which is -0, where it sees the constants. With `exact` every 0, 1 and
/// -1 that is chosen is hidden: it finds that the condition is known, and then
/// a zero is as in hideZeros, or that the other number is -0, and takes that
/// and 1 for 0 and 1. The branches of an scf.if choose, too.
static void hideChosenNumbers(Operation *module, bool exact) {
  auto hide = [&](Operation *op, OpOperand &chosen, Value other) {
    APFloat value(0.0f), one(0.0f);
    if (!matchPattern(chosen.get(), m_ConstantFloat(&value)))
      return;
    bool isPair = value.isZero() &&
                  matchPattern(other, m_ConstantFloat(&one)) &&
                  one.isExactlyValue(-1);
    bool isSimple = value.isZero() || abs(value).isExactlyValue(1);
    if (!isPair && !(exact && isSimple))
      return;
    chosen.set(hiddenConstant(op, chosen.get().getType(), value));
  };
  module->walk([&](Operation *op) {
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      hide(op, op->getOpOperand(1), select.getFalseValue());
      hide(op, op->getOpOperand(2), select.getTrueValue());
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || op->getNumResults() == 0)
      return;
    Operation *one = branch.thenYield(), *other = branch.elseYield();
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      hide(one, one->getOpOperand(i), other->getOperand(i));
      hide(other, other->getOpOperand(i), one->getOperand(i));
    }
  });
}

/// Where lavapipe unrolls a loop it sees what floats are made of its counter
/// and of what it leaves: a 0 among them is as in hideZeros.
static void hideUnrolledNumbers(Operation *module) {
  module->walk([](Operation *op) {
    OpBuilder builder(op);
    ExprBuilder b(builder, op->getLoc());
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
      Expr number = b(op->getOperand(0));
      Type i32 = builder.getI32Type();
      if (number.getType().isInteger(1))
        number = isa<arith::SIToFPOp>(op) ? number.signExtend(i32)
                                          : number.extend(i32);
      op->setOperand(0, hide(number));
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      builder.setInsertionPointAfter(op);
      for (Value result : op->getResults()) {
        if (!result.getType().isInteger(32) && !result.getType().isInteger(64))
          continue;
        Value hidden = hide(b(result));
        result.replaceAllUsesExcept(hidden, hidden.getDefiningOp());
      }
    }
  });
}

/// Lavapipe (Mesa 22.3) compares an i64 that was sign-extended with a constant
/// as if it were another number, where it sees the constant.
static void hideComparedConstants(Operation *module) {
  module->walk([](arith::CmpIOp op) {
    if (!op.getLhs().getType().isInteger(64))
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      Value other = op->getOperand(1 - operand.getOperandNumber());
      if (!other.getDefiningOp<arith::ExtSIOp>() ||
          !matchPattern(operand.get(), m_Constant()))
        continue;
      OpBuilder b(op);
      operand.set(hide(ExprBuilder(b, op.getLoc())(operand.get())));
    }
  });
}

/// A second round over a kernel finds next to nothing, and its regions have a
/// block each: both take as long as the first round does.
std::unique_ptr<Pass> gpuvm::createSimplifyPass() {
  GreedyRewriteConfig once;
  once.setMaxIterations(1);
  once.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(once);
}

/// ctlz and roundeven in terms of other operations.
FrozenRewritePatternSet gpuvm::makeExpandPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  math::populateExpansionPatterns(patterns, {"ctlz", "roundeven"});
  return std::move(patterns);
}

void gpuvm::addExpandPasses(OpPassManager &passes) {
  passes.addPass(arith::createArithExpandOpsPass());
  // The canonicalizer looks at all of a loop or branch again when it has
  // changed an operation in it: it gets as few of them as there may be.
  passes.addPass(createCSEPass());
  passes.addPass(createSimplifyPass());
  passes.addPass(createCSEPass());
}

LogicalResult gpuvm::expandOps(gpu::GPUModuleOp module,
                               const FrozenRewritePatternSet &patterns,
                               PassManager &passes, bool exact) {
  expandBfloat16(module);
  expandCasts(module);
  expandBooleans(module);
  expandRemainders(module);
  expandExtrema(module);
  walkAndApplyPatterns(module, patterns);
  expandMath(module);
  expandFloats(module);
  if (failed(passes.run(module)))
    return failure();
  hideZeros(module, exact);
  hideCarriedZeros(module, exact);
  hideChosenNumbers(module, exact);
  if (exact)
    hideUnrolledNumbers(module);
  hideComparedConstants(module);
  return success();
}
