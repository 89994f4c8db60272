//===- Limits.h - limits of devices that all halves plan for --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>

namespace vm {

/// Storage buffers that a kernel may have: maxPerStageDescriptorStorageBuffers
/// of the least capable device, lavapipe.
inline constexpr int64_t kMaxBindings = 32;

/// Of those, what is left free for what comes later: for scratch and metadata
/// where operations are grouped; for scratch and counts where an operation's
/// operands are packed, and for results besides, which are not.
inline constexpr int64_t kGroupingReserve = 8;
inline constexpr int64_t kPackingReserve = 4;
inline constexpr int64_t kResultsReserve = 6;

} // namespace vm
