//===- KernelScan.h - facts read straight from SPIR-V instructions --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no reflection library tells: which storage buffers a kernel really loads
// from and stores to, and how much workgroup memory it declares. Without
// variable pointers every pointer leads back to one variable through access
// chains, so one pass in program order suffices. The pass also refuses what the
// libraries that run after it recurse on, so it works on unvalidated modules.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/KnownModule.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm {

struct KernelFacts {
  struct Buffer {
    bool reads = false;
    bool writes = false;
  };
  struct ExecutionMode {
    uint32_t mode = 0;    ///< SpvExecutionMode
    uint32_t operand = 0; ///< Its first literal, or 0.
  };

  std::vector<uint32_t> capabilities; ///< SpvCapability
  std::vector<std::string> extensions;
  std::vector<ExecutionMode> executionModes;
  std::vector<MatrixType> matrices;
  std::map<uint32_t, Buffer> buffers; ///< By id of the StorageBuffer variable.
  /// Of the constant decorated BuiltIn WorkgroupSize, which overrides
  /// LocalSize.
  std::optional<std::array<uint32_t, 3>> workgroupSize;
  /// All Workgroup variables one after the other, laid out by std430 rules.
  uint64_t workgroupMemoryBytes = 0;
};

/// The facts of a module, or Code::BadInput: not parseable, too deep or too
/// large (limits::kMaxTypeDepth etc.), specialization constants, or a use of a
/// storage buffer pointer that is not a plain load, store, atomic or chain.
/// `name` is the kernel's, for the message.
Result<KernelFacts> scanKernel(const std::string &name,
                               std::span<const uint32_t> spirv);

} // namespace vm
