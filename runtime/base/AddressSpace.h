//===- AddressSpace.h - the remaining address space -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan drivers on the CPU do not survive a failing malloc: llvmpipe and LLVM
// crash or abort. So what they are known to take is looked for before they are
// called, where the process has a limit (ulimit -v).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>

namespace vm {

/// Bytes of address space that the process may take yet; nothing where it has
/// no limit. May be called by a signal handler.
std::optional<uint64_t> freeAddressSpace();

/// Code::OutOfMemory unless there are `bytes` to "<action>" with.
Status checkAddressSpace(uint64_t bytes, const char *action);

/// Bytes that the machine, or the container around the process, has left
/// without swapping; nothing where it does not say.
std::optional<uint64_t> freeHostBytes();

/// checkAddressSpace, and the same with freeHostBytes. To be asked before
/// memory is taken that the size of a file does not bound.
Status checkHostMemory(uint64_t bytes, const char *action);

/// Bytes that a thread takes for its stack.
uint64_t threadStackBytes();

} // namespace vm
