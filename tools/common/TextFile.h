//===- TextFile.h - texts that are written --------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/AtomicFile.h"
#include "tools/common/StandardOutput.h"

#include <string>
#include <string_view>

namespace vm {

inline std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// Writes a file that is whole or absent, or standard output for `-`.
inline Status writeText(const std::string &path, std::string_view text) {
  if (path != "-")
    return writeFileAtomically(path, bytesOf(text));
  return printOutput(text);
}

} // namespace vm
