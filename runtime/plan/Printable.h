//===- Printable.h - text from a file, made safe to show ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message may quote what a hostile file holds. It must not grow with the file
// or carry control sequences to a terminal.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vm {

/// `text` with everything but printable ASCII replaced by `?`, and with `...`
/// in place of what exceeds `maxBytes`.
inline std::string printable(std::string_view text, size_t maxBytes = 40) {
  std::string result;
  for (char character : text.substr(0, maxBytes))
    result += character >= 0x20 && character < 0x7F ? character : '?';
  return text.size() > maxBytes ? result + "..." : result;
}

} // namespace vm
