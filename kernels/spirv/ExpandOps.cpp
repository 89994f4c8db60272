//===- ExpandOps.cpp - operations in terms of what SPIR-V has -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/ExpandOps.h"

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
    OpBuilder b(op);
    Value one = arith::ConstantOp::create(b, op->getLoc(), b.getBoolAttr(true));
    auto operand = [&](unsigned i, bool invert) -> Value {
      Value x = op->getOperand(i);
      return invert ? arith::XOrIOp::create(b, op->getLoc(), x, one) : x;
    };
    Value x = operand(0, invertFirst), y = operand(1, invertSecond);
    Value result = conjunction
                       ? Value(arith::AndIOp::create(b, op->getLoc(), x, y))
                       : Value(arith::OrIOp::create(b, op->getLoc(), x, y));
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
static Value flush(OpBuilder &b, Location loc, Value x) {
  auto type = cast<FloatType>(x.getType());
  Type word = b.getIntegerType(type.getWidth());
  auto constant = [&](const APFloat &value) {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(word, value.bitcastToAPInt()));
  };
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Value exponentBits = constant(APFloat::getInf(semantics));
  Value signBit = constant(APFloat::getZero(semantics, /*Negative=*/true));
  Value zero = constant(APFloat::getZero(semantics));
  Value bits = arith::BitcastOp::create(b, loc, word, x);
  Value exponent = arith::AndIOp::create(b, loc, bits, exponentBits);
  Value small =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, exponent, zero);
  Value sign = arith::AndIOp::create(b, loc, bits, signBit);
  Value kept = arith::SelectOp::create(b, loc, small, sign, bits);
  return arith::BitcastOp::create(b, loc, type, kept);
}

/// f64 as f16, rounded once. Lavapipe goes through f32 and rounds twice, which
/// is right if the first rounding is to odd: what is not exact gets a last bit
/// that no second rounding takes for a tie.
static Value truncateToHalf(OpBuilder &b, Location loc, Value x) {
  auto constant = [&](int32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value single = arith::TruncFOp::create(b, loc, b.getF32Type(), x);
  Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), single);
  Value exact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, wide, x);
  Value away = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                     math::AbsFOp::create(b, loc, wide),
                                     math::AbsFOp::create(b, loc, x));
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), single);
  Value toZero = arith::SelectOp::create(
      b, loc, away, arith::SubIOp::create(b, loc, bits, constant(1)), bits);
  Value odd = arith::OrIOp::create(b, loc, toZero, constant(1));
  bits = arith::SelectOp::create(b, loc, exact, bits, odd);
  single = arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
  return arith::TruncFOp::create(b, loc, b.getF16Type(), single);
}

/// The remainder with the sign of x. SPIR-V's own leaves negative operands
/// open, and MLIR takes the least number, which has no absolute value, for
/// positive.
static Value signedRemainder(OpBuilder &b, Location loc, Value x, Value y) {
  Type type = x.getType();
  Value width = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, type.getIntOrFloatBitWidth() - 1));
  // Negated where `sign` is -1.
  auto signedAs = [&](Value number, Value sign) -> Value {
    Value flipped = arith::XOrIOp::create(b, loc, number, sign);
    return arith::SubIOp::create(b, loc, flipped, sign);
  };
  auto magnitude = [&](Value number) {
    return signedAs(number, arith::ShRSIOp::create(b, loc, number, width));
  };
  Value rest = arith::RemUIOp::create(b, loc, magnitude(x), magnitude(y));
  return signedAs(rest, arith::ShRSIOp::create(b, loc, x, width));
}

static void expandRemainders(Operation *module) {
  module->walk([](arith::RemSIOp op) {
    OpBuilder b(op);
    Value x = op.getLhs(), y = op.getRhs();
    // Indices are never negative.
    op.getResult().replaceAllUsesWith(
        isa<IntegerType>(op.getType())
            ? signedRemainder(b, op.getLoc(), x, y)
            : Value(arith::RemUIOp::create(b, op.getLoc(), x, y)));
    op.erase();
  });
}

static void expandFloats(Operation *module) {
  module->walk([](Operation *op) {
    OpBuilder b(op);
    Value result;
    if (auto flushed = dyn_cast<FlushOp>(op))
      result = flush(b, op->getLoc(), flushed.getNumber());
    else if (isa<arith::TruncFOp>(op) && op->getOperand(0).getType().isF64() &&
             op->getResult(0).getType().isF16())
      result = truncateToHalf(b, op->getLoc(), op->getOperand(0));
    else
      return;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}

/// A constant that drivers do not see: a workgroup's third number is 0, too.
static Value hiddenConstant(OpBuilder &b, Location loc, Type type,
                            const APFloat &value) {
  Type word = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value bits = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(word, value.bitcastToAPInt()));
  Value number = gpu::BlockIdOp::create(b, loc, gpu::Dimension::z);
  number = arith::IndexCastOp::create(b, loc, word, number);
  bits = arith::OrIOp::create(b, loc, bits, number);
  return arith::BitcastOp::create(b, loc, type, bits);
}

/// Hides the operand if it is a constant float of which `mustHide` holds.
static void hideConstant(OpOperand &operand,
                         function_ref<bool(const APFloat &)> mustHide) {
  APFloat value(0.0f);
  if (!matchPattern(operand.get(), m_ConstantFloat(&value)) || !mustHide(value))
    return;
  Operation *op = operand.getOwner();
  OpBuilder b(op);
  operand.set(hiddenConstant(b, op->getLoc(), operand.get().getType(), value));
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
    OpBuilder b(op);
    chosen.set(hiddenConstant(b, op->getLoc(), chosen.get().getType(), value));
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

/// `number` in a way that drivers cannot know what it is.
static Value hideInteger(OpBuilder &b, Location loc, Value number) {
  Value zero = gpu::BlockIdOp::create(b, loc, gpu::Dimension::z);
  zero = arith::IndexCastOp::create(b, loc, number.getType(), zero);
  return arith::OrIOp::create(b, loc, number, zero);
}

/// Where lavapipe unrolls a loop it sees what floats are made of its counter
/// and of what it leaves: a 0 among them is as in hideZeros.
static void hideUnrolledNumbers(Operation *module) {
  module->walk([](Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
      Value number = op->getOperand(0);
      if (number.getType().isInteger(1))
        number =
            isa<arith::SIToFPOp>(op)
                ? Value(arith::ExtSIOp::create(b, loc, b.getI32Type(), number))
                : Value(arith::ExtUIOp::create(b, loc, b.getI32Type(), number));
      op->setOperand(0, hideInteger(b, loc, number));
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      b.setInsertionPointAfter(op);
      for (Value result : op->getResults()) {
        if (!result.getType().isInteger(32) && !result.getType().isInteger(64))
          continue;
        Value hidden = hideInteger(b, loc, result);
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
      Location loc = op.getLoc();
      Value zero = gpu::BlockIdOp::create(b, loc, gpu::Dimension::z);
      zero = arith::IndexCastOp::create(b, loc, b.getI64Type(), zero);
      operand.set(arith::OrIOp::create(b, loc, operand.get(), zero));
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
