//===- ManifestReader.cpp - typed, range-checked fields of JSON objects ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ManifestReader.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace vm {
namespace {

/// `a string`, `the number 3.7`: what stands where something else should.
std::string describe(const nlohmann::json &json) {
  if (json.is_number())
    return json.dump();
  if (json.is_object())
    return "an object";
  if (json.is_array())
    return "an array";
  if (json.is_string())
    return "a string";
  return json.is_boolean() ? "a boolean" : "null";
}

std::string wrongKind(const ManifestPath &at, const nlohmann::json &json,
                      const char *needed) {
  return fmt::format("Manifest field \"{}\" is {} ({} is needed).", at.str(),
                     describe(json), needed);
}

/// JSON whose text is at most 2^63 - 1 may hold every dimension.
constexpr uint64_t kMaxInt64 = INT64_MAX;

} // namespace

std::string ManifestPath::str() const {
  if (!parent)
    return "";
  std::string prefix = parent->str();
  if (!field)
    return fmt::format("{}[{}]", prefix, index);
  return prefix.empty() ? field : prefix + "." + field;
}

ManifestReader::ManifestReader(const nlohmann::json &json,
                               const ManifestPath &path)
    : json(json), path(path) {
  if (json.is_object())
    return;
  if (path.str().empty())
    fail(fmt::format("The manifest is {} (an object is needed).",
                     describe(json)));
  else
    fail(wrongKind(path, json, "an object"));
}

void ManifestReader::fail(std::string message) {
  if (ok())
    status = Status(Code::BadInput, std::move(message));
}

/// The value of a field, or null after a failure.
const nlohmann::json *ManifestReader::find(const char *field) {
  if (!ok())
    return nullptr;
  known.push_back(field);
  auto it = json.find(field);
  if (it != json.end())
    return &*it;
  fail(fmt::format("Manifest field \"{}\" is missing.",
                   ManifestPath(path, field).str()));
  return nullptr;
}

std::string ManifestReader::unknownName(const char *field,
                                        const std::string &name) const {
  return fmt::format("Manifest field \"{}\" is \"{}\", which is not one of its "
                     "values.",
                     ManifestPath(path, field).str(), printable(name));
}

bool ManifestReader::has(const char *name, bool /*isSet*/) const {
  return ok() && json.contains(name);
}

bool ManifestReader::takeRoom(const char *name, uint64_t bytes) {
  uint64_t &room = path.file.roomBytes;
  if (ok() && bytes > room)
    fail(fmt::format("Manifest field \"{}\" is {} (the file has room for {} "
                     "bytes).",
                     ManifestPath(path, name).str(), bytes, room));
  if (ok())
    room -= bytes;
  return ok();
}

void ManifestReader::field(const char *field, std::string &value) {
  const nlohmann::json *found = find(field);
  if (!found)
    return;
  if (found->is_string())
    value = found->get_ref<const std::string &>();
  else
    fail(wrongKind(ManifestPath(path, field), *found, "a string"));
}

void ManifestReader::field(const char *field, bool &value) {
  const nlohmann::json *found = find(field);
  if (!found)
    return;
  if (found->is_boolean())
    value = *found->get_ptr<const bool *>();
  else
    fail(wrongKind(ManifestPath(path, field), *found, "a boolean"));
}

bool ManifestReader::readInteger(const nlohmann::json &json,
                                 const ManifestPath &at, uint64_t max,
                                 uint64_t &value) {
  const uint64_t *number = json.get_ptr<const uint64_t *>();
  if (number && *number <= max) {
    value = *number;
    return true;
  }
  if (json.is_number())
    fail(fmt::format("Manifest field \"{}\" is {} (an integer from 0 to {} is "
                     "needed).",
                     at.str(), describe(json), max));
  else
    fail(wrongKind(at, json, "an integer"));
  return false;
}

void ManifestReader::field(const char *field, uint32_t &value) {
  uint64_t wide = 0;
  if (const nlohmann::json *found = find(field))
    if (readInteger(*found, ManifestPath(path, field), UINT32_MAX, wide))
      value = static_cast<uint32_t>(wide);
}

void ManifestReader::field(const char *field, uint64_t &value) {
  if (const nlohmann::json *found = find(field))
    readInteger(*found, ManifestPath(path, field), UINT64_MAX, value);
}

void ManifestReader::readArray(const char *field,
                               const ReadElement &readElement) {
  const nlohmann::json *found = find(field);
  if (!found)
    return;
  ManifestPath at(path, field);
  if (!found->is_array())
    return fail(wrongKind(at, *found, "an array"));
  for (size_t i = 0; i < found->size() && ok(); ++i) {
    Status failure = path.file.deadline.check("Reading the manifest");
    if (failure.ok())
      failure = readElement((*found)[i], ManifestPath(at, i));
    if (!failure.ok() && ok())
      status = failure;
  }
}

void ManifestReader::readValue(const char *field,
                               const ReadElement &readValue) {
  const nlohmann::json *found = find(field);
  if (!found)
    return;
  if (Status failure = readValue(*found, ManifestPath(path, field));
      !failure.ok())
    status = failure;
}

void ManifestReader::field(const char *field, std::vector<int64_t> &values) {
  readArray(field, [&](const nlohmann::json &element, const ManifestPath &at) {
    uint64_t value = 0;
    if (readInteger(element, at, kMaxInt64, value))
      values.push_back(static_cast<int64_t>(value));
    return Status();
  });
}

void ManifestReader::field(const char *field, std::vector<uint32_t> &values) {
  readArray(field, [&](const nlohmann::json &element, const ManifestPath &at) {
    uint64_t value = 0;
    if (readInteger(element, at, UINT32_MAX, value))
      values.push_back(static_cast<uint32_t>(value));
    return Status();
  });
}

void ManifestReader::field(const char *name, std::vector<Feature> &values) {
  readArray(name, [&](const nlohmann::json &element, const ManifestPath &at) {
    std::optional<Feature> found;
    if (element.is_string())
      found = fromString<Feature>(element.get_ref<const std::string &>());
    if (!found)
      return Status(Code::BadInput,
                    fmt::format("Manifest field \"{}\" is not the name of a "
                                "feature.",
                                at.str()));
    values.push_back(*found);
    return Status();
  });
}

void ManifestReader::field(const char *name, std::array<uint32_t, 3> &values) {
  std::vector<uint32_t> found;
  field(name, found);
  if (!ok())
    return;
  if (found.size() != values.size())
    return fail(fmt::format("Manifest field \"{}\" has {} elements ({} are "
                            "needed).",
                            ManifestPath(path, name).str(), found.size(),
                            values.size()));
  std::copy(found.begin(), found.end(), values.begin());
}

Status ManifestReader::finish() {
  if (!ok() || json.size() == known.size())
    return status;
  for (auto it = json.begin(); it != json.end(); ++it) {
    bool isKnown = std::any_of(known.begin(), known.end(),
                               [&](const char *f) { return it.key() == f; });
    if (isKnown)
      continue;
    std::string at = path.str();
    return Status(Code::BadInput,
                  fmt::format("Manifest object \"{}\" has the unknown field "
                              "\"{}\".",
                              at.empty() ? "manifest" : at,
                              printable(it.key())));
  }
  return status;
}

} // namespace vm
