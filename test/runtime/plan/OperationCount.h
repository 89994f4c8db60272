//===- OperationCount.h - how much the runtime does, for tests --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>

namespace vm::test {

/// Loads from memory that the runtime has done in this thread; where
/// GPUVM_COUNTS_OPERATIONS is defined.
uint64_t operationCount();

} // namespace vm::test
