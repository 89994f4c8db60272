//===- Disassemble.cpp - kernels as SPIR-V assembly and GLSL --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/KernelText.h"
#include "tools/gpuvm-plan/Printing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vm::tools {
namespace {

/// The kernels that `name` selects.
Result<std::vector<const Kernel *>> select(const Plan &plan,
                                           const std::string &name) {
  std::vector<const Kernel *> kernels;
  for (const Kernel &kernel : plan.kernels)
    if (name.empty() || kernel.name == name)
      kernels.push_back(&kernel);
  if (kernels.empty() && !name.empty())
    return Status(Code::Usage,
                  fmt::format("The plan has no kernel \"{}\" (it has {} "
                              "kernels).",
                              name, plan.kernels.size()));
  return kernels;
}

} // namespace

Result<std::string> disassembleText(const Plan &plan, const std::string &name) {
  auto kernels = select(plan, name);
  if (!kernels.ok())
    return kernels.status();
  std::string text;
  for (const Kernel *kernel : *kernels) {
    auto glsl = glslOf(*kernel);
    text +=
        fmt::format("; kernel {}: SPIR-V\n{}\n// kernel {}: GLSL\n{}\n",
                    kernel->name, assemblyOf(*kernel), kernel->name,
                    glsl.ok() ? *glsl : "// " + glsl.status().message() + "\n");
  }
  return text;
}

Result<std::string> disassembleJson(const Plan &plan, const std::string &name) {
  auto kernels = select(plan, name);
  if (!kernels.ok())
    return kernels.status();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Kernel *kernel : *kernels) {
    auto glsl = glslOf(*kernel);
    nlohmann::ordered_json object;
    object["name"] = kernel->name;
    object["spirv"] = assemblyOf(*kernel);
    object["glsl"] = glsl.ok() ? nlohmann::ordered_json(*glsl) : nullptr;
    list.push_back(std::move(object));
  }
  return list.dump(2, ' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace vm::tools
