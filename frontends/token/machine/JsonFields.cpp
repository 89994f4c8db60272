//===- JsonFields.cpp - keys of JSON objects, by name and type ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/JsonFields.h"

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <limits>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::json;

std::string vm::token::typeName(const Json &value) {
  switch (value.type()) {
  case Json::value_t::object:
    return "an object";
  case Json::value_t::array:
    return "a list";
  case Json::value_t::string:
    return "a string";
  case Json::value_t::boolean:
    return "a boolean";
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned:
    return "the integer " + value.dump();
  case Json::value_t::number_float:
    return "a floating-point number";
  default:
    return "null";
  }
}

std::optional<int32_t> vm::token::toInt32(const Json &value) {
  using Limits = std::numeric_limits<int32_t>;
  if (value.is_number_unsigned()) {
    auto number = value.get<uint64_t>();
    if (number <= uint64_t(Limits::max()))
      return int32_t(number);
  } else if (value.is_number_integer()) {
    auto number = value.get<int64_t>();
    if (number >= Limits::min() && number <= Limits::max())
      return int32_t(number);
  }
  return std::nullopt;
}

std::optional<std::vector<int32_t>> vm::token::toInt32List(const Json &value) {
  if (!value.is_array())
    return std::nullopt;
  std::vector<int32_t> list;
  list.reserve(value.size());
  for (const Json &element : value) {
    std::optional<int32_t> number = toInt32(element);
    if (!number)
      return std::nullopt;
    list.push_back(*number);
  }
  return list;
}

std::optional<std::vector<std::string>>
vm::token::toStringList(const Json &value) {
  if (!value.is_array())
    return std::nullopt;
  std::vector<std::string> list;
  for (const Json &element : value) {
    if (!element.is_string())
      return std::nullopt;
    list.push_back(element.get<std::string>());
  }
  return list;
}

JsonFields::JsonFields(const Json &value, std::string what, const Place &place,
                       Diagnostics &diagnostics)
    : value_(value), what_(std::move(what)), place_(place),
      diagnostics_(diagnostics) {
  if (!value_.is_object())
    mistyped(what_, value_, "an object");
}

void JsonFields::mistyped(const std::string &subject, const Json &value,
                          const char *wanted) {
  fail("T12", fmt::format("{} is {} ({} is wanted).", subject, typeName(value),
                          wanted));
}

const Json *JsonFields::any(const char *key) {
  asked_.emplace(key);
  if (!value_.is_object())
    return nullptr;
  auto found = value_.find(key);
  if (found != value_.end())
    return &*found;
  fail("T11", fmt::format("{} has no key \"{}\".", what_, key));
  return nullptr;
}

const Json *JsonFields::typed(const char *key, Json::value_t type,
                              const char *wanted) {
  const Json *value = any(key);
  if (!value || value->type() == type)
    return value;
  mistyped(fmt::format("Key \"{}\" of {}", key, what_), *value, wanted);
  return nullptr;
}

const Json *JsonFields::list(const char *key) {
  return typed(key, Json::value_t::array, "a list");
}

const Json *JsonFields::object(const char *key) {
  return typed(key, Json::value_t::object, "an object");
}

std::optional<std::string> JsonFields::string(const char *key) {
  const Json *value = typed(key, Json::value_t::string, "a string");
  return value ? std::optional(value->get<std::string>()) : std::nullopt;
}

std::optional<bool> JsonFields::boolean(const char *key) {
  const Json *value = typed(key, Json::value_t::boolean, "a boolean");
  return value ? std::optional(value->get<bool>()) : std::nullopt;
}

std::optional<int32_t> JsonFields::integer(const char *key) {
  const Json *value = any(key);
  std::optional<int32_t> number = value ? toInt32(*value) : std::nullopt;
  if (value && !number)
    mistyped(fmt::format("Key \"{}\" of {}", key, what_), *value, kInt32Wanted);
  return number;
}

std::optional<std::vector<std::string>> JsonFields::strings(const char *key) {
  const Json *value = any(key);
  auto strings = value ? toStringList(*value) : std::nullopt;
  if (value && !strings)
    mistyped(fmt::format("Key \"{}\" of {}", key, what_), *value,
             "a list of strings");
  return strings;
}

std::optional<std::vector<int32_t>> JsonFields::integers(const char *key) {
  const Json *value = any(key);
  auto integers = value ? toInt32List(*value) : std::nullopt;
  if (value && !integers)
    mistyped(fmt::format("Key \"{}\" of {}", key, what_), *value,
             "a list of integers of 32 bits");
  return integers;
}

void JsonFields::refuseOthers() {
  if (!value_.is_object())
    return;
  std::vector<std::string> known(asked_.begin(), asked_.end());
  for (auto &[key, value] : value_.items()) {
    if (diagnostics_.isFull())
      return;
    if (!asked_.contains(key))
      fail("T11", fmt::format("{} has an unknown key {}{}.", what_,
                              inQuotes(key), advice(key, known)));
  }
}
