/*===- HeaderIsC.c - gpuvm.h is a C header ----------------------------------===
 *
 * Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "runtime/include/gpuvm.h"

/* Called by CApiTest: what a C program sees of the defaults. */
uint64_t timeoutSeenByC(void) {
  gpuvm_options options;
  vm_options_init(&options);
  return options.struct_bytes == sizeof options ? options.timeout_ms : 0;
}
