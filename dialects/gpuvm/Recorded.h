//===- Recorded.h - how many commands a plan may record ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>

namespace mlir::gpuvm {

/// Commands that a plan may record, those of repeats as often as they may run:
/// limits::kMaxExecuted of runtime/plan/Limits.h.
inline constexpr int64_t kMostRecorded = 1 << 22;

} // namespace mlir::gpuvm
