//===- Sizes.h - what an engine has room for --------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine is a plan that holds no program but room for those of a size class,
// whose tables are its inputs. Its front end lists the sizes of the class once:
// they are places of the engine's text, and what a program must fit.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/TextTemplate.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>

namespace vm {

/// A size of a class, a member of `Sizes`.
template <typename Sizes, typename Number> struct SizeOf {
  constexpr SizeOf(const char *name, Number Sizes::*value)
      : SizeOf(name, name, value) {}
  constexpr SizeOf(const char *name, const char *what, Number Sizes::*value)
      : name(name), what(what), value(value) {}

  const char *name; ///< In the engine's text.
  const char *what; ///< ..., of which a program may need more; or "".
  Number Sizes::*value;
};

/// "12 words (there is room for 8)" of the first size there is too little of;
/// or "".
template <typename Sizes, typename Number>
std::string firstTooSmall(std::span<const SizeOf<Sizes, Number>> all,
                          const Sizes &needed,
                          const std::type_identity_t<Sizes> &room) {
  for (const auto &size : all)
    if (*size.what && needed.*size.value > room.*size.value)
      return fmt::format("{} {} (there is room for {})", needed.*size.value,
                         size.what, room.*size.value);
  return "";
}

/// The places that are named as sizes.
template <typename Sizes, typename Number>
void setSizes(TemplateArguments &arguments,
              std::span<const SizeOf<Sizes, Number>> all, const Sizes &sizes) {
  for (const auto &size : all)
    arguments.set(size.name, sizes.*size.value);
}

/// Rounds sizes up to powers of two, so that programs like this one fit, too.
template <typename Number> Number roundUp(Number size) {
  return Number(std::bit_ceil(std::make_unsigned_t<Number>(size)));
}

/// The rows of a table in one whose rows are longer.
template <typename T, typename Iterator>
void copyRows(std::span<const T> words, size_t columns, Iterator to,
              size_t columnsThere) {
  for (; !words.empty(); words = words.subspan(columns), to += columnsThere)
    std::ranges::copy(words.first(columns), to);
}

} // namespace vm
