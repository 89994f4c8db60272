//===- Schema.cpp - TableGen says what the schema says --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TableGen cannot read schema/; where it repeats a number or a name, this file
// does not compile unless both are the same.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir::gpuvm;

static constexpr bool isSame(Region region, vm::Region other) {
  return static_cast<uint32_t>(region) == static_cast<uint32_t>(other);
}
static_assert(isSame(Region::registers, vm::Region::Registers) &&
              isSame(Region::metrics, vm::Region::Metrics) &&
              isSame(Region::globals, vm::Region::Globals) &&
              isSame(Region::control, vm::Region::Control) &&
              isSame(Region::heap, vm::Region::Heap) &&
              getMaxEnumValForRegion() + 1 == vm::kNumRegions);
