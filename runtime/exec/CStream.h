//===- CStream.h - streams through callbacks of C -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vm_stream of gpuvm.h, less what every entry point does.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/SharedVm.h"
#include "runtime/include/gpuvm.h"

#include <cstdint>

namespace vm {

/// Checks `stream` and runs it. `chunks` counts the executions.
Status runStream(SharedVm &shared, const gpuvm_stream &stream,
                 uint64_t &chunks);

} // namespace vm
