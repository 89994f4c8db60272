//===- BuiltInCheck.cpp - the built-in variables of a kernel --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/BuiltInCheck.h"

#include "runtime/plan/SpirvDefinitions.h"

#include <fmt/format.h>
#include <spirv_cross/spirv.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace vm {
namespace {

/// Vulkan 1.2, "Built-In Variables": each is of so many 32-bit integers.
struct Rule {
  SpvBuiltIn builtIn;
  uint64_t count;
};
constexpr Rule kRules[] = {
    {SpvBuiltInNumWorkgroups, 3},
    {SpvBuiltInWorkgroupId, 3},
    {SpvBuiltInLocalInvocationId, 3},
    {SpvBuiltInGlobalInvocationId, 3},
    {SpvBuiltInLocalInvocationIndex, 1},
    {SpvBuiltInNumSubgroups, 1},
    {SpvBuiltInSubgroupId, 1},
    {SpvBuiltInSubgroupSize, 1},
    {SpvBuiltInSubgroupLocalInvocationId, 1},
    {SpvBuiltInSubgroupEqMask, 4},
    {SpvBuiltInSubgroupGeMask, 4},
    {SpvBuiltInSubgroupGtMask, 4},
    {SpvBuiltInSubgroupLeMask, 4},
    {SpvBuiltInSubgroupLtMask, 4},
};

/// How many 32-bit integers an Input variable has; 0 if it is none of such.
uint64_t countOf(const SpirvDefinitions &definitions, uint32_t variable) {
  if (definitions.opcodeOf(variable) != SpvOpVariable ||
      definitions.find(variable)[3] != SpvStorageClassInput)
    return 0;
  uint32_t type = definitions.find(definitions.typeOf(variable))[3];
  uint64_t count = 1;
  if (definitions.opcodeOf(type) == SpvOpTypeVector) {
    count = definitions.find(type)[3];
    type = definitions.find(type)[2];
  }
  bool isWord = definitions.opcodeOf(type) == SpvOpTypeInt &&
                definitions.widthOf(type) == 32;
  return isWord ? count : 0;
}

Status check(const Kernel &kernel, const SpirvDefinitions &definitions,
             uint32_t target, uint32_t builtIn) {
  // KernelScan.cpp reads this one.
  if (builtIn == SpvBuiltInWorkgroupSize &&
      definitions.opcodeOf(target) == SpvOpConstantComposite)
    return {};
  auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                           [&](Rule r) { return r.builtIn == builtIn; });
  if (rule == std::end(kRules))
    return Status(Code::BadInput,
                  fmt::format("Kernel \"{}\" has built-in {}, which compute "
                              "kernels of plans have not.",
                              kernel.name, builtIn));
  if (countOf(definitions, target) == rule->count)
    return {};
  return Status(
      Code::BadInput,
      fmt::format("Kernel \"{}\" has built-in {} in another type than "
                  "an Input variable of {} 32-bit integers.",
                  kernel.name, builtIn, rule->count));
}

} // namespace

Status checkBuiltIns(const Kernel &kernel) {
  SpirvDefinitions definitions(kernel.spirv);
  std::set<uint32_t> seen;
  Status status;
  forEachSpirvInstruction(kernel.spirv, [&](uint16_t opcode, SpirvWords words) {
    if (!status.ok())
      return;
    if (opcode == SpvOpDecorate && words.size() > 3 &&
        words[2] == SpvDecorationBuiltIn)
      status = seen.insert(words[1]).second
                   ? check(kernel, definitions, words[1], words[3])
                   : Status(Code::BadInput,
                            fmt::format("Kernel \"{}\" has a variable that is "
                                        "two built-ins.",
                                        kernel.name));
    if (opcode == SpvOpMemberDecorate && words.size() > 4 &&
        words[3] == SpvDecorationBuiltIn)
      status = check(kernel, definitions, words[1], words[4]);
  });
  return status;
}

} // namespace vm
