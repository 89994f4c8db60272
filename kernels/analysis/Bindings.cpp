//===- Bindings.cpp - which windows a kernel binds where ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Bindings.h"

#include "dialects/gpuvm/Target.h"
#include "kernels/analysis/Rotations.h"

#include "llvm/ADT/MapVector.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::gpuvm;

/// Bindings have lower numbers (docs/plan-format.md, V10).
static constexpr unsigned kFirstBundled = 256 * kNumRegions;

uint64_t gpuvm::getMaxWindowBytes(ProgramOp program) {
  return program.getMaxWindowBytes().value_or(kGuaranteedWindowBytes);
}

void gpuvm::setMaxWindowBytes(ProgramOp program, uint64_t bytes) {
  program.setMaxWindowBytes(bytes);
}

namespace {
/// Gives windows their bindings, in the order in which they come.
class BindingAssigner {
public:
  BindingAssigner(uint64_t maxBytes, ArrayRef<SmallVector<WindowAttr>> bundles);
  void add(std::optional<ArrayAttr> windows, SmallVectorImpl<unsigned> &to);
  BindingLayout finish();
  BindingLayout layout;

private:
  unsigned addWindow(WindowAttr window);
  unsigned addPiece(WindowAttr window);
  unsigned addBundled(WindowAttr window, ArrayRef<WindowAttr> bundle);

  uint64_t maxBytes;
  std::map<unsigned, WindowAttr> byBinding;
  llvm::DenseMap<WindowAttr, unsigned> known;
  llvm::DenseMap<WindowAttr, ArrayRef<WindowAttr>> bundleOf;
  unsigned next[kNumRegions] = {};
};

/// A window and how a kernel uses it.
struct UsedWindow {
  WindowAttr window;
  bool reads = false, writes = false;
};
} // namespace

/// What a binding of `bundle` covers.
static WindowAttr spanOf(ArrayRef<WindowAttr> bundle) {
  WindowAttr first = bundle.front(), last = bundle.back();
  return WindowAttr::get(
      first.getContext(), first.getRegion(), first.getOffset(),
      last.getOffset() + last.getLength() - first.getOffset());
}

/// How many windows hold `bytes`.
static uint64_t countPieces(uint64_t bytes, uint64_t maxBytes) {
  return bytes <= maxBytes ? 1
                           : llvm::divideCeil(bytes, llvm::bit_floor(maxBytes));
}

unsigned gpuvm::countWindows(RankedTensorType type, uint64_t maxWindowBytes) {
  return countPieces(llvm::alignTo(tensorBytes(type), 4), maxWindowBytes);
}

BindingAssigner::BindingAssigner(uint64_t maxBytes,
                                 ArrayRef<SmallVector<WindowAttr>> bundles)
    : maxBytes(maxBytes) {
  for (ArrayRef<WindowAttr> bundle : bundles)
    for (WindowAttr window : bundle)
      bundleOf[window] = bundle;
}

unsigned BindingAssigner::addPiece(WindowAttr window) {
  unsigned region = static_cast<unsigned>(window.getRegion());
  unsigned binding = region + kNumRegions * next[region]++;
  byBinding[binding] = window;
  return binding;
}

/// All of `bundle` gets one binding with the first of it that comes.
unsigned BindingAssigner::addBundled(WindowAttr window,
                                     ArrayRef<WindowAttr> bundle) {
  WindowAttr first = bundle.front();
  auto [entry, isNew] = known.try_emplace(spanOf(bundle), 0);
  if (isNew)
    entry->second = addPiece(spanOf(bundle));
  unsigned number = kFirstBundled + layout.bundled.size();
  layout.bundled.push_back({number, known.lookup(spanOf(bundle)),
                            window.getOffset() - first.getOffset()});
  return number;
}

/// Pieces have the length of a power of two, so that finding one takes a shift.
unsigned BindingAssigner::addWindow(WindowAttr window) {
  if (auto bundle = bundleOf.find(window); bundle != bundleOf.end())
    return addBundled(window, bundle->second);
  if (window.getLength() <= maxBytes)
    return addPiece(window);
  SplitWindow split = {{}, llvm::bit_floor(maxBytes)};
  for (uint64_t at = 0; at < window.getLength(); at += split.pieceBytes)
    split.bindings.push_back(addPiece(WindowAttr::get(
        window.getContext(), window.getRegion(), window.getOffset() + at,
        std::min(split.pieceBytes, window.getLength() - at))));
  layout.splits.push_back(split);
  return split.bindings.front();
}

void BindingAssigner::add(std::optional<ArrayAttr> windows,
                          SmallVectorImpl<unsigned> &to) {
  if (!windows)
    return;
  for (auto window : windows->getAsRange<WindowAttr>()) {
    auto entry = known.find(window);
    if (entry == known.end())
      entry = known.try_emplace(window, addWindow(window)).first;
    to.push_back(entry->second);
  }
}

BindingLayout BindingAssigner::finish() {
  for (auto [binding, window] : byBinding) {
    layout.bindings.push_back(binding);
    layout.windows.push_back(window);
  }
  return std::move(layout);
}

unsigned BindingLayout::bindingOf(unsigned number) const {
  return number < kFirstBundled ? number
                                : bundled[number - kFirstBundled].binding;
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// The distinct windows of operands and results, sorted so that those that may
/// share a binding stand together.
static SmallVector<UsedWindow> findUses(flow::DispatchOp kernel) {
  llvm::MapVector<WindowAttr, UsedWindow> uses;
  auto add = [&](std::optional<ArrayAttr> windows, bool UsedWindow::*isUsed) {
    for (auto window : windows->getAsRange<WindowAttr>()) {
      UsedWindow &use = uses[window];
      use.window = window;
      use.*isUsed = true;
    }
  };
  add(kernel.getInputWindows(), &UsedWindow::reads);
  add(kernel.getOutputWindows(), &UsedWindow::writes);
  auto sorted = llvm::to_vector(llvm::make_second_range(uses));
  auto key = [](const UsedWindow &use) {
    return std::tuple(use.window.getRegion(), use.reads, use.writes,
                      use.window.getOffset(), use.window.getLength());
  };
  llvm::sort(sorted, [&](const UsedWindow &a, const UsedWindow &b) {
    return key(a) < key(b);
  });
  return sorted;
}

/// Whether what several programs of a plan share ends at `offset`, or what
/// lives longer than a program's values do: they are moved apart.
static bool isBorder(ProgramOp program, gpuvm::Region region, int64_t offset) {
  if (std::optional<ArrayRef<int64_t>> shared = program.getSharedBytes();
      shared && (*shared)[static_cast<unsigned>(region)] == offset)
    return true;
  std::optional<ArrayRef<int64_t>> transient = program.getTransient();
  return transient && region == gpuvm::Region::registers &&
         llvm::is_contained(*transient, offset);
}

/// Whether `next` begins where `before` ends, used alike, in each iteration of
/// the loops around `kernel`: no byte that it leaves alone is between them but
/// padding.
static bool follows(const UsedWindow &before, const UsedWindow &next,
                    flow::DispatchOp kernel) {
  if (before.reads != next.reads || before.writes != next.writes ||
      !isNext(before.window, next.window))
    return false;
  for (auto loop = kernel->getParentOfType<flow::LoopOp>(); loop;
       loop = loop->getParentOfType<flow::LoopOp>())
    if (!isAlwaysNext(before.window, next.window, getRotations(loop)))
      return false;
  return true;
}

/// The windows of `kernel` that share bindings: none where it has no more
/// windows than its target binds.
static SmallVector<SmallVector<WindowAttr>> findBundles(flow::DispatchOp kernel,
                                                        uint64_t maxBytes) {
  auto program = kernel->getParentOfType<ProgramOp>();
  SmallVector<UsedWindow> uses = findUses(kernel);
  uint64_t windows = 0;
  for (const UsedWindow &use : uses)
    windows += countPieces(use.window.getLength(), maxBytes);
  if (std::optional<ArrayAttr> scratch = kernel.getScratchWindows())
    windows += scratch->size();
  SmallVector<SmallVector<WindowAttr>> bundles;
  if (windows <= uint64_t(getMainTarget(kernel).getBindings()))
    return bundles;
  for (auto [i, use] : llvm::enumerate(uses)) {
    if (i > 0 && follows(uses[i - 1], use, kernel) &&
        !isBorder(program, use.window.getRegion(), use.window.getOffset()) &&
        spanOf({bundles.back().front(), use.window}).getLength() <= maxBytes)
      bundles.back().push_back(use.window);
    else
      bundles.push_back({use.window});
  }
  llvm::erase_if(bundles,
                 [](ArrayRef<WindowAttr> bundle) { return bundle.size() < 2; });
  return bundles;
}

BindingLayout gpuvm::layOutBindings(flow::DispatchOp kernel) {
  uint64_t maxBytes = getMaxWindowBytes(kernel->getParentOfType<ProgramOp>());
  SmallVector<SmallVector<WindowAttr>> bundles = findBundles(kernel, maxBytes);
  BindingAssigner assigner(maxBytes, bundles);
  BindingLayout &layout = assigner.layout;
  assigner.add(kernel.getInputWindows(), layout.inputs);
  assigner.add(kernel.getOutputWindows(), layout.outputs);
  assigner.add(kernel.getScratchWindows(), layout.scratch);
  return assigner.finish();
}
