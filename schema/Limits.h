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

/// Of `bindings`, what is left for what comes later: a quarter for scratch and
/// metadata where operations are grouped, half of that for counts where windows
/// are placed.
constexpr int64_t bindingsToGroup(int64_t bindings) {
  return bindings - bindings / 4;
}
constexpr int64_t bindingsToPlace(int64_t bindings) {
  return bindings - bindings / 8;
}

} // namespace vm
