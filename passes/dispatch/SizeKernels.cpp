//===- SizeKernels.cpp - dispatches sized by the count of rows ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nobody sees the rows of a bounded message behind its count. A map all of
// whose results are such rows needs workgroups for those that are there, which
// it gets from Control: a kernel before it turns the count into theirs.
//
//===----------------------------------------------------------------------===//

#include "kernels/Launches.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/dispatch/Counts.h"
#include "passes/fusion/ChainCost.h"
#include "passes/fusion/Decisions.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_SIZEKERNELS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-size-kernels"
ALWAYS_ENABLED_STATISTIC(numSized, "Kernels as large as what there is");

/// Kernels are worth a kernel that counts if they take so much longer, should
/// all their rows be there.
static constexpr double kWorth = 3;

namespace {
struct SizeKernels : gpuvm::impl::SizeKernelsBase<SizeKernels> {
  using Base::Base;
  void runOnOperation() override;

private:
  void sizeKernels();
};
} // namespace

namespace {
/// How the rows of a kernel's results are laid over workgroups.
struct RowLayout {
  explicit RowLayout(flow::DispatchOp kernel);
  int64_t bound; ///< Rows.
  int64_t row;   ///< Elements of one.
  int64_t tile;  ///< Elements of a workgroup.
  int64_t whole; ///< Elements of whole tiles.
};
} // namespace

RowLayout::RowLayout(flow::DispatchOp kernel) {
  std::unique_ptr<KernelLayout> layout = layOutKernel(kernel);
  auto type = cast<RankedTensorType>(kernel.getResultTypes().front());
  bound = type.getDimSize(0);
  row = type.getNumElements() / bound;
  tile = layout->lanes * layout->vector * layout->unroll;
  whole = layout->elements / tile * tile;
}

/// The workgroups that make the first `count` rows (Map.cpp: tiles are dealt
/// round robin, and what is left over behind the last whole one to all).
static Expr countGroups(const Expr &count, flow::DispatchOp kernel,
                        uint32_t groups) {
  RowLayout rows(kernel);
  Expr elements = minSigned(maxSigned(count, 0), rows.bound) * rows.row;
  // Not more than 2^31 - 1 + tile, so read without a sign.
  Expr tiles = (elements + (rows.tile - 1)) / rows.tile;
  Expr needsAll = elements > rows.whole;
  Expr all = count.constant(groups);
  return select(needsAll, all, minSigned(tiles, groups));
}

static SmallVector<int64_t, 4> keyOfRows(flow::DispatchOp kernel) {
  RowLayout rows(kernel);
  return {rows.bound, rows.row, rows.tile, rows.whole};
}

void SizeKernels::runOnOperation() {
  ProgramOp program = getOperation();
  if (failed(checkMode(program, "sizing", mode)))
    return signalPassFailure();
  if (mode != "never")
    sizeKernels();
  for (auto kernel : listOps<flow::DispatchOp>(program))
    kernel.getRowsMutable().clear();
}

void SizeKernels::sizeKernels() {
  ProgramOp program = getOperation();
  TargetAttr target = getMainTarget(program);
  Places places(program);
  // One count for those of a place that follow each other: it may be stored
  // again after them.
  SmallVector<std::pair<Place, SmallVector<flow::DispatchOp>>> found;
  auto flush = [&] {
    for (auto &[place, kernels] : found) {
      double us = 0;
      for (flow::DispatchOp kernel : kernels)
        us += estimateKernel(kernel, target);
      if (mode != "always" && us < kWorth * getCountsUs(target))
        continue;
      numSized += kernels.size();
      flow::DispatchOp first = kernels.front();
      addCounts(program, first, first.getRows(), kernels, countGroups,
                keyOfRows);
    }
    found.clear();
  };
  for (CommandOpInterface command : getCommands(program)) {
    auto kernel = dyn_cast<flow::DispatchOp>(*command);
    bool storesCounts = llvm::any_of(
        places.accessShared(command), [](const PlaceAccess &access) {
          return access.writes &&
                 isa_and_present<ControlOp>(access.place.symbol);
        });
    if (storesCounts || command.isFence())
      flush();
    if (!kernel || !kernel.getRows() || kernel.getRoot() != Root::map ||
        kernel.getGroups())
      continue;
    Place place = places.of(kernel.getRows());
    auto *same = llvm::find_if(
        found, [&](const auto &entry) { return entry.first == place; });
    if (same == found.end()) {
      found.push_back({place, {}});
      same = &found.back();
    }
    same->second.push_back(kernel);
  }
  flush();
}
