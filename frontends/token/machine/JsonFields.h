//===- JsonFields.h - keys of JSON objects, by name and type --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vm::token {

/// `a string`, `an integer`, ..., for messages.
std::string typeName(const nlohmann::json &value);

/// The values of an object, asked for one by one; all must be there. What is
/// missing (T11) or of another type (T12) is reported and comes back as
/// nothing. For the tensor form, whose places are whole files.
class JsonFields {
public:
  using Json = nlohmann::json;

  /// `what` names the object in sentences. Reports one that is none. All must
  /// outlive this.
  JsonFields(const Json &value, std::string what, const Place &place,
             Diagnostics &diagnostics);

  /// Whether the key is there; reports nothing.
  bool has(const char *key) const {
    return value_.is_object() && value_.contains(key);
  }
  /// Whether it is there and a list; reports nothing.
  bool isList(const char *key) const {
    return has(key) && value_[key].is_array();
  }
  const Json *any(const char *key);
  const Json *list(const char *key);
  const Json *object(const char *key);
  std::optional<std::string> string(const char *key);
  std::optional<int32_t> integer(const char *key);
  std::optional<bool> boolean(const char *key);
  std::optional<std::vector<std::string>> strings(const char *key);
  std::optional<std::vector<int32_t>> integers(const char *key);

  /// Reports each key that was not asked for (T11).
  void refuseOthers();

  void fail(const char *code, std::string sentence) {
    diagnostics_.error(code, place_, std::move(sentence));
  }
  /// Reports a value, which `subject` names, that is not `wanted` (T12).
  void mistyped(const std::string &subject, const Json &value,
                const char *wanted);
  const std::string &what() const { return what_; }

private:
  const Json *typed(const char *key, Json::value_t type, const char *wanted);

  const Json &value_;
  std::string what_;
  const Place &place_;
  Diagnostics &diagnostics_;
  std::set<std::string, std::less<>> asked_;
};

/// An integer of 32 bits, or nothing.
std::optional<int32_t> toInt32(const nlohmann::json &value);
constexpr const char *kInt32Wanted =
    "an integer from -2147483648 to 2147483647";

/// A list of such, or of strings; nothing where it is something else.
std::optional<std::vector<int32_t>> toInt32List(const nlohmann::json &value);
std::optional<std::vector<std::string>>
toStringList(const nlohmann::json &value);

} // namespace vm::token
