//===- NearName.h - the name that was meant -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For messages about a name that does not exist.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vm {

/// The one of `known` with the fewest letters to insert, delete, replace or
/// swap with their neighbour; "" if that is more than a third of `name`. The
/// first of several. Names of more than 64 letters are near none.
std::string nearName(std::string_view name, std::span<const std::string> known);

/// `did you mean "x"?`, or "".
std::string didYouMean(std::string_view name,
                       std::span<const std::string> known);

} // namespace vm
