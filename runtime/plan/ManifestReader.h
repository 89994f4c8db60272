//===- ManifestReader.h - typed, range-checked fields of JSON objects -----===//
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
#include "runtime/plan/PlanNames.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace vm {

/// The file that a manifest is read from.
struct ManifestFile {
  uint16_t minor;     ///< The version that it states.
  uint64_t roomBytes; ///< What it has room for and no data chunk has.
  const Deadline &deadline;
};

/// A place in the manifest: `inputs[0].window`, or "" for its root.
class ManifestPath {
public:
  /// The root.
  explicit ManifestPath(ManifestFile &file) : file(file) {}
  ManifestPath(const ManifestPath &parent, const char *field)
      : file(parent.file), parent(&parent), field(field) {}
  ManifestPath(const ManifestPath &parent, size_t index)
      : file(parent.file), parent(&parent), index(index) {}
  std::string str() const;

  ManifestFile &file;

private:
  const ManifestPath *parent = nullptr;
  const char *field = nullptr; ///< Null for an element of an array.
  size_t index = 0;
};

/// Reads the fields of one object; ManifestWriter has the same members. The
/// first failure sticks: later reads leave their targets alone, and finish()
/// returns it.
class ManifestReader {
public:
  static constexpr bool kReads = true;

  /// `json` and `path` must outlive the reader.
  ManifestReader(const nlohmann::json &json, const ManifestPath &path);

  void field(const char *name, std::string &value);
  void field(const char *name, bool &value);
  void field(const char *name, uint32_t &value);
  void field(const char *name, uint64_t &value);
  void field(const char *name, std::vector<int64_t> &values);
  void field(const char *name, std::vector<uint32_t> &values);
  void field(const char *name, std::vector<Feature> &values);
  /// Exactly three integers.
  void field(const char *name, std::array<uint32_t, 3> &values);
  /// A string that fromString converts, or an object that the function `fields`
  /// of its type describes.
  template <typename T> void field(const char *name, T &value) {
    if constexpr (std::is_enum_v<T>)
      readName(name, value);
    else
      object(name, [&](ManifestReader &reader) { fields(reader, value); });
  }
  template <typename T> void field(const char *name, std::vector<T> &values) {
    list(name, values,
         [](ManifestReader &reader, T &value) { fields(reader, value); });
  }

  /// The same, if there is such a field: older files lack it.
  template <typename T> void optional(const char *name, T &value) {
    if (has(name))
      field(name, value);
  }
  template <typename T>
  void optional(const char *name, std::optional<T> &value) {
    if (has(name))
      field(name, value.emplace());
  }
  /// Whether there is such a field. A writer has it if `isSet`.
  bool has(const char *name, bool isSet = true) const;

  /// An object whose fields `body(reader)` reads.
  template <typename Body> void object(const char *name, Body body) {
    readValue(name, [&](const nlohmann::json &json, const ManifestPath &at) {
      ManifestReader reader(json, at);
      body(reader);
      return reader.finish();
    });
  }
  /// Objects, one an element, each of which `body(reader, element)` reads.
  template <typename T, typename Body>
  void list(const char *name, std::vector<T> &values, Body body) {
    readArray(name, [&](const nlohmann::json &json, const ManifestPath &at) {
      ManifestReader reader(json, at);
      body(reader, values.emplace_back());
      return reader.finish();
    });
  }
  /// The name of one of `alternatives`, and that one's fields.
  template <typename Variant, size_t N>
  void choice(const char *name, Variant &value,
              const std::pair<const char *, Variant> (&alternatives)[N]) {
    std::string text;
    field(name, text);
    for (const auto &[known, initial] : alternatives)
      if (text == known) {
        value = initial;
        return std::visit([&](auto &one) { fields(*this, one); }, value);
      }
    fail(unknownName(name, text));
  }

  /// The version of the file.
  uint16_t minor() const { return path.file.minor; }
  /// Takes bytes from the room that the file has.
  bool takeRoom(const char *name, uint64_t bytes);

  bool ok() const { return status.ok(); }
  /// The first failure, or a complaint about a field that was never read.
  Status finish();

private:
  using ReadElement =
      std::function<Status(const nlohmann::json &, const ManifestPath &)>;
  /// Calls `readElement` on every element of an array.
  void readArray(const char *field, const ReadElement &readElement);
  /// Calls `readValue` on the value of a field.
  void readValue(const char *field, const ReadElement &readValue);

  template <typename Enum> void readName(const char *name, Enum &value) {
    std::string text;
    field(name, text);
    if (!ok())
      return;
    if (std::optional<Enum> found = fromString<Enum>(text))
      value = *found;
    else
      fail(unknownName(name, text));
  }

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
