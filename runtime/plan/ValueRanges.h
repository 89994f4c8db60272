//===- ValueRanges.h - value ranges of indices ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals over the arithmetic of indices, so that an access that cannot leave
// its array is not bounded again.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/SpirvDefinitions.h"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace vm {

/// As unsigned numbers; both ends are values it can have.
struct ValueRange {
  uint64_t low = 0;
  uint64_t high = UINT64_MAX;
};

class ValueRanges {
public:
  /// `localSize`: of the module's entry point.
  ValueRanges(const SpirvDefinitions &definitions,
              const std::array<uint32_t, 3> &localSize)
      : definitions_(definitions), localSize_(localSize) {}

  /// What the scalar integer `value` can be, in whatever invocation.
  ValueRange of(uint32_t value) { return find(value, 0); }

private:
  ValueRange find(uint32_t value, unsigned depth);
  ValueRange compute(uint32_t value, unsigned depth);
  ValueRange ofBinary(SpirvWords words, ValueRange full, unsigned depth);
  ValueRange ofExtended(SpirvWords words, ValueRange full, unsigned depth);
  ValueRange ofLoad(SpirvWords words, ValueRange full) const;
  ValueRange ofElement(uint32_t vector, uint32_t element,
                       ValueRange full) const;
  ValueRange ofBuiltIn(uint32_t variable, uint32_t element,
                       ValueRange full) const;

  const SpirvDefinitions &definitions_;
  std::array<uint32_t, 3> localSize_;
  std::unordered_map<uint32_t, ValueRange> known_;
};

} // namespace vm
