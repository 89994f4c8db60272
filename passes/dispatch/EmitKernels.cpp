//===- EmitKernels.cpp - each kernel as a spirv.module --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that differ only in their names and windows' offsets share one
// module. What the plan says of a kernel besides its code is kept in attributes
// of the module.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/Launches.h"
#include "kernels/loops/LongLoops.h"
#include "kernels/spirv/SpirvPasses.h"
#include "passes/Passes.h"
#include "passes/fusion/CodeSize.h"
#include "passes/plan/Commands.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassInstrumentation.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_EMITKERNELS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-emit-kernels"
ALWAYS_ENABLED_STATISTIC(numEmitted, "Distinct kernels emitted");

/// docs/plan-format.md, V12.
static constexpr uint64_t kMaxSpirvBytes = 4 << 20;

namespace {
struct EmitKernels : gpuvm::impl::EmitKernelsBase<EmitKernels> {
  using Base::Base;
  EmitKernels(const EmitKernels &other) : Base(other) {}
  void runOnOperation() override;
  LogicalResult emit(KernelOp kernel);
  StringAttr insert(EmittedKernel &emitted, const Twine &name,
                    LaunchAttr launch);
  spirv::ModuleOp lookup(StringAttr name) {
    return symbols->lookup<spirv::ModuleOp>(name.getValue());
  }
  LogicalResult emitVariants(KernelOp kernel, StringAttr name);
  LogicalResult readExternal(ExternKernelOp kernel);

  /// For tests; no plan may have more.
  Option<uint64_t> maxSpirvBytes{
      *this, "max-spirv-bytes", llvm::cl::Hidden,
      llvm::cl::desc("Bytes of SPIR-V that a kernel may have"),
      llvm::cl::init(kMaxSpirvBytes)};

  struct Emitted {
    StringAttr name;              ///< Of the module.
    SmallVector<unsigned> unread; ///< Operands that it does without.
  };
  llvm::StringMap<Emitted> emitted; ///< By kernel text.
  std::optional<SpirvPasses> passes;
  std::optional<SymbolTable> symbols;
};
} // namespace

/// What decides the code of a kernel: its body, root, launches and bindings.
static std::string kernelText(KernelOp kernel) {
  BindingLayout layout = layOutBindings(kernel);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyRoot(kernel.getRoot()) << kernel->hasAttr(kResumesAttr);
  for (ArrayRef<unsigned> bindings :
       {ArrayRef(layout.inputs), ArrayRef(layout.outputs),
        ArrayRef(layout.scratch)}) {
    os << '[';
    llvm::interleaveComma(bindings, os);
    os << ']';
  }
  if (std::optional<ArrayAttr> launches = kernel.getLaunches())
    os << *launches;
  OpPrintingFlags flags;
  flags.useLocalScope().printGenericOpForm().enableDebugInfo(false);
  for (BlockArgument argument : kernel.getBody().getArguments())
    os << argument.getType() << ';';
  AsmState names(kernel, flags); // Numbers the values once, not for each op.
  for (Operation &op : kernel.getBody().front())
    op.print(os, names);
  return text;
}

static ArrayAttr
bindingAttrs(MLIRContext *context,
             const llvm::MapVector<unsigned, BindingUse> &uses) {
  std::map<unsigned, Attribute> sorted;
  for (const auto &[binding, use] : uses) {
    unsigned access = (use.reads ? 1 : 0) | (use.writes ? 2 : 0);
    sorted[binding] = chain::BindingAttr::get(
        context, binding, static_cast<chain::Access>(access));
  }
  return ArrayAttr::get(context,
                        llvm::to_vector(llvm::make_second_range(sorted)));
}

/// The operands that no lane of `kernel` turned out to read, the last one
/// first: what is computed from them is never chosen.
static SmallVector<unsigned> findUnread(KernelOp kernel,
                                        const EmittedKernel &emitted) {
  BindingLayout layout = layOutBindings(kernel);
  SmallVector<unsigned> unread;
  for (unsigned i = layout.inputs.size(); i-- > 0;)
    if (!emitted.uses.contains(layout.inputs[i]))
      unread.push_back(i);
  return unread;
}

static void dropInputs(KernelOp kernel, ArrayRef<unsigned> unread) {
  Block &body = kernel.getBody().front();
  SmallVector<Attribute> windows(kernel.getInputWindows()->getValue());
  for (unsigned i : unread) {
    BlockArgument argument = body.getArgument(i);
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    auto type = cast<RankedTensorType>(argument.getType());
    argument.replaceAllUsesWith(tensor::EmptyOp::create(
        b, argument.getLoc(), type.getShape(), type.getElementType()));
    body.eraseArgument(i);
    kernel.getInputsMutable().erase(i);
    windows.erase(windows.begin() + i);
  }
  kernel.setInputWindowsAttr(ArrayAttr::get(kernel.getContext(), windows));
}

/// Adds a module of this name, or one like it, with what the plan says of it.
StringAttr EmitKernels::insert(EmittedKernel &emitted, const Twine &name,
                               LaunchAttr launch) {
  spirv::ModuleOp module = emitted.module.release();
  Builder b(&getContext());
  module->setAttr("gpuvm.bindings", bindingAttrs(&getContext(), emitted.uses));
  module->setAttr("gpuvm.features", b.getStrArrayAttr(emitted.features));
  module->setAttr("gpuvm.lanes", b.getI64IntegerAttr(emitted.lanes));
  module->setAttr("gpuvm.workgroup_bytes",
                  b.getI64IntegerAttr(emitted.workgroupBytes));
  module->setAttr("gpuvm.launch", launch);
  module.setName(name.str());
  return symbols->insert(module);
}

/// Adds what takes the place of `kernel`, which was emitted as module `name`,
/// on devices that can run another launch than the last one.
LogicalResult EmitKernels::emitVariants(KernelOp kernel, StringAttr name) {
  SmallVector<Attribute> variants;
  SmallVector<LaunchAttr> launches = getLaunches(kernel);
  for (LaunchAttr launch : ArrayRef(launches).drop_back()) {
    FailureOr<EmittedKernel> variant = emitKernel(
        kernel, configureLaunch(kernel, launch), {exact, spins}, *passes);
    if (failed(variant))
      return failure();
    if (failed(checkCodeSize(kernel, *variant->module, maxSpirvBytes)))
      return failure();
    variants.push_back(insert(
        *variant, name.getValue() + "_" + stringifyLaunchForm(launch.getForm()),
        launch));
  }
  if (!variants.empty())
    lookup(name)->setAttr("gpuvm.variants",
                          ArrayAttr::get(&getContext(), variants));
  return success();
}

LogicalResult EmitKernels::emit(KernelOp kernel) {
  auto [entry, isNew] = emitted.try_emplace(kernelText(kernel));
  auto &[name, unread] = entry->second;
  if (PassInstrumentor *observer = getAnalysisManager().getPassInstrumentor())
    observer->runBeforeAnalysis(
        ("kernel \"" + kernel.getSymName() + "\"").str(), getTypeID(), kernel);
  if (!isNew) {
    dropInputs(kernel, unread);
  } else {
    if (failed(checkLaunches(kernel)))
      return failure();
    EmitOptions options{exact, spins};
    FailureOr<EmittedKernel> result =
        emitKernel(kernel, configureKernel(kernel), options, *passes);
    if (succeeded(result)) {
      unread = findUnread(kernel, *result);
      dropInputs(kernel, unread);
      if (!unread.empty())
        result = emitKernel(kernel, configureKernel(kernel), options, *passes);
    }
    if (failed(result))
      return failure();
    if (failed(checkCodeSize(kernel, *result->module, maxSpirvBytes)))
      return failure();
    name = insert(*result, kernel.getSymName(), getLaunches(kernel).back());
    if (kernel->hasAttr(kResumesAttr))
      lookup(name)->setAttr(
          kUnfinishedAttr,
          Builder(&getContext())
              .getI64IntegerAttr(layOutBindings(kernel).scratch.back()));
    if (failed(emitVariants(kernel, name)))
      return failure();
    ++numEmitted;
  }
  kernel.setEmittedAttr(FlatSymbolRefAttr::get(name));
  return success();
}

/// Reads the words of an external kernel from its file, whose path is relative
/// to the source file.
LogicalResult EmitKernels::readExternal(ExternKernelOp kernel) {
  if (kernel.getSpirv())
    return success();
  llvm::SmallString<128> path(kernel.getPath());
  if (auto file = kernel.getLoc()->findInstanceOf<FileLineColLoc>();
      file && llvm::sys::path::is_relative(path)) {
    path = llvm::sys::path::parent_path(file.getFilename());
    llvm::sys::path::append(path, kernel.getPath());
  }
  // A pipe or a device may have no end.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status)) {
    if (!llvm::sys::fs::is_regular_file(status))
      return kernel.emitOpError("cannot read \"")
             << path << "\" (it is not a regular file)";
    if (status.getSize() > kMaxSpirvBytes)
      return kernel.emitOpError("cannot take \"")
             << path << "\": it has " << status.getSize()
             << " bytes, and a module at most " << kMaxSpirvBytes;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  if (!buffer)
    return kernel.emitOpError("cannot read \"")
           << path << "\" (" << buffer.getError().message() << ')';
  StringRef bytes = (*buffer)->getBuffer();
  constexpr uint32_t kMagic = 0x07230203; // SPIR-V specification, 2.3.
  SmallVector<int32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  if (bytes.size() % 4 != 0 || words.size() < 5 ||
      static_cast<uint32_t>(words[0]) != kMagic)
    return kernel.emitOpError("\"") << path << "\" is not a SPIR-V module";
  kernel.setSpirv(words);
  return success();
}

void EmitKernels::runOnOperation() {
  emitted.clear();
  passes.emplace(&getContext());
  symbols.emplace(getOperation());
  LogicalResult result = success();
  for (auto program : getOperation().getOps<ProgramOp>()) {
    for (auto kernel : program.getBody().getOps<ExternKernelOp>())
      if (failed(readExternal(kernel)))
        result = failure();
    for (auto kernel : listOps<KernelOp>(program))
      if (failed(emit(kernel))) {
        result = failure();
        break;
      }
  }
  if (failed(result))
    signalPassFailure();
}
