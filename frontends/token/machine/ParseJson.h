//===- ParseJson.h - hostile JSON to values -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vm::token {

/// The value of a text, or nothing after an error: not JSON, or beyond the
/// limits of TensorJson.h (T10); a key of an object is there twice (T11).
std::optional<nlohmann::json> parseTensorJson(std::string_view text,
                                              const Place &place,
                                              Diagnostics &diagnostics);

/// The result of `read(json, place, diagnostics)` for a file's text; BadInput
/// with all that is wrong.
template <typename Read>
auto readJsonText(std::string_view text, const std::string &file, Read read)
    -> Result<decltype(read(nlohmann::json(), Place(),
                            std::declval<Diagnostics &>()))> {
  Diagnostics diagnostics;
  Place place{file, {0, 0}};
  auto json = parseTensorJson(text, place, diagnostics);
  if (!json)
    return diagnostics.status();
  auto value = read(*json, place, diagnostics);
  if (diagnostics.hasErrors())
    return diagnostics.status();
  return value;
}

} // namespace vm::token
