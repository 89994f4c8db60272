//===- LowerToSpirv.cpp - gpu, scf, arith, math, memref to SPIR-V ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One conversion with the patterns of all dialects together (single-dialect
// passes one after the other leave casts behind, and convert-gpu-to-spirv has
// no math), for SPIR-V 1.3: with a later target spirv-lower-abi-attrs lists the
// buffers in OpEntryPoint, and spirv-update-vce then lowers the version below
// the one that allows it.
//
//===----------------------------------------------------------------------===//

#include "kernels/Emitter.h"
#include "kernels/LoopToSpirv.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::gpuvm;

static spirv::TargetEnvAttr targetEnvironment(MLIRContext *context) {
  using C = spirv::Capability;
  using E = spirv::Extension;
  auto triple = spirv::VerCapExtAttr::get(
      spirv::Version::V_1_3,
      {C::Shader, C::Int8, C::Int16, C::Int64, C::Float16, C::Float64,
       C::StorageBuffer8BitAccess, C::StorageBuffer16BitAccess,
       C::RoundingModeRTE, C::SignedZeroInfNanPreserve},
      {E::SPV_KHR_storage_buffer_storage_class, E::SPV_KHR_8bit_storage,
       E::SPV_KHR_16bit_storage, E::SPV_KHR_float_controls},
      context);
  return spirv::TargetEnvAttr::get(
      triple, spirv::getDefaultResourceLimits(context),
      spirv::ClientAPI::Vulkan, spirv::Vendor::Unknown,
      spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}

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

/// The greater (or lesser) of x and y, where SPIR-V's own operations leave open
/// what becomes of a NaN and of zeros of both signs: -0 is less than +0 and a
/// NaN is kept or ignored. Of equal numbers only zeros differ, in their sign.
static Value extremum(OpBuilder &b, Location loc, Value x, Value y,
                      bool greatest, bool keepsNaN) {
  using P = arith::CmpFPredicate;
  Type type = x.getType();
  Type word = b.getIntegerType(type.getIntOrFloatBitWidth());
  auto compare = [&](P predicate, Value left, Value right) {
    return arith::CmpFOp::create(b, loc, predicate, left, right);
  };
  Value xBits = arith::BitcastOp::create(b, loc, word, x);
  Value yBits = arith::BitcastOp::create(b, loc, word, y);
  Value bits = greatest ? Value(arith::AndIOp::create(b, loc, xBits, yBits))
                        : Value(arith::OrIOp::create(b, loc, xBits, yBits));
  Value both = arith::BitcastOp::create(b, loc, type, bits);
  Value result =
      arith::SelectOp::create(b, loc, compare(P::OEQ, x, y), both, y);
  Value first = compare(greatest ? P::OGT : P::OLT, x, y);
  result = arith::SelectOp::create(b, loc, first, x, result);
  // With one NaN or two, `result` is y.
  Value other = keepsNaN ? x : y;
  return arith::SelectOp::create(b, loc, compare(P::UNO, other, other), x,
                                 result);
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

static void expandFloats(Operation *module) {
  module->walk([](Operation *op) {
    OpBuilder b(op);
    Value result;
    if (auto flushed = dyn_cast<FlushOp>(op))
      result = flush(b, op->getLoc(), flushed.getNumber());
    else if (isa<arith::TruncFOp>(op) && op->getOperand(0).getType().isF64() &&
             op->getResult(0).getType().isF16())
      result = truncateToHalf(b, op->getLoc(), op->getOperand(0));
    else if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                 arith::MinNumFOp>(op))
      result = extremum(b, op->getLoc(), op->getOperand(0), op->getOperand(1),
                        isa<arith::MaximumFOp, arith::MaxNumFOp>(op),
                        isa<arith::MaximumFOp, arith::MinimumFOp>(op));
    else
      return;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}

/// Lavapipe (Mesa 22.3) takes x * 0 and 0 / x for 0 and x + 0 for x, whatever x
/// is, where it sees the constant, be it after unrolling a loop. A workgroup's
/// third number is 0, too.
static void hideZeros(Operation *module) {
  module->walk([](Operation *op) {
    if (!isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, scf::ForOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      APFloat value(0.0f);
      if (!matchPattern(operand.get(), m_ConstantFloat(&value)) ||
          !(value.isZero() || value.isDenormal()))
        continue;
      OpBuilder b(op);
      Location loc = op->getLoc();
      Type type = operand.get().getType();
      Type word = b.getIntegerType(type.getIntOrFloatBitWidth());
      Value bits = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(word, value.bitcastToAPInt()));
      Value number = gpu::BlockIdOp::create(b, loc, gpu::Dimension::z);
      number = arith::IndexCastOp::create(b, loc, word, number);
      bits = arith::OrIOp::create(b, loc, bits, number);
      operand.set(arith::BitcastOp::create(b, loc, type, bits));
    }
  });
}

/// Ops without a SPIR-V pattern in terms of those that have one.
static LogicalResult expandOps(Operation *module) {
  expandBooleans(module);
  expandFloats(module);
  PassManager passes(module->getContext(), module->getName().getStringRef());
  OpPassManager &nested = passes.nest<gpu::GPUModuleOp>();
  nested.addPass(arith::createArithExpandOpsPass());
  nested.addPass(math::createMathExpandOpsPass(
      {{"exp2", "cbrt", "tanf", "ctlz", "roundeven", "fpowi", "trunc"}}));
  nested.addPass(createCanonicalizerPass());
  nested.addPass(createCSEPass());
  if (failed(passes.run(module)))
    return failure();
  hideZeros(module);
  return success();
}

static LogicalResult convert(gpu::GPUModuleOp module,
                             spirv::TargetEnvAttr target) {
  MLIRContext *context = module.getContext();
  SPIRVConversionOptions options;
  options.use64bitIndex = false;
  SPIRVTypeConverter converter(target, options);
  ScfToSPIRVContext scf;
  RewritePatternSet patterns(context);
  populateMMAToSPIRVCoopMatrixTypeConversion(converter);
  populateGPUToSPIRVPatterns(converter, patterns);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  populateMemRefToSPIRVPatterns(converter, patterns);
  populateVectorToSPIRVPatterns(converter, patterns);
  populateBuiltinFuncToSPIRVPatterns(converter, patterns);
  populateSCFToSPIRVPatterns(converter, scf, patterns);
  populateLoopToSpirvPatterns(converter, patterns);
  std::unique_ptr<ConversionTarget> legal = SPIRVConversionTarget::get(target);
  return applyFullConversion(module, *legal, std::move(patterns));
}

/// Floating-point operations that NoContraction may decorate.
static bool mayContract(Operation *op) {
  return isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp,
             spirv::FNegateOp>(op);
}

/// What the conversion has no words for: aliasing views, read-only and coherent
/// windows, and that a product and a sum stay two operations, so that a result
/// does not depend on what was fused with what.
static void decorate(spirv::ModuleOp module,
                     const llvm::MapVector<unsigned, BindingUse> &uses) {
  llvm::DenseMap<unsigned, unsigned> views;
  auto unit = UnitAttr::get(module.getContext());
  for (auto variable : module.getOps<spirv::GlobalVariableOp>())
    if (auto binding = variable.getBinding())
      ++views[*binding];
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    if (!variable.getBinding())
      continue;
    const BindingUse &use = uses.find(*variable.getBinding())->second;
    if (views[*variable.getBinding()] > 1)
      variable->setAttr("aliased", unit);
    if (!use.writes)
      variable->setAttr("non_writable", unit);
    if (use.coherent)
      variable->setAttr("coherent", unit);
  }
  module.walk([&](Operation *op) {
    if (mayContract(op))
      op->setAttr("no_contraction", unit);
  });
}

/// Rounds to nearest even and keeps the sign of zero, infinities and NaNs, if
/// the module computes in f32 at all.
static void addFloatControls(spirv::ModuleOp module) {
  bool computes = false;
  module.walk([&](Operation *op) {
    computes |= mayContract(op) && op->getResult(0).getType().isF32();
  });
  if (!computes)
    return;
  auto function = *module.getOps<spirv::FuncOp>().begin();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  constexpr int32_t kWidth = 32;
  for (auto mode : {spirv::ExecutionMode::RoundingModeRTE,
                    spirv::ExecutionMode::SignedZeroInfNanPreserve})
    spirv::ExecutionModeOp::create(b, module.getLoc(), function, mode, kWidth);
}

FailureOr<OwningOpRef<spirv::ModuleOp>>
gpuvm::lowerToSpirv(gpu::GPUModuleOp module,
                    const llvm::MapVector<unsigned, BindingUse> &uses,
                    const EmitOptions &options) {
  MLIRContext *context = module.getContext();
  spirv::TargetEnvAttr target = targetEnvironment(context);
  auto parent = module->getParentOfType<ModuleOp>();
  parent->setAttr(spirv::getTargetEnvAttrName(), target);
  if (failed(expandOps(parent)) || failed(convert(module, target)))
    return failure();
  auto modules = parent.getOps<spirv::ModuleOp>();
  if (modules.empty())
    return failure();
  spirv::ModuleOp result = *modules.begin();
  result->setAttr(spirv::getTargetEnvAttrName(), target);
  PassManager interface(context, spirv::ModuleOp::getOperationName());
  interface.addPass(spirv::createSPIRVLowerABIAttributesPass());
  if (failed(interface.run(result)))
    return failure();
  if (options.exact)
    addFloatControls(result);
  PassManager passes(context, spirv::ModuleOp::getOperationName());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(spirv::createSPIRVUpdateVCEPass());
  if (failed(passes.run(result)))
    return failure();
  decorate(result, uses);
  result->removeAttr(spirv::getTargetEnvAttrName());
  result->remove();
  return OwningOpRef<spirv::ModuleOp>(result);
}
