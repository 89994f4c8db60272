//===- ManifestPrescan.cpp - what JSON must satisfy before it is parsed ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ManifestPrescan.h"

#include "runtime/base/AddressSpace.h"
#include "runtime/base/Printable.h"
#include "runtime/plan/Limits.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace vm {
namespace {

/// Returning false stops the parser.
class Prescan : public nlohmann::json_sax<nlohmann::json> {
public:
  using json = nlohmann::json;

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
  uint64_t numValues = 0;

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
    ++numValues;
    if (!levels.empty() && !levels.back().isObject)
      ++levels.back().index;
    return true;
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

} // namespace

Status prescanJson(std::string_view json) {
  Prescan prescan;
  if (!nlohmann::json::sax_parse(json, &prescan))
    return Status(Code::BadInput, prescan.message);
  // nlohmann::json takes 16 bytes for a value, and for an array, an object or a
  // string allocations of up to 100 bytes.
  constexpr uint64_t kBytesOfValue = 128;
  return checkHostMemory(json.size() + kBytesOfValue * prescan.numValues,
                         "read the manifest");
}

} // namespace vm
