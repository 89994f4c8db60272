//===- CacheFolder.cpp - the folder for what can be made again ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/CacheFolder.h"

#include <cstdlib>

namespace vm {

std::string defaultCacheDirectory() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/')
    return std::string(cache) + "/gpuvm";
  const char *home = std::getenv("HOME");
  if (home && *home == '/')
    return std::string(home) + "/.cache/gpuvm";
  return "";
}

} // namespace vm
