//===- SharedWords.h - words that host and device use at the same time ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from and to mapped memory while kernels run. Every aligned 64-bit word
// of the mapped range, and at its ends every aligned 32-bit word, is one load
// or one store, in the order of addresses. So a value is old or new, never half
// of each, and what is written first is seen first.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <span>

namespace vm {

/// Reads `bytes` from mapped memory at `mapped`.
void loadShared(std::span<uint8_t> bytes, uint8_t *mapped);

/// Writes `bytes` to mapped memory at `mapped`.
void storeShared(uint8_t *mapped, std::span<const uint8_t> bytes);

} // namespace vm
