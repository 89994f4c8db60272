//===- OperationCount.h - how much the runtime does, for tests --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>

namespace vm::test {

/// Basic blocks of the runtime that this thread has been through; where
/// GPUVM_COUNTS_OPERATIONS is defined.
uint64_t operationCount();

} // namespace vm::test
