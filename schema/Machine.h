//===- Machine.h - constants of the machine ---------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions, registers, messages, and how memory is cut. What TableGen has to say
// again is compared where its output is compiled (dialects/gpuvm/Schema.cpp).
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace vm {

//===--- Regions ----------------------------------------------------------===//

/// The five memory regions. The value is the region's descriptor binding.
enum class Region : uint8_t { Registers, Metrics, Globals, Control, Heap };
inline constexpr const char *kRegionNames[] = {"registers", "metrics",
                                               "globals", "control", "heap"};
inline constexpr unsigned kNumRegions = std::size(kRegionNames);

/// Window k of a region has descriptor binding region + 5 k.
constexpr uint32_t bindingOf(Region region, uint32_t window) {
  return static_cast<uint32_t>(region) + kNumRegions * window;
}
constexpr Region regionOfBinding(uint32_t binding) {
  return static_cast<Region>(binding % kNumRegions);
}
constexpr uint32_t windowOfBinding(uint32_t binding) {
  return binding / kNumRegions;
}

/// Every window starts at a multiple of this many bytes (the largest
/// minStorageBufferOffsetAlignment that Vulkan allows).
inline constexpr uint64_t kWindowAlignment = 256;
/// And its length is a multiple of so many where a kernel binds it.
inline constexpr uint64_t kWordBytes = 4;
/// Of an indirect dispatch: three numbers of workgroups.
inline constexpr uint64_t kTripletBytes = 3 * kWordBytes;

//===--- Registers --------------------------------------------------------===//

/// Of a VM instance. Further operands of a stage come after them.
inline constexpr uint32_t kNumRegisters = 32;
inline constexpr uint32_t kOutbox = 30; ///< What a stage sends.
inline constexpr uint32_t kInbox = 31;  ///< What it receives.

//===--- Messages ---------------------------------------------------------===//

/// Words of message metadata: f32 norm, f32 max_abs, u32 ticks, u32 status.
inline constexpr unsigned kMetadataWords = 4;
inline constexpr uint64_t kMetadataBytes = kMetadataWords * kWordBytes;
/// By the value of the status word.
inline constexpr const char *kMessageStatusNames[] = {
    "OK", "ANOMALY", "ATTENTION", "NEED_VM", "NEED_IO", "NEED_DATA", "EXCESS"};

//===--- Elements ---------------------------------------------------------===//

/// Element types of tensors in memory.
enum class DType : uint8_t {
#define GPUVM_ELEMENT_TYPE(ENUMERATOR, NAME, BYTES) ENUMERATOR,
#include "schema/ElementTypes.def"
};
inline constexpr const char *kDTypeNames[] = {
#define GPUVM_ELEMENT_TYPE(ENUMERATOR, NAME, BYTES) #NAME,
#include "schema/ElementTypes.def"
};
inline constexpr uint64_t kDTypeBytes[] = {
#define GPUVM_ELEMENT_TYPE(ENUMERATOR, NAME, BYTES) BYTES,
#include "schema/ElementTypes.def"
};

} // namespace vm
