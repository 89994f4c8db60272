//===- LowerToSpirv.cpp - gpu, scf, arith, math, memref to SPIR-V ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One conversion with the patterns of all dialects together (single-dialect
// passes one after the other leave casts behind, and convert-gpu-to-spirv has
// no math), for SPIR-V 1.3: with a later target spirv-lower-abi-attrs lists the
// buffers in OpEntryPoint, and spirv-update-vce then lowers the version below
// the one that allows it. Cooperative matrices and dot products keep it at 1.6.
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/LowerToSpirv.h"
#include "kernels/spirv/ExpandOps.h"
#include "kernels/spirv/HoistLoads.h"
#include "kernels/spirv/LoopToSpirv.h"
#include "kernels/spirv/SpirvPasses.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::gpuvm;

template <typename... Ops> static bool hasAny(Operation *op) {
  auto stop = [](Operation *inner) {
    return isa<Ops...>(inner) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return op->walk(stop).wasInterrupted();
}

static bool hasMatrices(gpu::GPUModuleOp module) {
  return hasAny<gpu::SubgroupMmaComputeOp>(module);
}

static bool hasSubgroups(gpu::GPUModuleOp module) {
  return hasAny<gpu::SubgroupSizeOp, gpu::SubgroupIdOp, gpu::LaneIdOp>(module);
}

static bool hasLongAtomics(gpu::GPUModuleOp module) {
  auto isLong = [](memref::AtomicRMWOp op) {
    return op.getType().isInteger(64) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  };
  return module->walk(isLong).wasInterrupted();
}

static spirv::TargetEnvAttr targetEnvironment(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  using C = spirv::Capability;
  using E = spirv::Extension;
  SmallVector<C> capabilities = {C::Shader,
                                 C::Int8,
                                 C::Int16,
                                 C::Int64,
                                 C::Float16,
                                 C::Float64,
                                 C::StorageBuffer8BitAccess,
                                 C::StorageBuffer16BitAccess,
                                 C::RoundingModeRTE,
                                 C::SignedZeroInfNanPreserve};
  SmallVector<E> extensions = {
      E::SPV_KHR_storage_buffer_storage_class, E::SPV_KHR_8bit_storage,
      E::SPV_KHR_16bit_storage, E::SPV_KHR_float_controls};
  auto version = spirv::Version::V_1_3;
  if (hasAny<spirv::SDotOp, spirv::UDotOp, spirv::SUDotOp>(module)) {
    version = spirv::Version::V_1_6;
    capabilities.append({C::DotProduct, C::DotProductInput4x8BitPacked});
  }
  if (hasSubgroups(module))
    capabilities.append({C::GroupNonUniform, C::GroupNonUniformArithmetic,
                         C::GroupNonUniformBallot, C::GroupNonUniformShuffle});
  if (hasLongAtomics(module))
    capabilities.push_back(C::Int64Atomics);
  if (hasMatrices(module)) {
    version = spirv::Version::V_1_6;
    capabilities.append({C::CooperativeMatrixKHR, C::VulkanMemoryModel});
    extensions.append(
        {E::SPV_KHR_cooperative_matrix, E::SPV_KHR_vulkan_memory_model});
  }
  if (module->hasAttr(KernelBuilder::kBfloat16Matrices)) {
    capabilities.append({C::BFloat16TypeKHR, C::BFloat16CooperativeMatrixKHR});
    extensions.push_back(E::SPV_KHR_bfloat16);
  }
  auto triple =
      spirv::VerCapExtAttr::get(version, capabilities, extensions, context);
  return spirv::TargetEnvAttr::get(
      triple, spirv::getDefaultResourceLimits(context),
      spirv::ClientAPI::Vulkan, spirv::Vendor::Unknown,
      spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}

namespace {
/// What MLIR's patterns leave out, make of others (logarithms to base 2), or
/// offer to OpenCL as well, where trying the wrong one first is an error.
template <typename Source, typename Target>
struct LowerTo : OpConversionPattern<Source> {
  using OpConversionPattern<Source>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Source op, typename Source::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Target>(op, op.getType(),
                                        adaptor.getOperands());
    return success();
  }
};

/// Whether one of two floats is a NaN, or none: SPIR-V compares so in OpenCL
/// alone.
struct LowerNanComparison : OpConversionPattern<arith::CmpFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::CmpFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool isOrdered = op.getPredicate() == arith::CmpFPredicate::ORD;
    if (!isOrdered && op.getPredicate() != arith::CmpFPredicate::UNO)
      return failure();
    Location loc = op.getLoc();
    Value result = spirv::LogicalOrOp::create(
        rewriter, loc, spirv::IsNanOp::create(rewriter, loc, adaptor.getLhs()),
        spirv::IsNanOp::create(rewriter, loc, adaptor.getRhs()));
    if (isOrdered)
      result = spirv::LogicalNotOp::create(rewriter, loc, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

static SPIRVConversionOptions conversionOptions() {
  SPIRVConversionOptions options;
  options.use64bitIndex = false;
  return options;
}

SpirvConversion::SpirvConversion(spirv::TargetEnvAttr target)
    : types(target, conversionOptions()), legal(*target.getContext()) {
  MLIRContext *context = target.getContext();
  // What the target has is checked at the end, by spirv-update-vce: to ask for
  // each operation takes half as long as the conversion.
  legal.addLegalDialect<spirv::SPIRVDialect>();
  RewritePatternSet all(context);
  populateMMAToSPIRVCoopMatrixTypeConversion(types);
  populateGPUToSPIRVPatterns(types, all);
  populateGpuWMMAToSPIRVCoopMatrixKHRConversionPatterns(types, all);
  arith::populateArithToSPIRVPatterns(types, all);
  populateMathToSPIRVPatterns(types, all);
  populateMemRefToSPIRVPatterns(types, all);
  populateVectorToSPIRVPatterns(types, all);
  populateBuiltinFuncToSPIRVPatterns(types, all);
  populateSCFToSPIRVPatterns(types, scf, all);
  populateLoopToSpirvPatterns(types, all);
  all.add<LowerNanComparison, LowerTo<math::CtPopOp, spirv::BitCountOp>,
          LowerTo<math::AbsFOp, spirv::GLFAbsOp>,
          LowerTo<math::AbsIOp, spirv::GLSAbsOp>,
          LowerTo<math::AcosOp, spirv::GLAcosOp>,
          LowerTo<math::AcoshOp, spirv::GLAcoshOp>,
          LowerTo<math::AsinOp, spirv::GLAsinOp>,
          LowerTo<math::AsinhOp, spirv::GLAsinhOp>,
          LowerTo<math::AtanOp, spirv::GLAtanOp>,
          LowerTo<math::AtanhOp, spirv::GLAtanhOp>,
          LowerTo<math::CeilOp, spirv::GLCeilOp>,
          LowerTo<math::CosOp, spirv::GLCosOp>,
          LowerTo<math::CoshOp, spirv::GLCoshOp>,
          LowerTo<math::Exp2Op, spirv::GLExp2Op>,
          LowerTo<math::ExpOp, spirv::GLExpOp>,
          LowerTo<math::FloorOp, spirv::GLFloorOp>,
          LowerTo<math::FmaOp, spirv::GLFmaOp>,
          LowerTo<math::Log2Op, spirv::GLLog2Op>,
          LowerTo<math::LogOp, spirv::GLLogOp>,
          LowerTo<math::RoundEvenOp, spirv::GLRoundEvenOp>,
          LowerTo<math::RsqrtOp, spirv::GLInverseSqrtOp>,
          LowerTo<math::SinOp, spirv::GLSinOp>,
          LowerTo<math::SinhOp, spirv::GLSinhOp>,
          LowerTo<math::SqrtOp, spirv::GLSqrtOp>,
          LowerTo<math::TanOp, spirv::GLTanOp>,
          LowerTo<math::TanhOp, spirv::GLTanhOp>>(types, context,
                                                  /*benefit=*/2);
  patterns = FrozenRewritePatternSet(std::move(all));
}

SpirvConversion &SpirvPasses::getConversion(spirv::TargetEnvAttr target) {
  std::unique_ptr<SpirvConversion> &conversion = conversions[target];
  if (!conversion)
    conversion = std::make_unique<SpirvConversion>(target);
  return *conversion;
}

/// Floating-point operations that NoContraction may decorate.
static bool mayContract(Operation *op) {
  return isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp,
             spirv::FNegateOp>(op);
}

/// No driver may take the loads of `variable` out of a loop.
static void makeLoadsVolatile(spirv::ModuleOp module,
                              spirv::GlobalVariableOp variable) {
  auto access = spirv::MemoryAccessAttr::get(module.getContext(),
                                             spirv::MemoryAccess::Volatile);
  module.walk([&](spirv::LoadOp load) {
    auto chain = load.getPtr().getDefiningOp<spirv::AccessChainOp>();
    auto base = chain ? chain.getBasePtr().getDefiningOp<spirv::AddressOfOp>()
                      : nullptr;
    if (base && base.getVariable() == variable.getSymName())
      load.setMemoryAccessAttr(access);
  });
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
    if (use.isVolatile)
      makeLoadsVolatile(module, variable);
  }
  module.walk([&](Operation *op) {
    if (mayContract(op))
      op->setAttr("no_contraction", unit);
  });
}

/// Whether an operation compares floats.
static bool compares(Operation *op) {
  return op->getNumOperands() > 0 && op->getNumResults() == 1 &&
         isa<FloatType>(op->getOperand(0).getType()) &&
         op->getResult(0).getType().isInteger(1);
}

/// Where a module computes in f32 or f64, or compares them, it keeps the sign
/// of zero, infinities and NaNs, lest a driver take a comparison and a
/// selection for a minimum that drops NaNs; with `exact` it also rounds to
/// nearest even, without which a plan can do without the former
/// (runtime/plan/OptionalFeatures.h).
static void addFloatControls(spirv::ModuleOp module, bool exact) {
  bool hasSingle = false, hasDouble = false;
  module.walk([&](Operation *op) {
    if (!mayContract(op) && !compares(op))
      return;
    hasSingle |= op->getOperand(0).getType().isF32();
    hasDouble |= op->getOperand(0).getType().isF64();
  });
  auto function = *module.getOps<spirv::FuncOp>().begin();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto add = [&](spirv::ExecutionMode mode, int32_t width) {
    spirv::ExecutionModeOp::create(b, module.getLoc(), function, mode, width);
  };
  auto fix = [&](int32_t width) {
    if (exact)
      add(spirv::ExecutionMode::RoundingModeRTE, width);
    add(spirv::ExecutionMode::SignedZeroInfNanPreserve, width);
  };
  if (hasSingle)
    fix(32);
  if (hasDouble)
    fix(64);
}

/// Cooperative matrices need the Vulkan memory model, in which memory that
/// invocations share is not private, and barriers say what they do with it.
static void useVulkanMemoryModel(spirv::ModuleOp module) {
  MLIRContext *context = module.getContext();
  module.setMemoryModelAttr(
      spirv::MemoryModelAttr::get(context, spirv::MemoryModel::Vulkan));
  auto shared = spirv::MemoryAccessAttr::get(
      context, spirv::MemoryAccess::NonPrivatePointer);
  auto isShared = [](Value pointer) {
    return cast<spirv::PointerType>(pointer.getType()).getStorageClass() ==
           spirv::StorageClass::Workgroup;
  };
  using S = spirv::MemorySemantics;
  module.walk([&](Operation *op) {
    if (auto load = dyn_cast<spirv::LoadOp>(op);
        load && isShared(load.getPtr()))
      load.setMemoryAccessAttr(shared);
    else if (auto store = dyn_cast<spirv::StoreOp>(op);
             store && isShared(store.getPtr()))
      store.setMemoryAccessAttr(shared);
    else if (auto load = dyn_cast<spirv::KHRCooperativeMatrixLoadOp>(op))
      load.setMemoryOperandAttr(shared);
    else if (auto store = dyn_cast<spirv::KHRCooperativeMatrixStoreOp>(op))
      store.setMemoryOperandAttr(shared);
    else if (auto barrier = dyn_cast<spirv::ControlBarrierOp>(op))
      barrier.setMemorySemantics(barrier.getMemorySemantics() |
                                 S::MakeAvailable | S::MakeVisible);
  });
}

/// What spirv-update-vce does not see: it does not look at the built-ins that
/// subgroups have, nor at the type of a matrix's elements or of an atomic
/// operation.
static void declare(spirv::ModuleOp module,
                    ArrayRef<spirv::Capability> missing) {
  spirv::VerCapExtAttr triple = *module.getVceTriple();
  SmallVector<spirv::Capability> capabilities(triple.getCapabilities());
  llvm::append_range(capabilities, missing);
  SmallVector<spirv::Extension> extensions(triple.getExtensions());
  auto version = std::max(triple.getVersion(), spirv::Version::V_1_3);
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(
      version, capabilities, extensions, module.getContext()));
}

/// Matrices of f16 stood for those of bf16.
static void useBfloat16(spirv::ModuleOp module) {
  Type bfloat16 = BFloat16Type::get(module.getContext());
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<spirv::CooperativeMatrixType>(result.getType());
          type && type.getElementType().isF16())
        result.setType(spirv::CooperativeMatrixType::get(
            bfloat16, type.getRows(), type.getColumns(), type.getScope(),
            type.getUse()));
  });
}

/// Which integers are signed is said where they are multiplied.
static void markSigned(spirv::ModuleOp module) {
  auto operands = spirv::CooperativeMatrixOperandsKHRAttr::get(
      module.getContext(), *spirv::symbolizeCooperativeMatrixOperandsKHR(
                               "ASigned|BSigned|CSigned|ResultSigned"));
  module.walk([&](spirv::KHRCooperativeMatrixMulAddOp op) {
    if (isa<IntegerType>(getElementTypeOrSelf(op.getResult().getType())))
      op.setMatrixOperandsAttr(operands);
  });
}

SpirvPasses::SpirvPasses(MLIRContext *context)
    : expandPatterns(makeExpandPatterns(context)),
      expand(context, gpu::GPUModuleOp::getOperationName()),
      interface(context, spirv::ModuleOp::getOperationName()),
      simplify(context, spirv::ModuleOp::getOperationName()) {
  // The pass that emits kernels has its result verified.
  for (PassManager *passes : {&expand, &interface, &simplify})
    passes->enableVerifier(false);
  addExpandPasses(expand);
  interface.addPass(spirv::createSPIRVLowerABIAttributesPass());
  simplify.addPass(createSimplifyPass());
  simplify.addPass(createCSEPass());
  simplify.addPass(spirv::createSPIRVUpdateVCEPass());
  // Or they would be loaded when the first kernel goes through, by whichever
  // thread emits it.
  DialectRegistry dialects;
  for (PassManager *passes : {&expand, &interface, &simplify})
    passes->getDependentDialects(dialects);
  context->appendDialectRegistry(dialects);
  for (StringRef name : dialects.getDialectNames())
    context->getOrLoadDialect(name);
}

FailureOr<OwningOpRef<spirv::ModuleOp>>
gpuvm::lowerToSpirv(gpu::GPUModuleOp module,
                    const llvm::MapVector<unsigned, BindingUse> &uses,
                    bool exact, SpirvPasses &passes) {
  bool multiplies = hasMatrices(module);
  bool withSubgroups = hasSubgroups(module);
  bool withLongAtomics = hasLongAtomics(module);
  bool hasBfloat16 = module->hasAttr(KernelBuilder::kBfloat16Matrices);
  spirv::TargetEnvAttr target = targetEnvironment(module);
  auto parent = module->getParentOfType<ModuleOp>();
  parent->setAttr(spirv::getTargetEnvAttrName(), target);
  if (failed(expandOps(module, passes.expandPatterns, passes.expand, exact)))
    return failure();
  if (module->hasAttr(KernelBuilder::kHoistsLoads))
    hoistLoads(module, uses);
  SpirvConversion &conversion = passes.getConversion(target);
  ConversionConfig config; // No pattern fails after it has changed something.
  config.allowPatternRollback = false;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(applyFullConversion(module, conversion.legal, conversion.patterns,
                                 config)))
    return failure();
  auto modules = parent.getOps<spirv::ModuleOp>();
  if (modules.empty())
    return failure();
  spirv::ModuleOp result = *modules.begin();
  result->setAttr(spirv::getTargetEnvAttrName(), target);
  if (failed(passes.interface.run(result)))
    return failure();
  addFloatControls(result, exact);
  if (multiplies) {
    useVulkanMemoryModel(result);
    markSigned(result);
  }
  if (hasBfloat16)
    useBfloat16(result);
  // Without a triple the passes did nothing: the compilation is cancelled.
  if (failed(passes.simplify.run(result)) || !result.getVceTriple())
    return failure();
  if (withSubgroups)
    declare(result, spirv::Capability::GroupNonUniform);
  if (withLongAtomics)
    declare(result, spirv::Capability::Int64Atomics);
  if (hasBfloat16)
    declare(result, spirv::Capability::BFloat16CooperativeMatrixKHR);
  decorate(result, uses);
  result->removeAttr(spirv::getTargetEnvAttrName());
  result->remove();
  return OwningOpRef<spirv::ModuleOp>(result);
}
