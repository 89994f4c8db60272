//===- Bindings.cpp - which windows a kernel binds where ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Bindings.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr StringLiteral kMaxWindowBytesAttr = "gpuvm.max_window_bytes";

uint64_t gpuvm::getMaxWindowBytes(ProgramOp program) {
  auto bytes = program->getAttrOfType<IntegerAttr>(kMaxWindowBytesAttr);
  return bytes ? bytes.getInt() : kGuaranteedWindowBytes;
}

void gpuvm::setMaxWindowBytes(ProgramOp program, uint64_t bytes) {
  program->setAttr(kMaxWindowBytesAttr,
                   Builder(program.getContext()).getI64IntegerAttr(bytes));
}

namespace {
/// Gives windows their bindings, in the order in which they come.
class BindingAssigner {
public:
  explicit BindingAssigner(uint64_t maxBytes) : maxBytes(maxBytes) {}
  void add(std::optional<ArrayAttr> windows, SmallVectorImpl<unsigned> &to);
  BindingLayout finish();
  BindingLayout layout;

private:
  unsigned addWindow(WindowAttr window);
  unsigned addPiece(WindowAttr window);

  uint64_t maxBytes;
  std::map<unsigned, WindowAttr> byBinding;
  llvm::DenseMap<WindowAttr, unsigned> known;
  unsigned next[kNumRegions] = {};
};
} // namespace

unsigned gpuvm::countWindows(RankedTensorType type, uint64_t maxWindowBytes) {
  uint64_t bytes = llvm::alignTo(tensorBytes(type), 4);
  return bytes <= maxWindowBytes
             ? 1
             : llvm::divideCeil(bytes, llvm::bit_floor(maxWindowBytes));
}

unsigned BindingAssigner::addPiece(WindowAttr window) {
  unsigned region = static_cast<unsigned>(window.getRegion());
  unsigned binding = region + kNumRegions * next[region]++;
  byBinding[binding] = window;
  return binding;
}

/// Pieces have the length of a power of two, so that finding one takes a shift.
unsigned BindingAssigner::addWindow(WindowAttr window) {
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
    auto [entry, isNew] = known.try_emplace(window, 0);
    if (isNew)
      entry->second = addWindow(window);
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

BindingLayout gpuvm::layOutBindings(flow::DispatchOp kernel) {
  BindingAssigner assigner(
      getMaxWindowBytes(kernel->getParentOfType<ProgramOp>()));
  BindingLayout &layout = assigner.layout;
  assigner.add(kernel.getInputWindows(), layout.inputs);
  assigner.add(kernel.getOutputWindows(), layout.outputs);
  assigner.add(kernel.getScratchWindows(), layout.scratch);
  return assigner.finish();
}
