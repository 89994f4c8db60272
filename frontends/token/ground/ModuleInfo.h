//===- ModuleInfo.h - a module of the user ----------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step is told of a function that a user adds to it, on the host and on
// a device.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm::token {

/// Where in a step a module is called.
enum class ModuleStage { Manipulation, Transition, Post };

/// `manipulation`, `transition` or `post`.
const char *toString(ModuleStage stage);
std::optional<ModuleStage> toModuleStage(std::string_view name);

struct ModuleInfo {
  ModuleStage stage = ModuleStage::Post;
  std::string state = {}; ///< The name the host reads the state by; may be "".
  int32_t initial = 0;    ///< The state of a stream that begins.
  bool resetsOnZoneChange = false; ///< To `initial`, before the next step.

  bool operator==(const ModuleInfo &) const = default;
};

/// What --module names.
struct ModuleName {
  ModuleStage stage = ModuleStage::Post;
  std::string path;
};

/// STAGE:FILE; nothing where it is none.
std::optional<ModuleName> toModuleName(const std::string &text);

/// What is wrong with the name, or "".
std::string checkModuleName(const std::string &text);

/// A transition module is given so many classes, a bit each.
constexpr int32_t kMaxModuleClasses = 64;

/// M02 (docs/token-vm.md) where the machine has more classes than a transition
/// module can be given.
Status checkModules(const Machine &machine,
                    std::span<const ModuleInfo> modules);

/// How many modules record a number with each token.
int32_t countPosts(std::span<const ModuleInfo> modules);

/// The names of states, in the order of the modules; those without are not
/// there.
std::vector<std::string> stateNames(std::span<const ModuleInfo> modules);

} // namespace vm::token
