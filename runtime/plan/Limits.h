//===- Limits.h - the caps of the plan format -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hostile file must not make the loader allocate, recurse or loop without
// bound, and sums of valid numbers must not overflow. Every cap is far above
// what a real program needs; limits of a device are the device check's.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>

namespace vm::limits {

// Container.
/// A plan is held in memory while it is loaded; larger tables are bound as
/// Load inputs instead.
inline constexpr uint64_t kMaxFileBytes = uint64_t(64) << 30;
/// The cap of the safetensors reference reader for its JSON header.
inline constexpr uint64_t kMaxManifestBytes = 100'000'000;
/// Objects and arrays of a manifest nest 5 deep (a reason of a barrier); the
/// rest is margin.
inline constexpr unsigned kMaxJsonDepth = 16;
/// Fields of an object of a manifest; the root has 14.
inline constexpr size_t kMaxJsonFields = 64;
/// MLIR emits some 10 KiB for a large kernel.
inline constexpr uint64_t kMaxSpirvBytes = 4 << 20;
/// Of a plan's module, a text. Constants take two bytes of it for each of
/// theirs; larger ones are inputs.
inline constexpr uint64_t kMaxModuleBytes = 64 << 20;

// SPIR-V. SPIRV-Tools and SPIRV-Cross recurse over types, calls and blocks; the
// specification's universal limits (section 2.17) bound only some of these.
inline constexpr uint32_t kMaxTypeDepth = 64;
inline constexpr uint32_t kMaxTypeLeaves = 16384;
inline constexpr uint32_t kMaxFunctions = 1024;
/// SPIRV-Tools takes a time that grows with the square of each of these: at
/// most 0.4 s for so many.
inline constexpr uint32_t kMaxBlocks = 4096;
inline constexpr uint32_t kMaxTypes = 1024;
/// Each has a member's decorations looked at, for all members of its type.
inline constexpr uint32_t kMaxBuffers = 512;
/// Selections and loops in one another. SPIRV-Tools validates 1000 in 18 s.
inline constexpr uint32_t kMaxNesting = 64;
inline constexpr uint32_t kMaxCallDepth = 64;
/// Of all functions together, each with those that it calls in the places of
/// the calls: what a driver compiles. Large generated kernels have some 5,000.
inline constexpr uint64_t kMaxInlinedInstructions = 1 << 17;
/// Variables of one invocation. Drivers of CPUs have them on a thread's stack,
/// as often as a vector has lanes.
inline constexpr uint64_t kMaxPrivateBytes = 64 << 10;

// Counts.
inline constexpr uint64_t kMaxPrograms = 1024;
inline constexpr uint64_t kMaxParameters = 4096;
inline constexpr uint64_t kMaxRanks = 1 << 16;
inline constexpr uint64_t kMaxTransfers = 1024; ///< Of one exchange.
inline constexpr uint64_t kMaxCommands = 1 << 20;
/// With those of repeats counted as often as hazards are looked for in them.
inline constexpr uint64_t kMaxVisited = 1 << 22;
inline constexpr uint64_t kMaxTimes = (1ull << 31) - 1;
/// Of a repeat; and iterations until its windows are where they were, each of
/// which has descriptors of its own.
inline constexpr uint64_t kMaxRotations = 4096;
inline constexpr uint64_t kMaxPeriod = 12;
/// Repeats in repeats. Hazards are looked for in two times of each.
inline constexpr uint64_t kMaxRepeatDepth = 4;
/// Features that devices do without commands for. Hazards are looked for with
/// and without the commands of each.
inline constexpr uint64_t kMaxUnless = 2;
inline constexpr uint64_t kMaxKernels = 1 << 14;
inline constexpr uint64_t kMaxDataChunks = 1 << 16;
inline constexpr uint64_t kMaxInstances = 1 << 20;
inline constexpr uint64_t kMaxStages = 1 << 20;
/// Inputs, outputs, symbols and registers, each.
inline constexpr uint64_t kMaxSlots = 1 << 20;
inline constexpr uint64_t kMaxReasons = 1 << 20; ///< Of one barrier.
/// One manifest, one section a kernel, one a chunk, one module.
inline constexpr uint64_t kMaxSections = 1 + kMaxKernels + kMaxDataChunks + 1;
/// numpy's NPY_MAXDIMS.
inline constexpr uint64_t kMaxRank = 32;
inline constexpr uint64_t kMaxNameBytes = 1024;

// Sizes.
/// 2^48 bytes, the virtual address space of today's GPUs.
inline constexpr uint64_t kMaxRegionBytes = uint64_t(1) << 48;

// Vulkan 1.2 specification, section "Required Limits" where it guarantees the
// value, else what all desktop GPUs and lavapipe report.
inline constexpr uint32_t kMaxGroups = 65535; ///< maxComputeWorkGroupCount
/// maxComputeWorkGroupInvocations and maxComputeWorkGroupSize: 1024 reported.
inline constexpr uint32_t kMaxLocalSize = 1024;
/// Descriptors of one kernel: maxPerStageDescriptorStorageBuffers is 32 on
/// lavapipe and 2^20 on NVIDIA.
inline constexpr uint32_t kMaxBindings = 256;
inline constexpr uint32_t kMaxVariants = 16; ///< Of one kernel.

} // namespace vm::limits
