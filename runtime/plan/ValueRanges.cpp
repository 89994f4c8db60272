//===- ValueRanges.cpp - value ranges of indices --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that could wrap around has any value.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ValueRanges.h"

#include "runtime/base/CheckedMath.h"

#include <spirv_cross/GLSL.std.450.h>
#include <spirv_cross/spirv.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace vm {

// What is nested deeper has any value.
static constexpr unsigned kMaxDepth = 64;

ValueRange ValueRanges::find(uint32_t value, unsigned depth) {
  uint32_t width = definitions_.widthOf(definitions_.typeOf(value));
  uint64_t high = width == 32 ? UINT32_MAX : UINT64_MAX;
  if (auto constant = definitions_.constant(value))
    return {*constant & high, *constant & high};
  if ((width != 32 && width != 64) || depth > kMaxDepth)
    return {0, high};
  if (auto it = known_.find(value); it != known_.end())
    return it->second;
  ValueRange range = compute(value, depth + 1);
  if (range.high > high)
    range = {0, high};
  return known_[value] = range;
}

ValueRange ValueRanges::compute(uint32_t value, unsigned depth) {
  SpirvWords words = definitions_.find(value);
  ValueRange full;
  switch (definitions_.opcodeOf(value)) {
  case SpvOpLoad:
    return ofLoad(words, full);
  case SpvOpCompositeExtract:
    return words.size() == 5 ? ofElement(words[3], words[4], full) : full;
  case SpvOpExtInst:
    return ofExtended(words, full, depth);
  case SpvOpCopyObject:
  case SpvOpBitcast:
  case SpvOpUConvert: {
    uint32_t type = definitions_.typeOf(words[3]);
    bool isScalar = definitions_.opcodeOf(type) == SpvOpTypeInt;
    return isScalar ? find(words[3], depth) : full;
  }
  case SpvOpSelect: {
    ValueRange a = find(words[4], depth), b = find(words[5], depth);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  default:
    return words.size() == 5 ? ofBinary(words, full, depth) : full;
  }
}

/// The range [a op c, b op d] of a function that grows with both operands.
template <typename Op>
static ValueRange growing(ValueRange a, ValueRange b, ValueRange full, Op op) {
  std::optional<uint64_t> low = op(a.low, b.low), high = op(a.high, b.high);
  return low && high ? ValueRange{*low, *high} : full;
}

static uint64_t allOnes(uint64_t high) {
  return high ? UINT64_MAX >> std::countl_zero(high) : 0;
}

ValueRange ValueRanges::ofBinary(SpirvWords words, ValueRange full,
                                 unsigned depth) {
  auto opcode = static_cast<uint16_t>(words[0]);
  switch (opcode) {
  case SpvOpIAdd:
  case SpvOpIMul:
  case SpvOpISub:
  case SpvOpUDiv:
  case SpvOpUMod:
  case SpvOpSDiv:
  case SpvOpSRem:
  case SpvOpSMod:
  case SpvOpBitwiseAnd:
  case SpvOpBitwiseOr:
  case SpvOpBitwiseXor:
  case SpvOpShiftLeftLogical:
  case SpvOpShiftRightLogical:
  case SpvOpShiftRightArithmetic:
    break;
  default:
    return full;
  }
  ValueRange a = find(words[3], depth), b = find(words[4], depth);
  uint32_t width = definitions_.widthOf(words[1]);
  uint64_t positive = (uint64_t(1) << (width - 1)) - 1;
  bool isSigned = opcode == SpvOpSDiv || opcode == SpvOpSRem ||
                  opcode == SpvOpSMod || opcode == SpvOpShiftRightArithmetic;
  if (isSigned && (a.high > positive || b.high > positive))
    return full;
  switch (opcode) {
  case SpvOpIAdd:
    return growing(a, b, full, checkedAdd);
  case SpvOpIMul:
    return growing(a, b, full, checkedMul);
  case SpvOpISub:
    return a.low >= b.high ? ValueRange{a.low - b.high, a.high - b.low} : full;
  case SpvOpUDiv:
  case SpvOpSDiv:
    return b.low ? ValueRange{a.low / b.high, a.high / b.low} : full;
  case SpvOpUMod:
  case SpvOpSRem:
  case SpvOpSMod:
    return b.low ? ValueRange{0, std::min(a.high, b.high - 1)} : full;
  case SpvOpBitwiseAnd:
    return {0, std::min(a.high, b.high)};
  case SpvOpBitwiseOr:
  case SpvOpBitwiseXor:
    return {0, allOnes(a.high | b.high)};
  case SpvOpShiftLeftLogical:
    if (b.high >= width || a.high > UINT64_MAX >> b.high)
      return full;
    return {a.low << b.low, a.high << b.high};
  default:
    return b.high < width ? ValueRange{a.low >> b.high, a.high >> b.low} : full;
  }
}

ValueRange ValueRanges::ofExtended(SpirvWords words, ValueRange full,
                                   unsigned depth) {
  // A plan's only other sets compute nothing (KernelFeatures.cpp).
  if (words.size() != 7 || words[4] != GLSLstd450UMin)
    return full;
  ValueRange a = find(words[5], depth), b = find(words[6], depth);
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}

ValueRange ValueRanges::ofLoad(SpirvWords words, ValueRange full) const {
  uint32_t pointer = words[3];
  if (definitions_.opcodeOf(pointer) == SpvOpVariable)
    return ofBuiltIn(pointer, 0, full);
  SpirvWords chain = definitions_.find(pointer);
  if (definitions_.opcodeOf(pointer) != SpvOpAccessChain || chain.size() != 5)
    return full;
  auto element = definitions_.constant(chain[4]);
  return element && *element < 3
             ? ofBuiltIn(chain[3], static_cast<uint32_t>(*element), full)
             : full;
}

ValueRange ValueRanges::ofElement(uint32_t vector, uint32_t element,
                                  ValueRange full) const {
  SpirvWords load = definitions_.find(vector);
  if (definitions_.opcodeOf(vector) != SpvOpLoad || element > 2)
    return full;
  return ofBuiltIn(load[3], element, full);
}

ValueRange ValueRanges::ofBuiltIn(uint32_t variable, uint32_t element,
                                  ValueRange full) const {
  auto builtIn = definitions_.builtIn(variable);
  SpirvWords words = definitions_.find(variable);
  if (!builtIn || words.size() < 4 || words[3] != SpvStorageClassInput)
    return full;
  uint64_t invocations =
      uint64_t(localSize_[0]) * localSize_[1] * localSize_[2];
  switch (*builtIn) {
  case SpvBuiltInLocalInvocationId:
    return {0, uint64_t(localSize_[element]) - 1};
  case SpvBuiltInLocalInvocationIndex:
  case SpvBuiltInSubgroupId:
    return {0, invocations - 1};
  case SpvBuiltInSubgroupLocalInvocationId:
    return {0, 127}; // Vulkan: a subgroup has at most 128 invocations.
  default:
    return full;
  }
}

} // namespace vm
