//===- Emitter.cpp - from a kernel op to a kernel -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Emitter.h"

#include "dialects/gpuvm/Target.h"
#include "kernels/Launches.h"
#include "kernels/family/Family.h"
#include "kernels/family/RootEmitter.h"
#include "kernels/spirv/LowerToSpirv.h"
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

/// Indices are signed numbers of 32 bits, and loops step beyond their end by
/// what all lanes of a dispatch take.
static constexpr int64_t kMaxElements =
    std::numeric_limits<int32_t>::max() - (int64_t(1) << 20);

static LogicalResult checkLimits(flow::DispatchOp op,
                                 const BindingLayout &bindings) {
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
  int64_t reduced = layOutKernel(op)->elements;
  if (reduced > kMaxElements)
    return op.emitError("reduces ")
           << reduced << " elements to one, too many (" << kMaxElements
           << " at most: indices have 32 bits on the device)";
  int64_t mostBindings = getMainTarget(op).getBindings();
  if (int64_t(bindings.windows.size()) <= mostBindings)
    return success();
  InFlightDiagnostic error = op.emitError("kernel \"")
                             << op.getSymName() << "\" needs "
                             << bindings.windows.size() << " windows (at most "
                             << mostBindings << " are allowed)";
  if (!bindings.splits.empty())
    error.attachNote() << "values of more than "
                       << getMaxWindowBytes(op->getParentOfType<ProgramOp>())
                       << " bytes are split into windows "
                          "(--max-window-bytes)";
  return failure();
}

static FailureOr<EmittedKernel> emitModule(flow::DispatchOp op,
                                           const KernelLayout &layout,
                                           const EmitOptions &options,
                                           SpirvPasses &passes) {
  MLIRContext *context = op.getContext();
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op.getLoc());
  OpBuilder b(context);
  b.setInsertionPointToStart(scratch->getBody());
  BindingLayout bindings = layOutBindings(op);
  if (failed(checkLimits(op, bindings)))
    return failure();
  KernelBuilder kernel(b, op.getLoc(), op.getSymName(), layout.lanes);
  for (const SplitWindow &split : bindings.splits)
    kernel.splitWindow(split.bindings, split.pieceBytes);
  for (const BundledWindow &part : bindings.bundled)
    kernel.bundleWindow(part.number, part.binding, part.offset);
  auto bindingOf = [&](BlockArgument argument) {
    return bindings.inputs[argument.getArgNumber()];
  };
  ElementEmitter elements(kernel, bindingOf, options.exact);
  if (layout.dotProducts)
    elements.useDotProducts();
  if (layout.wide)
    kernel.useWideLoads();
  EmitterContext emitter{op,       layout,        bindings,     kernel,
                         elements, options.exact, options.spins};
  const KernelFamily &family = getFamily(op);
  if (failed(family.emit(emitter)))
    return failure();
  gpu::GPUModuleOp module = kernel.finish();
  auto spirvModule =
      lowerToSpirv(module, kernel.bindings(), options.exact, passes);
  if (failed(spirvModule))
    return failure();
  EmittedKernel result;
  result.module = std::move(*spirvModule);
  result.uses = kernel.bindings();
  result.lanes = layout.lanes;
  result.workgroupBytes = kernel.workgroupBytes();
  result.features = featuresOf(*result.module);
  family.addFeatures(op, layout, result.features);
  return result;
}

FailureOr<EmittedKernel> gpuvm::emitKernel(flow::DispatchOp op,
                                           const KernelLayout &layout,
                                           const EmitOptions &options,
                                           SpirvPasses &passes) {
  std::atomic<bool> hasReason = false; // What failed has mostly said why.
  ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &said) {
    if (said.getSeverity() == DiagnosticSeverity::Error)
      hasReason = true;
    return failure(); // Others print it.
  });
  FailureOr<EmittedKernel> result = emitModule(op, layout, options, passes);
  if (failed(result) && !hasReason)
    op.emitError("kernel \"") << op.getSymName() << "\" cannot be emitted";
  return result;
}
