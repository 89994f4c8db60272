//===- ParseJson.h - hostile JSON to values -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace vm::token {

/// The value of a text, or nothing after an error: not JSON, or beyond the
/// limits of TensorJson.h (T10); a key of an object is there twice (T11).
std::optional<nlohmann::json> parseTensorJson(std::string_view text,
                                              const Place &place,
                                              Diagnostics &diagnostics);

} // namespace vm::token
