//===- ManifestFields.h - typed, range-checked fields of JSON objects -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann-json converts -1 to 4294967295 and 3.7 to 3 when asked for an
// integer. These readers take a value only if it has the right kind and range,
// know where it is, and refuse objects with fields that were not read.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vm {

/// A place in the manifest: `inputs[0].window`, or "" for its root.
class ManifestPath {
public:
  /// The root. All of the manifest is read until the deadline.
  explicit ManifestPath(const Deadline &deadline) : deadline(deadline) {}
  ManifestPath(const ManifestPath &parent, const char *field)
      : deadline(parent.deadline), parent(&parent), field(field) {}
  ManifestPath(const ManifestPath &parent, size_t index)
      : deadline(parent.deadline), parent(&parent), index(index) {}
  std::string str() const;

  const Deadline &deadline;

private:
  const ManifestPath *parent = nullptr;
  const char *field = nullptr; ///< Null for an element of an array.
  size_t index = 0;
};

/// Reads the fields of one object. The first failure sticks: later reads leave
/// their targets alone, and finish() returns it.
class ManifestObject {
public:
  /// `json` and `path` must outlive the reader.
  ManifestObject(const nlohmann::json &json, const ManifestPath &path);

  void read(const char *field, std::string &value);
  void read(const char *field, bool &value);
  void read(const char *field, uint32_t &value);
  void read(const char *field, uint64_t &value);
  void read(const char *field, std::vector<int64_t> &values);
  void read(const char *field, std::vector<uint32_t> &values);
  /// Exactly `count` integers.
  void read(const char *field, uint32_t *values, size_t count);

  /// The same, if there is such a field: older files lack it.
  template <typename T> void readOptional(const char *field, T &value) {
    if (has(field))
      read(field, value);
  }
  template <typename Enum, typename Function>
  void readOptionalEnum(const char *field, std::optional<Enum> &value,
                        Function fromString) {
    if (has(field))
      readEnum(field, value.emplace(), fromString);
  }
  template <typename T>
  void readOptional(const char *field, std::optional<T> &value) {
    if (has(field))
      read(field, value.emplace());
  }

  /// A string that `fromString` converts to an optional value.
  template <typename Enum, typename Function>
  void readEnum(const char *field, Enum &value, Function fromString) {
    std::string name;
    read(field, name);
    if (!ok())
      return;
    if (auto found = fromString(name))
      value = *found;
    else
      fail(unknownName(field, name));
  }

  using ReadElement =
      std::function<Status(const nlohmann::json &, const ManifestPath &)>;
  /// Calls `readElement` on every element of an array.
  void readArray(const char *field, const ReadElement &readElement);
  /// Calls `readValue` on the value of a field.
  void readValue(const char *field, const ReadElement &readValue);

  bool ok() const { return status.ok(); }
  /// The first failure, or a complaint about a field that was never read.
  Status finish();

  bool has(const char *field) const;

private:
  const nlohmann::json *find(const char *field);
  void fail(std::string message);
  std::string unknownName(const char *field, const std::string &name) const;
  bool readInteger(const nlohmann::json &json, const ManifestPath &at,
                   uint64_t max, uint64_t &value);

  const nlohmann::json &json;
  const ManifestPath &path;
  std::vector<const char *> known;
  Status status;
};

} // namespace vm
