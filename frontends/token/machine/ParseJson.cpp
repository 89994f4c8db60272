//===- ParseJson.cpp - hostile JSON to values -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann-json takes memory for what it reads, however deep and much: a text
// is measured before.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/ParseJson.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/TensorJson.h"

#include <fmt/format.h>

#include <set>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::json;

namespace {

/// What a text has at most, if it is JSON.
struct Measure {
  size_t values = 1;
  int nesting = 0;
};

/// The place after the string that begins at `at`.
size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return at + 1;
}

Measure measure(std::string_view text) {
  Measure found;
  int nesting = 0;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"') {
      at = skipString(text, at);
      continue;
    }
    found.values += c == ',' || c == '[' || c == '{';
    if (c == '[' || c == '{')
      found.nesting = std::max(found.nesting, ++nesting);
    else if (c == ']' || c == '}')
      --nesting;
    if (found.nesting > kMaxTensorNesting)
      break; // More is not to be known, and would not fit an int.
    ++at;
  }
  return found;
}

/// Takes note of keys that an object has twice.
class KeyWatch {
public:
  std::string twice;
  bool isTwice = false;

  bool operator()(int, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::object_start)
      keys_.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys_.pop_back();
    else if (event == Json::parse_event_t::key &&
             !keys_.back().insert(parsed.get<std::string>()).second &&
             !isTwice) {
      isTwice = true;
      twice = parsed.get<std::string>();
    }
    return true;
  }

private:
  std::vector<std::set<std::string>> keys_; ///< Of each open object.
};

bool checkLimits(std::string_view text, const Place &place,
                 Diagnostics &diagnostics) {
  auto refuse = [&](std::string sentence) {
    diagnostics.error("T10", place, std::move(sentence));
    return false;
  };
  if (text.size() > kMaxTensorBytes)
    return refuse(fmt::format("The file has {} bytes (the limit is {}).",
                              text.size(), kMaxTensorBytes));
  Measure found = measure(text);
  if (found.nesting > kMaxTensorNesting)
    return refuse(fmt::format("The file nests deeper than {} (the limit).",
                              kMaxTensorNesting));
  if (found.values > kMaxTensorValues)
    return refuse(fmt::format("The file has more than {} values (the limit).",
                              kMaxTensorValues));
  return true;
}

} // namespace

std::optional<Json> vm::token::parseTensorJson(std::string_view text,
                                               const Place &place,
                                               Diagnostics &diagnostics) {
  if (!checkLimits(text, place, diagnostics))
    return std::nullopt;
  KeyWatch watch;
  try {
    Json json = Json::parse(text, std::ref(watch));
    if (!watch.isTwice)
      return json;
  } catch (const Json::parse_error &error) {
    diagnostics.error("T10", place,
                      fmt::format("The file is not JSON (byte {} of {}).",
                                  error.byte, text.size()));
    return std::nullopt;
  } catch (const Json::out_of_range &) {
    diagnostics.error("T10", place,
                      "The file is not JSON (a number is beyond all limits).");
    return std::nullopt;
  }
  diagnostics.error("T11", place,
                    fmt::format("The file has key {} twice in an object.",
                                inQuotes(watch.twice)));
  return std::nullopt;
}
