//===- TestKernels.cpp - small SPIR-V modules for tests -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/TestKernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace vm::test {
namespace {

std::string decorate(size_t i, const TestBuffer &buffer) {
  std::string text = fmt::format("OpDecorate %b{0} DescriptorSet {1}\n"
                                 "OpDecorate %b{0} Binding {2}\n",
                                 i, buffer.set, buffer.binding);
  if (buffer.nonWritable)
    text += fmt::format("OpDecorate %b{} NonWritable\n", i);
  return text;
}

std::string use(size_t i, const TestBuffer &buffer) {
  std::string text =
      fmt::format("%p{0} = OpAccessChain %elementPtr %b{0} %zero %zero\n", i);
  if (buffer.loads)
    text += fmt::format("%v{0} = OpLoad %u32 %p{0}\n", i);
  if (buffer.stores)
    text += fmt::format("OpStore %p{} %one\n", i);
  return text;
}

} // namespace

std::string assemblyOf(const TestKernel &kernel) {
  std::string decorations, variables, body;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    decorations += decorate(i, kernel.buffers[i]);
    variables += fmt::format("%b{} = OpVariable %blockPtr StorageBuffer\n", i);
    body += use(i, kernel.buffers[i]);
  }
  return "OpCapability Shader\n" + kernel.capabilities +
         "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n" +
         kernel.extensions + "OpMemoryModel Logical GLSL450\n" +
         "OpEntryPoint GLCompute %main \"" + kernel.entryPoint + "\"\n" +
         "OpExecutionMode %main LocalSize " + kernel.localSize + "\n" +
         kernel.modes +
         "OpDecorate %array ArrayStride 4\n"
         "OpMemberDecorate %block 0 Offset 0\n"
         "OpDecorate %block Block\n" +
         decorations + kernel.decorations +
         "%void = OpTypeVoid\n"
         "%function = OpTypeFunction %void\n"
         "%u32 = OpTypeInt 32 0\n"
         "%zero = OpConstant %u32 0\n"
         "%one = OpConstant %u32 1\n"
         "%array = OpTypeRuntimeArray %u32\n"
         "%block = OpTypeStruct %array\n"
         "%blockPtr = OpTypePointer StorageBuffer %block\n"
         "%elementPtr = OpTypePointer StorageBuffer %u32\n" +
         kernel.types + variables +
         "%main = OpFunction %void None %function\n"
         "%entry = OpLabel\n" +
         body + kernel.body +
         "OpReturn\n"
         "OpFunctionEnd\n";
}

std::vector<uint32_t> assemble(const std::string &text,
                               spv_target_env environment) {
  spv_context context = spvContextCreate(environment);
  spv_binary binary = nullptr;
  spv_diagnostic diagnostic = nullptr;
  if (spvTextToBinary(context, text.data(), text.size(), &binary,
                      &diagnostic) != SPV_SUCCESS) {
    // The text is part of the test: a mistake in it must stop the test.
    std::fprintf(stderr, "%s\n%s", diagnostic->error, text.c_str());
    std::abort();
  }
  std::vector<uint32_t> words(binary->code, binary->code + binary->wordCount);
  spvBinaryDestroy(binary);
  spvContextDestroy(context);
  return words;
}

TestKernel copyKernel() {
  TestKernel kernel;
  kernel.buffers = {{0, true, false, true}, {5, false, true, false}};
  return kernel;
}

Kernel makeKernel(const std::string &name, const TestKernel &test) {
  Kernel kernel;
  kernel.name = name;
  kernel.localSize = {64, 1, 1};
  std::map<uint32_t, Binding> bindings;
  for (const TestBuffer &buffer : test.buffers) {
    Binding &binding = bindings[buffer.binding];
    binding.binding = buffer.binding;
    binding.reads |= buffer.loads;
    binding.writes |= buffer.stores;
  }
  for (const auto &[number, binding] : bindings)
    kernel.bindings.push_back(binding);
  kernel.spirv = assemble(assemblyOf(test), test.environment);
  return kernel;
}

Kernel makeKernel(const std::string &name, const std::vector<uint32_t> &inputs,
                  const std::vector<uint32_t> &outputs) {
  std::map<uint32_t, TestBuffer> buffers;
  for (uint32_t binding : inputs)
    buffers[binding] = {binding, true, false, true};
  for (uint32_t binding : outputs) {
    bool loads = buffers.count(binding) != 0;
    buffers[binding] = {binding, loads, true, false};
  }
  TestKernel test;
  for (const auto &[number, buffer] : buffers)
    test.buffers.push_back(buffer);
  return makeKernel(name, test);
}

} // namespace vm::test
