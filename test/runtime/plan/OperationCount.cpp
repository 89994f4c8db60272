//===- OperationCount.cpp - how much the runtime does, for tests ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build with AddressSanitizer calls this before each basic block of the
// runtime (gpuvm_add_library).
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/OperationCount.h"

static thread_local uint64_t count = 0;

// The name is GCC's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __sanitizer_cov_trace_pc();
extern "C" void __sanitizer_cov_trace_pc() { ++count; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

uint64_t vm::test::operationCount() { return count; }
