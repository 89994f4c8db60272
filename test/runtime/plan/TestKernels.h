//===- TestKernels.h - small SPIR-V modules for tests ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds compute kernels that load from and store to storage buffers, from
// assembly text, with knobs for everything the loader must refuse.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <spirv-tools/libspirv.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vm::test {

struct TestBuffer {
  uint32_t binding = 0;
  bool loads = false;
  bool stores = false;
  bool nonWritable = false;
  uint32_t set = 0;
};

/// Text that a test adds to the module at the place its name says.
struct TestKernel {
  std::vector<TestBuffer> buffers;
  std::string localSize = "64 1 1";
  std::string entryPoint = "main";
  std::string capabilities; ///< `OpCapability X` lines.
  std::string extensions;
  std::string modes; ///< More `OpExecutionMode` lines.
  std::string decorations;
  std::string types; ///< Types, constants and variables.
  std::string body;  ///< Instructions before OpReturn.
  spv_target_env environment = SPV_ENV_UNIVERSAL_1_3;
};

/// Assembly text of the kernel. Buffer i is variable %b<i>, a block with a
/// runtime array of u32; %p<i> points to its first element.
std::string assemblyOf(const TestKernel &kernel);

/// The words of assembly text; fails the test if it cannot be assembled.
std::vector<uint32_t> assemble(const std::string &text,
                               spv_target_env environment);

/// Reads binding 0, writes binding 5.
TestKernel copyKernel();

/// A kernel with a matching declaration: binding reads what it loads and writes
/// what it stores.
Kernel makeKernel(const std::string &name, const TestKernel &kernel);

/// Reads `inputs` and writes `outputs`, NonWritable where only read. A binding
/// in both lists is updated in place.
Kernel makeKernel(const std::string &name, const std::vector<uint32_t> &inputs,
                  const std::vector<uint32_t> &outputs);

} // namespace vm::test
