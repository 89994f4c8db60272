//===- SchemaMerge.h - one schema of several --------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace vm::llm {

/// Whether a key of a JSON schema says nothing of the values that fit.
bool isAnnotation(std::string_view key);

/// Schemas that are merged for one document, at most: some grow without end.
inline constexpr size_t kMaxMergedSchemas = 256;

/// Makes one schema of those that "allOf" joins.
class SchemaMerger {
public:
  using Json = nlohmann::ordered_json;
  /// `find`: what a "$ref" points to; null if nothing.
  using Find = std::function<const Json *(const std::string &)>;
  explicit SchemaMerger(Find find) : find(std::move(find)) {}

  /// What fits all schemas in the "allOf" of `schema`, and `schema`. Properties
  /// of several of them have an "allOf" again. Usage with the end of a sentence
  /// where two say what cannot be said in one, and over the limit.
  Result<Json> merge(const Json &schema);

private:
  Status flatten(const Json &schema, std::vector<const Json *> &parts);

  Find find;
  size_t count = 0;
};

} // namespace vm::llm
