//===- Emitter.cpp - from a kernel op to a kernel -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Emitter.h"

#include "kernels/loops/LongLoops.h"
#include "schema/Features.h"

#include <atomic>

using namespace mlir;
using namespace mlir::gpuvm;

/// The plan's name for the matrices that `module` multiplies.
static StringRef matrixFeatureOf(spirv::ModuleOp module) {
  Type factor;
  module.walk([&](spirv::KHRCooperativeMatrixMulAddOp op) {
    factor = cast<spirv::CooperativeMatrixType>(op.getA().getType())
                 .getElementType();
  });
  if (factor.isBF16())
    return "matrix_bf16_f32";
  return factor.isF16() ? "matrix_f16_f32" : "matrix_i8_i32";
}

/// The plan's names for what `module`'s capabilities ask of a device.
static SmallVector<StringRef> featuresOf(spirv::ModuleOp module) {
  llvm::SmallSetVector<StringRef, 8> features;
  for (spirv::Capability capability :
       module.getVceTriple()->getCapabilities()) {
    std::optional<vm::Feature> feature =
        vm::featureOfCapability(static_cast<uint32_t>(capability));
    if (feature)
      features.insert(vm::toString(*feature));
    if (capability == spirv::Capability::CooperativeMatrixKHR)
      features.insert(matrixFeatureOf(module));
    if (feature == vm::Feature::SubgroupOperations ||
        capability == spirv::Capability::CooperativeMatrixKHR)
      features.insert(vm::toString(vm::Feature::Subgroup32));
  }
  for (auto mode : module.getOps<spirv::ExecutionModeOp>()) {
    bool isWide = !mode.getValues().empty() &&
                  cast<IntegerAttr>(mode.getValues()[0]).getInt() == 64;
    if (mode.getExecutionMode() == spirv::ExecutionMode::RoundingModeRTE)
      features.insert(isWide ? "round_to_even_64" : "round_to_even_32");
    if (mode.getExecutionMode() ==
        spirv::ExecutionMode::SignedZeroInfNanPreserve)
      features.insert(isWide ? "signed_zero_inf_nan_64"
                             : "signed_zero_inf_nan_32");
  }
  return llvm::to_vector(
      llvm::map_range(features, [](StringRef f) { return f; }));
}

/// What a kernel of this configuration needs, whatever its code is.
static void addFeatures(KernelOp kernel, const KernelConfig &config,
                        SmallVectorImpl<StringRef> &features) {
  if (kernel.getRoot() == Root::scan && config.subgroups &&
      !llvm::is_contained(features, "subgroup_32"))
    features.push_back("subgroup_32");
  if (getLoopForm(kernel, config) == LoopForm::Plain &&
      mayLoopLong(kernel, config))
    features.push_back("unlimited_loops");
}

static LogicalResult emitRoot(EmitterContext &emitter) {
  switch (emitter.op.getRoot()) {
  case Root::map:
    return emitMap(emitter);
  case Root::reduce:
    return emitter.config.tile ? emitContract(emitter) : emitReduce(emitter);
  case Root::attention:
    return emitAttention(emitter);
  case Root::fft:
    return emitFft(emitter);
  case Root::chain:
    return emitChain(emitter);
  case Root::scan:
    return emitScan(emitter);
  case Root::sort:
    return emitSort(emitter);
  case Root::scatter:
    return emitScatter(emitter);
  }
  llvm_unreachable("there is no other root");
}

/// maxPerStageDescriptorStorageBuffers of the least capable device, lavapipe.
static constexpr size_t kMaxBindings = 32;

/// Indices are signed numbers of 32 bits, and loops step beyond their end by
/// what all lanes of a dispatch take.
static constexpr int64_t kMaxElements =
    std::numeric_limits<int32_t>::max() - (int64_t(1) << 20);

static LogicalResult checkLimits(KernelOp op, const BindingLayout &layout) {
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getNumElements() <= kMaxElements)
      return success();
    return op.emitError("a tensor of ")
           << tensor.getNumElements() << " elements has too many ("
           << kMaxElements << " at most: indices have 32 bits on the device)";
  };
  for (Type type : op.getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Operation &inner : op.getBody().front())
    for (Type type : inner.getResultTypes())
      if (failed(check(type)))
        return failure();
  int64_t reduced = configureKernel(op).elements;
  if (reduced > kMaxElements)
    return op.emitError("reduces ")
           << reduced << " elements to one, too many (" << kMaxElements
           << " at most: indices have 32 bits on the device)";
  if (layout.windows.size() <= kMaxBindings)
    return success();
  InFlightDiagnostic error = op.emitError("kernel \"")
                             << op.getSymName() << "\" needs "
                             << layout.windows.size() << " windows (at most "
                             << kMaxBindings << " are allowed)";
  if (!layout.splits.empty())
    error.attachNote() << "values of more than "
                       << getMaxWindowBytes(op->getParentOfType<ProgramOp>())
                       << " bytes are split into windows "
                          "(--max-window-bytes)";
  return failure();
}

static FailureOr<EmittedKernel> emit(KernelOp op, const KernelConfig &config,
                                     const EmitOptions &options,
                                     SpirvPasses &passes) {
  MLIRContext *context = op.getContext();
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op.getLoc());
  OpBuilder b(context);
  b.setInsertionPointToStart(scratch->getBody());
  BindingLayout layout = layOutBindings(op);
  if (failed(checkLimits(op, layout)))
    return failure();
  KernelBuilder kernel(b, op.getLoc(), op.getSymName(), config.lanes);
  for (const SplitWindow &split : layout.splits)
    kernel.splitWindow(split.bindings, split.pieceBytes);
  auto bindingOf = [&](BlockArgument argument) {
    return layout.inputs[argument.getArgNumber()];
  };
  ElementEmitter elements(kernel, bindingOf, options.exact);
  if (config.dotProducts)
    elements.useDotProducts();
  if (config.wide)
    kernel.useWideLoads();
  EmitterContext emitter{op,       config,        layout,       kernel,
                         elements, options.exact, options.spins};
  LogicalResult emitted = emitRoot(emitter);
  if (failed(emitted))
    return failure();
  gpu::GPUModuleOp module = kernel.finish();
  auto spirvModule = lowerToSpirv(module, kernel.bindings(), options, passes);
  if (failed(spirvModule))
    return failure();
  EmittedKernel result;
  result.module = std::move(*spirvModule);
  result.uses = kernel.bindings();
  result.lanes = config.lanes;
  result.workgroupBytes = kernel.workgroupBytes();
  result.features = featuresOf(*result.module);
  addFeatures(op, config, result.features);
  return result;
}

FailureOr<EmittedKernel> gpuvm::emitKernel(KernelOp op,
                                           const KernelConfig &config,
                                           const EmitOptions &options,
                                           SpirvPasses &passes) {
  std::atomic<bool> hasReason = false; // What failed has mostly said why.
  ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &said) {
    if (said.getSeverity() == DiagnosticSeverity::Error)
      hasReason = true;
    return failure(); // Others print it.
  });
  FailureOr<EmittedKernel> result = emit(op, config, options, passes);
  if (failed(result) && !hasReason)
    op.emitError("kernel \"") << op.getSymName() << "\" cannot be emitted";
  return result;
}
