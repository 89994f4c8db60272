//===- CacheFolder.h - the folder for what can be made again ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>

namespace vm {

/// $XDG_CACHE_HOME/gpuvm, else $HOME/.cache/gpuvm; empty if neither is an
/// absolute path.
std::string defaultCacheDirectory();

} // namespace vm
