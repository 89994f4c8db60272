//===- PathBounds.cpp - bounds on the paths of a workflow -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/PathBounds.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace vm;
using namespace vm::token;

namespace fs = std::filesystem;

/// False also where one of them cannot be resolved.
static bool isWithin(const fs::path &path, const fs::path &folder) {
  std::error_code error, folderError;
  fs::path whole = fs::weakly_canonical(path, error);
  fs::path top = fs::canonical(folder.empty() ? "." : folder, folderError);
  if (error || folderError)
    return false;
  return std::mismatch(top.begin(), top.end(), whole.begin(), whole.end())
             .first == top.end();
}

bool vm::token::checkBounds(const std::string &path, const PathBounds &bounds,
                            Diagnostics &diagnostics) {
  // An absolute path of nothing would stay relative otherwise.
  std::error_code error;
  if (!bounds || isWithin(fs::absolute(path, error), *bounds))
    return true;
  diagnostics.error("P07", {path, {0, 0}},
                    fmt::format("The path leads out of the workflow's folder "
                                "\"{}\" (--allow-outside lets it).",
                                printableLines(*bounds)));
  return false;
}
