//===- TextTemplate.h - programs with places to fill in -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a front end makes of its own language is mostly the same for each of its
// programs. It stands in files as the text of MLIR, with sizes as places to
// fill in and with parts that not every program needs.
//
//     @name@                     a place, replaced by what it stands for
//     //@if a or b               the lines up to //@else or //@end if one of
//     //@else                    these conditions holds, or else those after
//     //@end
//     //@define sum x y          a macro: its lines up to //@end, in which x
//     //@end                     and y are written {x} and {y}
//     @sum %a %b@                by itself in a line: the lines of a macro
//
//===----------------------------------------------------------------------===//

#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace vm {

/// A file of ours, which CMake puts into a header (gpuvm_embed_texts).
struct TextFile {
  std::string_view name, text;
};

struct TemplateArguments {
  std::map<std::string, std::string, std::less<>> places;
  std::set<std::string, std::less<>> conditions; ///< Those that hold.
  /// Whether a line that is left out stays as an empty one, so that without
  /// macros all others have the numbers that they have in the file.
  bool keepsLines = false;

  template <typename T> void set(const std::string &place, const T &value) {
    places[place] = fmt::format("{}", value);
  }
  void setIf(bool holds, const char *condition) {
    if (holds)
      conditions.insert(condition);
  }
};

/// `text`, which is one of our files, filled in. A place that `arguments` do
/// not name stays.
std::string fillTemplate(std::string_view text,
                         const TemplateArguments &arguments);

/// Files that are one text.
std::string fillTemplate(std::span<const TextFile> files,
                         const TemplateArguments &arguments);

} // namespace vm
