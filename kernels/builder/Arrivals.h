//===- Arrivals.h - the last of several workgroups goes on ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroups that each make a part of a result count how many of them are done.
// The last one makes the result of all parts: nobody waits for anybody, so any
// number of workgroups may share a result on any device.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KernelBuilder.h"

namespace mlir::gpuvm {

class Arrivals {
public:
  /// `groups`, a word, workgroups share result `result`, and count at this word
  /// of `counter`, the binding of scratch memory that keeps zero.
  Arrivals(KernelBuilder &k, unsigned counter, Value result, Value groups);

  /// Counts the workgroup, of which every lane comes here. What its lanes have
  /// written to coherent windows is there for the last one.
  void count();
  /// The same, for the one lane of the workgroup that has written anything.
  void countByOneLane();

  /// In the last workgroup to be counted, in all its lanes, emits `goOn` and
  /// sets the counter back. `arrived` is the number of workgroups, but no
  /// driver knows that: one that did would unroll loops over the parts, and the
  /// kernel would take the registers for everything that they load.
  void ifLast(function_ref<void(Value arrived)> goOn);

private:
  void increment();

  KernelBuilder &k;
  unsigned counter;
  Value result;
  Value groups;
  Value arrived, isLast; ///< Workgroup memory.
};

} // namespace mlir::gpuvm
