//===- ModuleInfo.cpp - a module of the user ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/ModuleInfo.h"

#include "frontends/token/ground/Diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

static constexpr const char *kStages[] = {"manipulation", "transition", "post"};

const char *vm::token::toString(ModuleStage stage) {
  return kStages[size_t(stage)];
}

std::optional<ModuleStage> vm::token::toModuleStage(std::string_view name) {
  auto found = std::ranges::find(kStages, name);
  if (found == std::end(kStages))
    return std::nullopt;
  return ModuleStage(found - std::begin(kStages));
}

std::optional<ModuleName> vm::token::toModuleName(const std::string &text) {
  size_t end = text.find(':');
  auto stage = toModuleStage(std::string_view(text).substr(0, end));
  if (!stage || end == std::string::npos || end + 1 == text.size())
    return std::nullopt;
  return ModuleName{*stage, text.substr(end + 1)};
}

std::string vm::token::checkModuleName(const std::string &text) {
  if (toModuleName(text))
    return "";
  return fmt::format("\"{}\" is no STAGE:FILE with one of {} as STAGE.", text,
                     fmt::join(kStages, ", "));
}

Status vm::token::checkModules(const Machine &machine,
                               std::span<const ModuleInfo> modules) {
  Diagnostics diagnostics;
  if (machine.classes > kMaxModuleClasses &&
      std::ranges::count(modules, ModuleStage::Transition, &ModuleInfo::stage))
    diagnostics.error(
        "M02", {"command line", {0, 0}},
        fmt::format("A transition module is given at most {} patterns, and the "
                    "workflows have {} (--module).",
                    kMaxModuleClasses, machine.classes));
  return diagnostics.status();
}

int32_t vm::token::countPosts(std::span<const ModuleInfo> modules) {
  return int32_t(
      std::ranges::count(modules, ModuleStage::Post, &ModuleInfo::stage));
}

std::vector<std::string>
vm::token::stateNames(std::span<const ModuleInfo> modules) {
  std::vector<std::string> names;
  for (const ModuleInfo &module : modules)
    if (!module.state.empty())
      names.push_back(module.state);
  return names;
}
