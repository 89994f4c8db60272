//===- EmitKernels.cpp - the kernels of the plan --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that differ only in their names and windows' offsets share one
// plan.kernel. Kernels have nothing to do with each other, so threads that the
// context has emit them side by side; they are added in program order.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "dialects/plan/Plan.h"
#include "kernels/Emitter.h"
#include "kernels/Launches.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/loops/LongLoops.h"
#include "kernels/spirv/SpirvPasses.h"
#include "passes/Passes.h"
#include "passes/analysis/Commands.h"
#include "passes/fusion/CodeSize.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Threading.h"
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

/// Pipelines that threads take turns with, the first made before there are any.
class PassesPool {
public:
  explicit PassesPool(MLIRContext *context) : context(context) {
    give(std::make_unique<SpirvPasses>(context));
  }
  std::unique_ptr<SpirvPasses> take() {
    std::lock_guard lock(mutex);
    return idle.empty() ? std::make_unique<SpirvPasses>(context)
                        : idle.pop_back_val();
  }
  void give(std::unique_ptr<SpirvPasses> passes) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(passes));
  }

private:
  MLIRContext *context;
  std::mutex mutex;
  SmallVector<std::unique_ptr<SpirvPasses>> idle;
};

/// Kernels that share their code, the first of which is emitted.
struct DistinctKernel {
  SmallVector<flow::DispatchOp> kernels;
  EmittedKernel emitted;
  /// What takes the place of `emitted` on devices that can run another launch
  /// than the last one, in the order of the launches.
  SmallVector<EmittedKernel> variants;
  /// What computes the elements whose loops `emitted` leaves unfinished.
  std::optional<EmittedKernel> resuming;

  flow::DispatchOp first() const { return kernels.front(); }
};

struct EmitKernels : gpuvm::impl::EmitKernelsBase<EmitKernels> {
  using Base::Base;
  EmitKernels(const EmitKernels &other) : Base(other) {}
  void runOnOperation() override;
  LogicalResult readExternal(ExternKernelOp kernel);
  void findDistinct();
  FailureOr<EmittedKernel> emit(flow::DispatchOp kernel,
                                const KernelLayout &layout,
                                SpirvPasses &passes);
  LogicalResult emit(DistinctKernel &distinct, SpirvPasses &passes);
  LogicalResult emitAll();
  plan::KernelOp insert(EmittedKernel &emitted, const Twine &name,
                        flow::DispatchOp kernel);
  void insert(DistinctKernel &distinct);

  /// For tests; no plan may have more.
  Option<uint64_t> maxSpirvBytes{
      *this, "max-spirv-bytes", llvm::cl::Hidden,
      llvm::cl::desc("Bytes of SPIR-V that a kernel may have"),
      llvm::cl::init(kMaxSpirvBytes)};

  std::optional<PassesPool> pool;
  std::vector<DistinctKernel> distinctKernels;
  std::optional<SymbolTable> symbols;
};

} // namespace

/// What decides the code of a kernel: its body, root, launches and bindings.
static std::string kernelText(flow::DispatchOp kernel) {
  BindingLayout layout = layOutBindings(kernel);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyRoot(kernel.getRoot());
  for (ArrayRef<unsigned> bindings :
       {ArrayRef(layout.inputs), ArrayRef(layout.outputs),
        ArrayRef(layout.scratch)}) {
    os << '[';
    llvm::interleaveComma(bindings, os);
    os << ']';
  }
  for (const BundledWindow &part : layout.bundled)
    os << part.number << ':' << part.binding << '+' << part.offset << ';';
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
    sorted[binding] = plan::BindingAttr::get(context, binding,
                                             static_cast<plan::Access>(access));
  }
  return ArrayAttr::get(context,
                        llvm::to_vector(llvm::make_second_range(sorted)));
}

//===----------------------------------------------------------------------===//
// Emitting
//===----------------------------------------------------------------------===//

void EmitKernels::findDistinct() {
  distinctKernels.clear();
  llvm::StringMap<size_t> numberOf; ///< By kernel text.
  for (auto program : getOperation().getOps<ProgramOp>())
    for (auto kernel : listOps<flow::DispatchOp>(program)) {
      auto [entry, isNew] =
          numberOf.try_emplace(kernelText(kernel), distinctKernels.size());
      if (isNew)
        distinctKernels.emplace_back();
      distinctKernels[entry->second].kernels.push_back(kernel);
    }
}

FailureOr<EmittedKernel> EmitKernels::emit(flow::DispatchOp kernel,
                                           const KernelLayout &layout,
                                           SpirvPasses &passes) {
  auto emitted = emitKernel(kernel, layout, {exact, spins}, passes);
  if (failed(emitted) ||
      failed(checkCodeSize(kernel, *emitted->module, maxSpirvBytes)))
    return failure();
  return emitted;
}

/// Emits what every device can run, then the variants, and what resumes.
LogicalResult EmitKernels::emit(DistinctKernel &distinct, SpirvPasses &passes) {
  flow::DispatchOp kernel = distinct.first();
  if (failed(checkLaunches(kernel)))
    return failure();
  auto first = emit(kernel, *layOutKernel(kernel), passes);
  if (failed(first))
    return failure();
  distinct.emitted = std::move(*first);
  SmallVector<LaunchAttr> launches = getLaunches(kernel);
  for (LaunchAttr launch : ArrayRef(launches).drop_back()) {
    auto variant = emit(kernel, *layOutLaunch(kernel, launch), passes);
    if (failed(variant))
      return failure();
    distinct.variants.push_back(std::move(*variant));
  }
  if (LaunchAttr launch = getResumingLaunch(kernel)) {
    auto resuming = emit(kernel, *layOutLaunch(kernel, launch), passes);
    if (failed(resuming))
      return failure();
    distinct.resuming = std::move(*resuming);
  }
  ++numEmitted;
  return success();
}

/// On as many threads as the context has.
LogicalResult EmitKernels::emitAll() {
  PassInstrumentor *observer = getAnalysisManager().getPassInstrumentor();
  return failableParallelForEach(
      &getContext(), distinctKernels, [&](DistinctKernel &distinct) {
        flow::DispatchOp kernel = distinct.first();
        if (observer)
          observer->runBeforeAnalysis(
              ("kernel \"" + kernel.getSymName() + "\"").str(), getTypeID(),
              kernel);
        std::unique_ptr<SpirvPasses> passes = pool->take();
        LogicalResult result = emit(distinct, *passes);
        pool->give(std::move(passes));
        return result;
      });
}

//===----------------------------------------------------------------------===//
// Kernels of the plan
//===----------------------------------------------------------------------===//

/// Adds what `kernel` was emitted as for one of its launches, of this name or
/// one like it.
plan::KernelOp EmitKernels::insert(EmittedKernel &emitted, const Twine &name,
                                   flow::DispatchOp kernel) {
  OpBuilder b(&getContext());
  auto to = plan::KernelOp::create(
      b, kernel.getLoc(), name.str(),
      ArrayRef<int32_t>{static_cast<int32_t>(emitted.lanes), 1, 1},
      emitted.workgroupBytes, b.getStrArrayAttr(emitted.features),
      bindingAttrs(&getContext(), emitted.uses), "main",
      /*spirv=*/DenseI32ArrayAttr(), /*element_types=*/ArrayAttr(),
      /*variants=*/ArrayAttr(), /*device=*/gpuvm::DeviceKindAttr(),
      /*groups=*/IntegerAttr(), /*unfinished=*/IntegerAttr());
  to.getBody().emplaceBlock().push_back(emitted.module.release());
  symbols->insert(to);
  return to;
}

void EmitKernels::insert(DistinctKernel &distinct) {
  Builder b(&getContext());
  flow::DispatchOp kernel = distinct.first();
  SmallVector<LaunchAttr> launches = getLaunches(kernel);
  plan::KernelOp to = insert(distinct.emitted, kernel.getSymName(), kernel);
  SmallVector<Attribute> variants;
  for (auto [emitted, launch] : llvm::zip(distinct.variants, launches)) {
    plan::KernelOp variant =
        insert(emitted, to.getSymName() + "_" + launch.getForm(), kernel);
    if (launch.getDevice() != DeviceKind::any)
      variant.setDevice(launch.getDevice());
    if (launch.getGroups() != launches.back().getGroups())
      variant.setGroups(launch.getGroups());
    variants.push_back(FlatSymbolRefAttr::get(variant));
  }
  if (!variants.empty())
    to.setVariantsAttr(b.getArrayAttr(variants));
  FlatSymbolRefAttr resumed;
  if (distinct.resuming) {
    plan::KernelOp resuming =
        insert(*distinct.resuming, kernel.getSymName() + "_resumed", kernel);
    resuming.setUnfinished(layOutBindings(kernel).scratch.back());
    resumed = FlatSymbolRefAttr::get(resuming);
  }
  for (flow::DispatchOp like : distinct.kernels) {
    like.setEmittedAttr(FlatSymbolRefAttr::get(to));
    if (resumed)
      like.setResumedAttr(resumed);
  }
}

//===----------------------------------------------------------------------===//
// External kernels
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void EmitKernels::runOnOperation() {
  LogicalResult isRead = success();
  for (auto program : getOperation().getOps<ProgramOp>())
    for (auto kernel : program.getBody().getOps<ExternKernelOp>())
      if (failed(readExternal(kernel)))
        isRead = failure();
  if (failed(isRead))
    return signalPassFailure();
  pool.emplace(&getContext());
  findDistinct();
  if (failed(emitAll()))
    return signalPassFailure();
  symbols.emplace(getOperation());
  for (DistinctKernel &distinct : distinctKernels)
    insert(distinct);
  distinctKernels.clear();
}
