//===- TensorJson.h - machines as JSON ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensor form, `*.token.json`. Sets of classes and tags are lists of the
// indices that are true, tables of tokens are padded with -1 at the beginning.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace vm::token {

/// The largest file that is read, in bytes, and the most values in it.
constexpr size_t kMaxTensorBytes = size_t(1) << 28;
constexpr size_t kMaxTensorValues = size_t(1) << 26;
/// The deepest nesting of one.
constexpr int kMaxTensorNesting = 8;

/// Reads and checks (CheckMachine.h). BadInput with a line for each thing that
/// is wrong, by the rules there and:
///   T10 it is not JSON, of another format, or larger than the limits
///   T11 a key is missing, unknown or there twice
///   T12 a value is of another type, or an integer beyond 32 bits
///   T13 a tensor has another shape than the rest
///   T15 a pattern is not right aligned
/// The tokens are those of the tokenizer `bytes`. `file` is for messages.
Result<Machine> readTensors(std::string_view text, const std::string &file);

/// The same of an object of a file, by the rules from T11 on; nothing after an
/// error.
std::optional<Machine> readTensors(const nlohmann::json &json,
                                   const Place &place,
                                   Diagnostics &diagnostics);

/// Of a machine that was checked. Compact, a line for each tensor and workflow;
/// what is not UTF-8 in names is replaced by U+FFFD.
std::string writeTensors(const Machine &machine);

} // namespace vm::token
