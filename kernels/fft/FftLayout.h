//===- FftLayout.h - how transforms are laid over the device ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup takes a tile of neighbouring transforms. In each stage a lane
// takes a few butterflies (the short transforms that a stage consists of) with
// all their elements in registers; between stages the elements go through
// workgroup memory.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/FftStages.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

struct FftLayout : LayoutOf<FftLayout> {
  FftStages stages;
  int64_t length = 1;     ///< Elements of a transform.
  int64_t transforms = 1; ///< All of them.
  int64_t tile = 1;       ///< Transforms of a workgroup.
  /// Neighbouring lanes take neighbouring transforms where elements are read,
  /// where they are written; else neighbouring elements of one.
  bool readsAcross = false, writesAcross = false;
  /// Parts of memory that are used by neighbouring lanes are moved apart, so
  /// that these find different banks.
  bool isPadded = false;
  /// Real and imaginary parts are exchanged at once; else one behind the other
  /// in the same memory.
  bool movesBoth = false;

  int64_t tiles() const { return llvm::divideCeil(transforms, tile); }
  int64_t butterflies(const FftStage &stage) const {
    return tile * (length / stage.radix);
  }
  /// Words behind each radix * before elements that `stage` makes: with them
  /// neighbouring butterflies write at a distance of an odd number of `before`.
  int64_t padding(const FftStage &stage) const;
  /// Between the elements of one transform and those of the next.
  int64_t pitch() const;
  int64_t words() const { return tile * pitch(); }

  void visit(LayoutFields &fields) override;
};

/// The transform or convolution of a kernel with root `fft`.
RootOpInterface getFftRoot(flow::DispatchOp kernel);

/// Lays out a kernel with root fft.
FftLayout layOutFft(flow::DispatchOp kernel, TargetAttr target);

} // namespace mlir::gpuvm
