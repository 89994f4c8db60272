//===- ManifestParser.cpp - the JSON of a manifest, read with care --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ManifestParser.h"

#include "runtime/base/AddressSpace.h"
#include "runtime/base/Printable.h"
#include "runtime/plan/Limits.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vm {
namespace {

constexpr const char *kReading = "Reading the manifest";

using nlohmann::json;

/// Looks at a deadline now and then: that takes as long as a value.
class Pace {
public:
  explicit Pace(const Deadline &deadline) : deadline_(deadline) {}

  /// Whether the deadline is over, as the last look at it says. To be called
  /// with each value.
  bool isOver() {
    constexpr uint64_t kValues = 256;
    isOver_ |= ++numValues_ % kValues == 0 && deadline_.isOver();
    return isOver_;
  }
  uint64_t numValues() const { return numValues_; }

private:
  const Deadline &deadline_;
  uint64_t numValues_ = 0;
  bool isOver_ = false;
};

/// Returning false stops the parser.
class Prescan : public nlohmann::json_sax<json> {
public:
  explicit Prescan(const Deadline &deadline) : pace(deadline) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(json::number_integer_t) override { return value(); }
  bool number_unsigned(json::number_unsigned_t) override { return value(); }
  bool number_float(json::number_float_t, const std::string &) override {
    return value();
  }
  bool string(std::string &) override { return value(); }
  bool binary(json::binary_t &) override { return value(); }
  bool start_object(std::size_t) override { return push(/*isObject=*/true); }
  bool start_array(std::size_t) override { return push(/*isObject=*/false); }
  bool end_object() override { return pop(); }
  bool end_array() override { return pop(); }

  bool key(std::string &name) override {
    Level &level = levels.back();
    if (!level.keys.insert(name).second) {
      message =
          fmt::format("Manifest object \"{}\" has two fields \"{}\".",
                      printable(path(levels.size() - 1), 200), printable(name));
      return false;
    }
    if (level.keys.size() > limits::kMaxJsonFields) {
      message = fmt::format("Manifest object \"{}\" has more than {} fields.",
                            printable(path(levels.size() - 1), 200),
                            limits::kMaxJsonFields);
      return false;
    }
    level.key = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    message = fmt::format("The manifest is not JSON (at byte {}).", position);
    return false;
  }

  std::string message; ///< Why the scan stopped.
  Pace pace;

private:
  struct Level {
    bool isObject = false;
    uint64_t index = 0; ///< Of the current element of an array.
    std::string key;    ///< Of the current field of an object.
    std::set<std::string> keys;
  };

  bool push(bool isObject) {
    if (levels.size() >= limits::kMaxJsonDepth) {
      message =
          fmt::format("The manifest is nested deeper than the limit ({}).",
                      limits::kMaxJsonDepth);
      return false;
    }
    levels.emplace_back().isObject = isObject;
    return true;
  }

  bool pop() {
    levels.pop_back();
    return value();
  }

  bool value() {
    if (!levels.empty() && !levels.back().isObject)
      ++levels.back().index;
    return !pace.isOver();
  }

  /// The path of the container at `depth`, e.g. `inputs[0].window`.
  std::string path(size_t depth) const {
    std::string text;
    for (size_t i = 0; i < depth; ++i) {
      if (!levels[i].isObject)
        text += fmt::format("[{}]", levels[i].index);
      else
        text += (text.empty() ? "" : ".") + levels[i].key;
    }
    return text.empty() ? "manifest" : text;
  }

  std::vector<Level> levels;
};

/// Builds what a text describes in `root`.
class Builder : public nlohmann::json_sax<json> {
public:
  Builder(json &root, const Deadline &deadline) : root(root), pace(deadline) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(json::number_integer_t value) override {
    return put(value);
  }
  bool number_unsigned(json::number_unsigned_t value) override {
    return put(value);
  }
  bool number_float(json::number_float_t value, const std::string &) override {
    return put(value);
  }
  bool string(std::string &value) override { return put(std::move(value)); }
  bool binary(json::binary_t &value) override { return put(std::move(value)); }
  bool start_object(std::size_t) override { return push(json::object()); }
  bool start_array(std::size_t) override { return push(json::array()); }
  bool end_object() override { return pop(); }
  bool end_array() override { return pop(); }
  bool key(std::string &name) override {
    field = &(*open.back())[name];
    return true;
  }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return false; // Not of a text that has been scanned.
  }

private:
  /// Places a value after the one before it; null once the deadline is over.
  json *place(json value) {
    if (pace.isOver())
      return nullptr;
    json *target = open.empty() ? &root : field;
    if (!open.empty() && open.back()->is_array())
      target = &open.back()->emplace_back();
    *target = std::move(value);
    return target;
  }
  bool put(json value) { return place(std::move(value)) != nullptr; }
  bool push(json value) {
    open.push_back(place(std::move(value)));
    return open.back() != nullptr;
  }
  bool pop() {
    open.pop_back();
    return true;
  }

  json &root;
  Pace pace;
  std::vector<json *> open;
  json *field = nullptr; ///< The value of the last key.
};

} // namespace

Status prescanJson(std::string_view text, const Deadline &deadline) {
  Prescan prescan(deadline);
  if (!json::sax_parse(text, &prescan)) {
    if (prescan.message.empty())
      return deadline.check(kReading);
    return Status(Code::BadInput, prescan.message);
  }
  // nlohmann::json takes 16 bytes for a value, and for an array, an object or a
  // string allocations of up to 100 bytes.
  constexpr uint64_t kBytesOfValue = 128;
  return checkHostMemory(text.size() + kBytesOfValue * prescan.pace.numValues(),
                         "read the manifest");
}

Status parseJson(std::string_view text, json &root, const Deadline &deadline) {
  Builder builder(root, deadline);
  json::sax_parse(text, &builder);
  return deadline.check(kReading);
}

} // namespace vm
