//===- TextTemplate.h - programs with places to fill in -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a front end makes of its own language is mostly the same for each of its
// programs. It stands in a file as the text of a gpuvm program, with sizes and
// tables as places to fill in and with parts that not every program needs.
//
//     @name@                     a place, replaced by what it stands for
//     //@if a or b               the lines up to //@else or //@end if one of
//     //@else                    these conditions holds, or else those after
//     //@end
//     //@define sum x y          a macro: its lines up to //@end, with x and y
//     as
//     //@end                     the words {x} and {y}
//     @sum %a %b@                by itself in a line: the lines of a macro
//
//===----------------------------------------------------------------------===//

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace vm {

struct TemplateArguments {
  std::map<std::string, std::string, std::less<>> places;
  std::set<std::string, std::less<>> conditions; ///< Those that hold.
};

/// `text`, which is one of our files, filled in. A place that `arguments` do
/// not name stays.
std::string fillTemplate(std::string_view text,
                         const TemplateArguments &arguments);

} // namespace vm
