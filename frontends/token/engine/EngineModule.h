//===- EngineModule.h - a module of the user in an engine -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/ModuleInfo.h"

namespace vm::token {

struct EngineModule {
  ModuleInfo info;
  /// MLIR's text of a private function, named as engineModuleName says.
  std::string function;
};

/// The name of the function of module `number`, without `@`.
inline std::string engineModuleName(size_t number) {
  return "module" + std::to_string(number);
}

} // namespace vm::token
