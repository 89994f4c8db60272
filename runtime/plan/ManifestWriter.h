//===- ManifestWriter.h - fields of JSON objects, written -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterpart of ManifestReader, with the same members: one function states
// the fields of an object for both.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/PlanNames.h"
#include "runtime/plan/PlanVersion.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace vm {

/// Writes the fields of one object in the order of the calls.
class ManifestWriter {
public:
  using Json = nlohmann::ordered_json;
  static constexpr bool kReads = false;

  template <typename T> void field(const char *name, const T &value) {
    if constexpr (std::is_enum_v<T>)
      json[name] = toString(value);
    else if constexpr (std::is_constructible_v<Json, T>)
      json[name] = value;
    else
      object(name, [&](ManifestWriter &writer) { fields(writer, value); });
  }
  template <typename T>
  void field(const char *name, const std::vector<T> &values) {
    if constexpr (std::is_integral_v<T>)
      json[name] = values;
    else
      list(name, values, [](ManifestWriter &writer, const T &value) {
        fields(writer, value);
      });
  }
  void field(const char *name, const std::vector<Feature> &values) {
    json[name] = Json::array();
    for (Feature value : values)
      json[name].push_back(toString(value));
  }

  /// Leaves out what is empty, zero or not given.
  template <typename T> void optional(const char *name, const T &value) {
    bool isSet;
    if constexpr (requires { value.empty(); })
      isSet = !value.empty();
    else
      isSet = value != T();
    if (isSet)
      field(name, value);
  }
  template <typename T>
  void optional(const char *name, const std::optional<T> &value) {
    if (value)
      field(name, *value);
  }
  bool has(const char * /*name*/, bool isSet) const { return isSet; }
  uint16_t minor() const { return kPlanFormatMinor; }

  template <typename Body> void object(const char *name, Body body) {
    ManifestWriter writer;
    body(writer);
    json[name] = std::move(writer.json);
  }
  template <typename T, typename Body>
  void list(const char *name, const std::vector<T> &values, Body body) {
    Json &array = json[name] = Json::array();
    for (const T &value : values) {
      ManifestWriter writer;
      body(writer, value);
      array.push_back(std::move(writer.json));
    }
  }
  template <typename Variant, size_t N>
  void choice(const char *name, const Variant &value,
              const std::pair<const char *, Variant> (&alternatives)[N]) {
    for (const auto &[known, initial] : alternatives)
      if (initial.index() == value.index())
        json[name] = known;
    std::visit([&](const auto &one) { fields(*this, one); }, value);
  }

  Json json;
};

} // namespace vm
