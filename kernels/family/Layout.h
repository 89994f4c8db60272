//===- Layout.h - how a kernel is laid over the device --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many workgroups a kernel has, how many elements a lane takes, what
// scratch memory it needs. The memory planner, the emitters and the dispatch
// all read it from here; each family of kernels adds what it decides alone.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/Reduction.h"

namespace mlir::gpuvm {

/// Memory that a kernel needs besides its operands and results.
struct Scratch {
  uint64_t bytes;
  bool keepsZero; ///< Zero before and after every run: a counter.
  /// Instead: zero before the first run, and then as the last one left it.
  bool keepsAll = false;
  /// In Control, for this kernel alone, instead of Registers.
  bool inControl = false;
};

/// Takes what a family decides about a kernel, one field after the other: to
/// write it into a launch, to read it from there, or to compare.
class LayoutFields {
public:
  virtual ~LayoutFields() = default;
  virtual void number(StringRef name, int64_t &field) = 0;
  virtual void flag(StringRef name, bool &field) = 0;
};

struct KernelLayout {
  /// Lanes of a map's and a reduction's workgroup. 256 is within every Vulkan
  /// device's limits.
  static constexpr int64_t kLanes = ReductionOrder::kLanes;
  /// Those of kernels for CPU devices that have a vector of llvmpipe's in each
  /// workgroup: it runs the vectors of a workgroup one after the other.
  static constexpr int64_t kVectorLanes = 8;
  /// Workgroups of a map or of a reduction to many results at most; beyond,
  /// each takes several tiles. Enough for every unit of a large GPU to hold
  /// its limit.
  static constexpr int64_t kMaxGroups = 4096;
  /// A lane's straight-line code stays below so many operations.
  static constexpr int64_t kMaxUnrolledOps = 1024;

  virtual ~KernelLayout() = default;
  virtual std::unique_ptr<KernelLayout> clone() const = 0;
  /// The fields that the family decides besides those that all launches have.
  virtual void visit(LayoutFields &) {}

  // What all launches have.
  int64_t groups = 1;     ///< Workgroups.
  int64_t lanes = kLanes; ///< Of a workgroup.
  int64_t vector = 1;     ///< Neighbouring elements a lane takes at once.
  int64_t unroll = 1;     ///< Vectors a lane has in flight.

  // What follows from the kernel.
  int64_t elements = 1; ///< Map: of the results. Reduce: per result.
  int64_t results = 1;  ///< Reduce: how many. Else 1.
  /// Neighbours in the loops are neighbours in all that is read.
  bool vectorizes = false;
  std::vector<Scratch> scratch;

  // What forms of launches of all families may have.
  /// Four bytes at a time are multiplied and added up (InnerReduction.h).
  bool dotProducts = false;
  /// Loads are of 32 bytes, in words of 64 bits.
  bool wide = false;
  /// A lane takes its results alone: their number follows from nothing else.
  bool ownResults = false;
};

/// The base of the layout `Own` of a family.
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): layouts inherit it.
template <typename Own, typename Base = KernelLayout> struct LayoutOf : Base {
  using Base::Base;
  std::unique_ptr<KernelLayout> clone() const override {
    return std::make_unique<Own>(static_cast<const Own &>(*this));
  }
};

} // namespace mlir::gpuvm
