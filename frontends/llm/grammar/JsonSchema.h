//===- JsonSchema.h - grammars of JSON that fits a schema -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <string>
#include <string_view>

namespace vm::llm {

/// A grammar (GBNF) of the JSON texts that fit a JSON schema, with little white
/// space and properties in the schema's order. docs/language-models.md says
/// what a schema may have; for everything else Usage with a sentence that says
/// where it is.
Result<std::string> gbnfOfSchema(std::string_view schema);

/// Of any JSON object.
std::string gbnfOfObjects();

/// Levels of objects and arrays in a schema, at most.
inline constexpr size_t kMaxSchemaDepth = 128;

/// How many objects and arrays of a JSON text are within each other at most;
/// what is no JSON has some number.
size_t jsonDepth(std::string_view text);

} // namespace vm::llm
