//===- Printable.h - text from a file, made safe to show ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message may quote what a hostile file holds. It must not grow with the file
// or carry control sequences to a terminal. Names of a verified plan are
// printable and are shown as they are; everything else of a file passes
// through a function below.
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

/// Whether `text` is UTF-8 without characters that do something instead of
/// being seen: the controls C0, DEL and C1, separators of lines, and marks that
/// change the direction of text (Unicode, general categories Cc, Zl, Zp and
/// Bidi_Control).
bool isPrintable(std::string_view text);

/// `text`, which may have lines and tabs, with `?` in place of every other byte
/// of what isPrintable refuses.
std::string printableLines(std::string_view text);

/// `text` on one line, at most `maxBytes` of it: `?` in place of every byte of
/// what isPrintable refuses, and `...` in place of what is too much.
std::string printableLine(std::string_view text, size_t maxBytes);

} // namespace vm
