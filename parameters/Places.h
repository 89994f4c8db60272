//===- Places.h - places in the lines of a text -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `@lanes@` in a text stands for something else. MLIR writes symbols with an @,
// so that two of them are a place only if what is between them is.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// What stands for bytes of a line.
struct Replacement {
  size_t begin, size;
  std::string text;
};

struct Place {
  size_t begin, size;       ///< With both @.
  std::string_view content; ///< Between them.
};

using IsPlace = std::function<bool(std::string_view content)>;

/// From left to right. After an @ that begins none, the next one may.
std::vector<Place> findPlaces(std::string_view line, const IsPlace &isPlace);

/// Appends `line` with `replacements`, which follow one another, to `out`.
void replace(std::string_view line,
             const std::vector<Replacement> &replacements, std::string &out);

} // namespace vm
