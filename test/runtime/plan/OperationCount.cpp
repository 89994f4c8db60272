//===- OperationCount.cpp - how much the runtime does, for tests ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build with AddressSanitizer calls one of these before each load from
// memory in the runtime (gpuvm_add_library). Basic blocks would say as much,
// but libFuzzer, which has the same libraries, does not allow to trace them.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/OperationCount.h"

static thread_local uint64_t count = 0;

// The names are clang's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void __sanitizer_cov_load1(uint8_t *);
void __sanitizer_cov_load2(uint16_t *);
void __sanitizer_cov_load4(uint32_t *);
void __sanitizer_cov_load8(uint64_t *);
void __sanitizer_cov_load16(__int128 *);

void __sanitizer_cov_load1(uint8_t *) { ++count; }
void __sanitizer_cov_load2(uint16_t *) { ++count; }
void __sanitizer_cov_load4(uint32_t *) { ++count; }
void __sanitizer_cov_load8(uint64_t *) { ++count; }
void __sanitizer_cov_load16(__int128 *) { ++count; }
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

uint64_t vm::test::operationCount() { return count; }
