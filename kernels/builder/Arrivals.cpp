//===- Arrivals.cpp - the last of several workgroups goes on --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/Arrivals.h"

using namespace mlir;
using namespace mlir::gpuvm;

Arrivals::Arrivals(KernelBuilder &k, unsigned counter, Value result,
                   Value groups)
    : k(k), counter(counter), result(result), groups(groups),
      arrived(k.allocateWorkgroup(k.ir().getI32Type(), 1)),
      isLast(k.allocateWorkgroup(k.ir().getI1Type(), 1)) {}

void Arrivals::count() {
  k.deviceMemoryBarrier(); // The parts come before the count.
  k.workgroupBarrier();
  k.ifThen(k.laneId() == 0, [&] { increment(); });
}

void Arrivals::countByOneLane() {
  k.deviceMemoryBarrier(); // The part comes before the count.
  increment();
}

void Arrivals::increment() {
  Value before = k.atomicIncrement(counter, result);
  k.storeWorkgroup(arrived, k(before) + 1, k.index(0));
  k.storeWorkgroup(isLast, k(before) == k(groups) - 1, k.index(0));
}

void Arrivals::ifLast(function_ref<void(Value arrived)> goOn) {
  k.workgroupBarrier();
  Value last = k.loadWorkgroup(isLast, k.ir().getI1Type(), k.index(0));
  k.ifThen(last, [&] {
    k.deviceMemoryBarrier(); // The count comes before the parts.
    goOn(
        k(k.loadWorkgroup(arrived, k.ir().getI32Type(), k.index(0))).toIndex());
    k.ifThen(k.laneId() == 0, [&] { k.store(counter, k.word(0), result); });
  });
}
