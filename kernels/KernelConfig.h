//===- KernelConfig.h - how a kernel is laid over the device --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything about a kernel that follows from its shapes alone: how many
// workgroups, how many elements a lane takes, what scratch memory it needs.
// The memory planner, the emitters and the dispatch all read it from here.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/Reduction.h"
#include "kernels/attention/AttentionLayout.h"
#include "kernels/attention/MatrixAttentionLayout.h"
#include "kernels/attention/TiledAttentionLayout.h"
#include "kernels/contract/Contraction.h"
#include "kernels/fft/FftLayout.h"
#include "kernels/scan/ScanLayout.h"
#include "kernels/scatter/ScatterLayout.h"
#include "kernels/sort/SortLayout.h"

namespace mlir::gpuvm {

/// Memory of Registers that a kernel needs besides its operands and results.
struct Scratch {
  uint64_t bytes;
  bool keepsZero; ///< Zero before and after every run: a counter.
  /// Instead: zero before the first run, and then as the last one left it.
  bool keepsAll = false;
};

struct KernelConfig {
  /// Lanes of a map's and a reduction's workgroup. 256 is within every Vulkan
  /// device's limits.
  static constexpr int64_t kLanes = ReductionOrder::kLanes;
  /// In columns: lanes side by side along the results.
  static constexpr int64_t kColumnsAtOnce =
      kLanes / ReductionOrder::kColumnLanes;
  /// Workgroups of a map or of a reduction to many results at most; beyond,
  /// each takes several tiles. Enough for every multiprocessor to hold its
  /// limit.
  static constexpr int64_t kMaxGroups = 4096;
  /// A lane's straight-line code stays below so many operations.
  static constexpr int64_t kMaxUnrolledOps = 1024;
  /// And below so many reads where the code says: they wait for one another in
  /// one lane, where several lanes would have them in flight.
  static constexpr int64_t kMaxGathers = 64;

  int64_t lanes = kLanes; ///< Chain: as many as its values need.
  int64_t elements = 1;   ///< Map: of the results. Reduce: per result.
  int64_t results = 1;    ///< Reduce: how many. Map: 1.
  int64_t vector = 1;     ///< Neighbouring elements a lane takes at once; in
                          ///< columns, of neighbouring results.
  int64_t unroll = 1;     ///< Vectors a lane has in flight.
  int64_t groups = 1;     ///< Workgroups.
  /// Reduce: a lane's elements of a result fit into registers.
  bool keepsRows = false;
  /// Reduce with one part: results of a workgroup, `groupsPerResult` lane
  /// groups each. Short results leave most lane groups of a part without
  /// elements.
  int64_t resultsPerGroup = 1;
  int64_t groupsPerResult = ReductionOrder::kGroupsPerPart;
  /// Reduce with one part and one phase: results that every lane of a
  /// workgroup has elements of. They share what they read and the way through
  /// workgroup memory.
  int64_t resultsPerLane = 1;
  bool flat = false;       ///< The iteration space is walked in row-major order
                           ///< of positions; loop indices are not needed.
  bool vectorizes = false; ///< Neighbours in the loops are neighbours in all
                           ///< that is read.
  ReductionOrder order;    ///< Reduce only.
  std::optional<ContractionTile> tile; ///< Reduce in tiled order only.
  // Root attention has one of them: for few query rows, for many, for many with
  // matrix units.
  std::optional<AttentionLayout> attention;
  std::optional<TiledAttentionLayout> tiledAttention;
  std::optional<MatrixAttentionLayout> matrixAttention;
  std::optional<ScanLayout> scan;       ///< Root scan.
  std::optional<FftLayout> fft;         ///< Root fft.
  std::optional<SortLayout> sort;       ///< Root sort, but for searches.
  std::optional<ScatterLayout> scatter; ///< Root scatter.
  /// In columns: of results, as many as a workgroup takes at once.
  int64_t columnBlocks() const {
    return llvm::divideCeil(results, kColumnsAtOnce * vector);
  }
  /// Four bytes at a time are multiplied and added up (InnerReduction.h).
  bool dotProducts = false;
  /// Root scatter: an element of 64 bits is combined at once.
  bool int64Atomics = false;
  /// Root sort: ranks are counted by ballots of subgroups of 32 lanes.
  bool subgroups = false;
  /// Loads are of 32 bytes, in words of 64 bits.
  bool wide = false;
  /// Reduce in lanes: a lane does what a lane group does in the order, of which
  /// it takes so many lanes at once, one after the other.
  std::optional<int64_t> lanesAtOnce;
  std::vector<Scratch> scratch; ///< Partials per accumulator, then counters.
};

/// The reductions of a kernel, in order; empty for root map.
SmallVector<linalg::GenericOp> getReductions(KernelOp kernel);

/// What partial results of a reduction in lanes consist of: its accumulators;
/// for each choice the number of the element that was chosen, -1 if none was;
/// for each claim whether there was an element yet.
SmallVector<Type> getPartialTypes(linalg::GenericOp op);

struct BodyTraits;

/// Configures a kernel with root reduce.
void configureReduce(KernelOp kernel, const BodyTraits &traits,
                     KernelConfig &config);

/// The configuration of a kernel that gpuvm-form-kernels made, for any device.
KernelConfig configurePlain(KernelOp kernel);

/// The configuration of a kernel that gpuvm-form-kernels made: of its last
/// launch, which any device can run.
KernelConfig configureKernel(KernelOp kernel);

} // namespace mlir::gpuvm
