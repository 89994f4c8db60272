//===- SchemaMerge.cpp - one schema of several ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/SchemaMerge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace vm;
using namespace vm::llm;

using Json = SchemaMerger::Json;

bool vm::llm::isAnnotation(std::string_view key) {
  static const std::set<std::string_view> kAnnotations = {
      "$schema",     "$id",       "$comment",        "$defs",    "definitions",
      "description", "title",     "default",         "examples", "deprecated",
      "readOnly",    "writeOnly", "contentMediaType"};
  return kAnnotations.contains(key);
}

static Status fail(std::string what) { return {Code::Usage, std::move(what)}; }

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static Json listOf(const Json &value) {
  return value.is_array() ? value : Json::array({value});
}

/// Values of both lists. A type that is an integer is a number, too.
static Json inBoth(const Json &a, const Json &b) {
  Json both = Json::array();
  auto has = [](const Json &list, const Json &value) {
    return std::ranges::find(list, value) != list.end();
  };
  auto add = [&](const Json &from, const Json &other) {
    for (const Json &value : from)
      if ((has(other, value) ||
           (value == Json("integer") && has(other, "number"))) &&
          !has(both, value))
        both.push_back(value);
  };
  add(a, b);
  add(b, a);
  return both;
}

static Status mergeProperties(Json &merged, const Json &properties) {
  if (!merged.is_object() || !properties.is_object())
    return fail("\"properties\" is not an object.");
  for (const auto &[name, schema] : properties.items()) {
    auto there = merged.find(name);
    if (there == merged.end())
      merged[name] = schema;
    else if (*there != schema)
      *there = Json({{"allOf", Json::array({*there, schema})}});
  }
  return {};
}

/// `value` of `key`, where there is another one already.
static Status mergeKey(Json &merged, const std::string &key,
                       const Json &value) {
  static const std::set<std::string_view> kLeast = {
      "minimum", "exclusiveMinimum", "minLength", "minItems"};
  static const std::set<std::string_view> kMost = {
      "maximum", "exclusiveMaximum", "maxLength", "maxItems"};
  Json &own = merged[key];
  if (own == value)
    return {};
  if (key == "properties")
    return mergeProperties(own, value);
  bool areLists = own.is_array() && value.is_array();
  if (key == "required" && areLists) {
    for (const Json &name : value)
      if (std::ranges::find(own, name) == own.end())
        own.push_back(name);
    return {};
  }
  if (key == "type" || (key == "enum" && areLists)) {
    Json both = inBoth(listOf(own), listOf(value));
    if (both.empty())
      return fail(
          fmt::format("no \"{}\" is in all schemas of \"allOf\".", key));
    own = key == "type" && both.size() == 1 ? both.front() : both;
    return {};
  }
  if (own.is_number() && value.is_number() &&
      (kLeast.contains(key) || kMost.contains(key))) {
    bool isLess = value.get<double>() < own.get<double>();
    if (isLess == kMost.contains(key))
      own = value;
    return {};
  }
  if (key == "additionalProperties" && (own == true || value == true)) {
    own = own == true ? value : own;
    return {};
  }
  return fail(fmt::format("two schemas of \"allOf\" have \"{}\", which are not "
                          "merged.",
                          key.substr(0, 40)));
}

/// A schema that allows no other properties does not know those of others.
static Status checkOthers(const std::vector<const Json *> &parts) {
  auto names = [](const Json &schema) {
    return schema.value("properties", Json::object());
  };
  for (const Json *part : parts) {
    if (part->value("additionalProperties", Json(true)) == Json(true))
      continue;
    Json own = names(*part);
    for (const Json *other : parts) {
      Json others = names(*other);
      for (const auto &[name, unused] : others.items())
        if (!own.contains(name))
          return fail(
              fmt::format("\"additionalProperties\" of a schema of "
                          "\"allOf\" is for \"{}\" of another one, too, "
                          "which is not supported.",
                          name.substr(0, 40)));
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

/// Adds all schemas that a value must fit, without what they refer to.
Status SchemaMerger::flatten(const Json &schema,
                             std::vector<const Json *> &parts) {
  if (++count > kMaxMergedSchemas)
    return fail(fmt::format("\"allOf\" joins more than {} schemas.",
                            kMaxMergedSchemas));
  if (schema == true)
    return {};
  if (!schema.is_object())
    return fail("\"allOf\" has what is no schema.");
  if (auto reference = schema.find("$ref"); reference != schema.end()) {
    const Json *found =
        reference->is_string() ? find(reference->get<std::string>()) : nullptr;
    if (!found)
      return fail("\"allOf\" has a \"$ref\" to nothing in this document.");
    VM_RETURN_IF_ERROR(flatten(*found, parts));
  }
  if (auto all = schema.find("allOf"); all != schema.end()) {
    if (!all->is_array() || all->empty())
      return fail("\"allOf\" is not an array of at least one schema.");
    for (const Json &each : *all)
      VM_RETURN_IF_ERROR(flatten(each, parts));
  }
  parts.push_back(&schema);
  return {};
}

Result<Json> SchemaMerger::merge(const Json &schema) {
  std::vector<const Json *> parts;
  if (Status status = flatten(schema, parts); !status.ok())
    return status;
  if (Status status = checkOthers(parts); !status.ok())
    return status;
  Json merged = Json::object();
  for (const Json *part : parts)
    for (const auto &[key, value] : part->items()) {
      if (isAnnotation(key) || key == "$ref" || key == "allOf")
        continue;
      if (!merged.contains(key))
        merged[key] = value;
      else if (Status status = mergeKey(merged, key, value); !status.ok())
        return status;
    }
  return merged;
}
