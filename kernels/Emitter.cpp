//===- Emitter.cpp - from a kernel op to a kernel -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Emitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr unsigned kNumRegions = 5;

BindingLayout gpuvm::layOutBindings(std::optional<ArrayAttr> inputs,
                                    std::optional<ArrayAttr> outputs,
                                    std::optional<ArrayAttr> scratch) {
  std::map<unsigned, WindowAttr> byBinding;
  llvm::DenseMap<WindowAttr, unsigned> known;
  unsigned next[kNumRegions] = {};
  auto place = [&](std::optional<ArrayAttr> windows,
                   SmallVectorImpl<unsigned> &to) {
    if (!windows)
      return;
    for (auto window : windows->getAsRange<WindowAttr>()) {
      auto [entry, isNew] = known.try_emplace(window, 0);
      if (isNew) {
        unsigned region = static_cast<unsigned>(window.getRegion());
        entry->second = region + kNumRegions * next[region]++;
        byBinding[entry->second] = window;
      }
      to.push_back(entry->second);
    }
  };
  BindingLayout layout;
  place(inputs, layout.inputs);
  place(outputs, layout.outputs);
  place(scratch, layout.scratch);
  for (auto [binding, window] : byBinding) {
    layout.bindings.push_back(binding);
    layout.windows.push_back(window);
  }
  return layout;
}

/// The plan's names for what `module`'s capabilities ask of a device.
static SmallVector<StringRef> featuresOf(spirv::ModuleOp module) {
  llvm::SmallSetVector<StringRef, 8> features;
  for (spirv::Capability capability :
       module.getVceTriple()->getCapabilities()) {
    switch (capability) {
    case spirv::Capability::Int8:
      features.insert("int8");
      break;
    case spirv::Capability::Int16:
      features.insert("int16");
      break;
    case spirv::Capability::Int64:
      features.insert("int64");
      break;
    case spirv::Capability::Float16:
      features.insert("float16");
      break;
    case spirv::Capability::Float64:
      features.insert("float64");
      break;
    case spirv::Capability::StorageBuffer8BitAccess:
      features.insert("storage8");
      break;
    case spirv::Capability::StorageBuffer16BitAccess:
      features.insert("storage16");
      break;
    default:
      break;
    }
  }
  for (auto mode : module.getOps<spirv::ExecutionModeOp>()) {
    if (mode.getExecutionMode() == spirv::ExecutionMode::RoundingModeRTE)
      features.insert("round_to_even_32");
    if (mode.getExecutionMode() ==
        spirv::ExecutionMode::SignedZeroInfNanPreserve)
      features.insert("signed_zero_inf_nan_32");
  }
  return llvm::to_vector(
      llvm::map_range(features, [](StringRef f) { return f; }));
}

static LogicalResult emitRoot(EmitterContext &context) {
  switch (context.op.getRoot()) {
  case Root::map:
    return emitMap(context);
  case Root::reduce:
    return emitReduce(context);
  case Root::chain:
    return emitChain(context);
  }
  llvm_unreachable("there is no other root");
}

FailureOr<EmittedKernel> gpuvm::emitKernel(KernelOp op,
                                           const EmitOptions &options) {
  MLIRContext *context = op.getContext();
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op.getLoc());
  OpBuilder b(context);
  b.setInsertionPointToStart(scratch->getBody());
  BindingLayout layout = layOutBindings(
      op.getInputWindows(), op.getOutputWindows(), op.getScratchWindows());
  KernelConfig config = configureKernel(op);
  KernelBuilder kernel(b, op.getLoc(), op.getSymName(), config.lanes);
  ElementEmitter elements(kernel, [&](BlockArgument argument) {
    return layout.inputs[argument.getArgNumber()];
  });
  EmitterContext emitter{op, config, layout, kernel, elements};
  if (failed(emitRoot(emitter)))
    return failure();
  gpu::GPUModuleOp module = kernel.finish();
  auto spirvModule = lowerToSpirv(module, kernel.bindings(), options);
  if (failed(spirvModule))
    return failure();
  EmittedKernel result;
  result.module = std::move(*spirvModule);
  result.uses = kernel.bindings();
  result.workgroupBytes = kernel.workgroupBytes();
  result.features = featuresOf(*result.module);
  return result;
}
