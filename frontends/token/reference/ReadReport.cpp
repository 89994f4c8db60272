//===- ReadReport.cpp - a run from JSON -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/ReadReport.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/JsonFields.h"
#include "frontends/token/machine/ParseJson.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::json;

namespace {

class StreamReader {
public:
  StreamReader(const Json &json, size_t number, const Place &place,
               Diagnostics &diagnostics)
      : fields_(json, fmt::format("Stream {}", number), place, diagnostics),
        place_(place), diagnostics_(diagnostics) {}

  StreamReport read();

private:
  std::string name(const char *key) const {
    return fmt::format("Key \"{}\" of {}", key, fields_.what());
  }
  std::string name(const char *key, size_t at) const {
    return fmt::format("{} at {}", name(key), at);
  }
  std::optional<int32_t> number(const std::string &name, const Json &value,
                                int32_t most);
  std::vector<int32_t> numbers(const char *key, int32_t most = INT32_MAX);
  bool readSet(const std::string &name, const Json &value, IndexSet &set);
  std::vector<IndexSet> sets(const char *key);
  template <typename T> T perToken(const char *key, T list);
  StreamStatus status();
  StreamRequests requests();
  Engine::Position position();
  std::vector<std::vector<int32_t>> extra();
  std::map<std::string, int32_t> states();
  std::map<std::string, std::string> extract();

  JsonFields fields_;
  const Place &place_;
  Diagnostics &diagnostics_;
  size_t tokens_ = 0; ///< How many the stream has.
};

//===--- Lists ------------------------------------------------------------===//

/// From 0 to `most`, or nothing after an error.
std::optional<int32_t> StreamReader::number(const std::string &name,
                                            const Json &value, int32_t most) {
  std::optional<int32_t> number = toInt32(value);
  if (!number) {
    fields_.mistyped(name, value, kInt32Wanted);
  } else if (*number < 0 || *number > most) {
    fields_.fail("T16", fmt::format("{} is {} (0 to {} is allowed).", name,
                                    *number, most));
    return std::nullopt;
  }
  return number;
}

std::vector<int32_t> StreamReader::numbers(const char *key, int32_t most) {
  std::vector<int32_t> numbers;
  const Json *list = fields_.list(key);
  for (size_t at = 0; list && at < list->size(); ++at) {
    std::optional<int32_t> one = toInt32((*list)[at]);
    // The name is formatted only for a message.
    if (!one || *one < 0 || *one > most)
      one = number(name(key, at), (*list)[at], most);
    if (!one)
      return {};
    numbers.push_back(*one);
  }
  return numbers;
}

bool StreamReader::readSet(const std::string &name, const Json &value,
                           IndexSet &set) {
  std::optional<IndexSet> read = toInt32List(value);
  if (!read) {
    fields_.mistyped(name, value, "a list of integers of 32 bits");
    return false;
  }
  auto isOrdered = [](int32_t a, int32_t b) { return a >= b; };
  if (std::ranges::adjacent_find(*read, isOrdered) != read->end() ||
      (!read->empty() && read->front() < 0)) {
    fields_.fail("T17", fmt::format("{} is [{}] (ascending numbers from 0 on "
                                    "are wanted).",
                                    name, fmt::join(*read, ", ")));
    return false;
  }
  set = std::move(*read);
  return true;
}

std::vector<IndexSet> StreamReader::sets(const char *key) {
  std::vector<IndexSet> sets;
  const Json *list = fields_.list(key);
  sets.resize(list ? list->size() : 0);
  for (size_t at = 0; at < sets.size(); ++at)
    if (!readSet(name(key, at), (*list)[at], sets[at]))
      return {};
  return sets;
}

/// Any numbers, a list of them for each token.
std::vector<std::vector<int32_t>> StreamReader::extra() {
  std::vector<std::vector<int32_t>> all;
  const Json *list = fields_.list("extra");
  for (size_t at = 0; list && at < list->size(); ++at) {
    auto numbers = toInt32List((*list)[at]);
    if (!numbers) {
      fields_.mistyped(name("extra", at), (*list)[at],
                       "a list of integers of 32 bits");
      return {};
    }
    all.push_back(std::move(*numbers));
  }
  return all;
}

/// A list that was read, if it has one element a token.
template <typename T> T StreamReader::perToken(const char *key, T list) {
  if (list.size() == tokens_ || diagnostics_.hasErrors())
    return list;
  fields_.fail("T13", fmt::format("{} has {} elements (there are {} tokens).",
                                  name(key), list.size(), tokens_));
  return {};
}

//===--- The rest ---------------------------------------------------------===//

StreamStatus StreamReader::status() {
  std::optional<std::string> name = fields_.string("status");
  std::vector<std::string> known;
  for (int i = 0; i < kStreamStatuses; ++i)
    known.emplace_back(toString(StreamStatus(i)));
  auto found = std::ranges::find(known, name.value_or(""));
  if (found != known.end())
    return StreamStatus(found - known.begin());
  if (name)
    fields_.fail("T16", fmt::format("Key \"status\" of {} is {}, which is no "
                                    "status{}.",
                                    fields_.what(), inQuotes(*name),
                                    advice(*name, known)));
  return StreamStatus::Running;
}

StreamRequests StreamReader::requests() {
  StreamRequests requests;
  const Json *list = fields_.list("requests");
  for (size_t at = 0; list && at < list->size() && !diagnostics_.isFull();
       ++at) {
    JsonFields request((*list)[at],
                       fmt::format("request {} of {}", at, fields_.what()),
                       place_, diagnostics_);
    requests.push_back({request.string("tool").value_or(""),
                        request.string("text").value_or("")});
    request.refuseOthers();
  }
  return requests;
}

Engine::Position StreamReader::position() {
  const Json *value = fields_.object("final");
  if (!value)
    return {};
  JsonFields fields(*value, "\"final\" of " + fields_.what(), place_,
                    diagnostics_);
  auto from0 = [&](const char *key) {
    const Json *found = fields.any(key);
    std::string name = fmt::format("Key \"{}\" of {}", key, fields.what());
    return found ? number(name, *found, INT32_MAX).value_or(0) : 0;
  };
  Engine::Position position;
  position.zone = from0("zone");
  position.tokenNumber = from0("token_num");
  position.depth = from0("depth");
  fields.refuseOthers();
  return position;
}

std::map<std::string, int32_t> StreamReader::states() {
  std::map<std::string, int32_t> states;
  const Json *object = fields_.object("states");
  if (!object)
    return states;
  for (auto &[key, value] : object->items()) {
    if (std::optional<int32_t> number = toInt32(value))
      states.emplace(key, *number);
    else if (!diagnostics_.isFull())
      fields_.mistyped(
          fmt::format("State {} of {}", inQuotes(key), fields_.what()), value,
          kInt32Wanted);
  }
  return states;
}

std::map<std::string, std::string> StreamReader::extract() {
  std::map<std::string, std::string> extract;
  const Json *object = fields_.object("extract");
  if (!object)
    return extract;
  for (auto &[key, value] : object->items()) {
    if (value.is_string())
      extract.emplace(key, value.get<std::string>());
    else if (!diagnostics_.isFull())
      fields_.mistyped(
          fmt::format("Extract {} of {}", inQuotes(key), fields_.what()), value,
          "a string");
  }
  return extract;
}

StreamReport StreamReader::read() {
  StreamReport stream;
  stream.workflow = fields_.string("workflow").value_or("");
  stream.status = status();
  stream.tokens = numbers("tokens");
  tokens_ = stream.tokens.size();
  stream.zones = perToken("zones", numbers("zones"));
  stream.tokenNumbers = perToken("token_num", numbers("token_num"));
  stream.triggers = perToken("triggers", sets("triggers"));
  stream.tags = perToken("tags", sets("tags"));
  stream.forced = perToken("forced", numbers("forced", 1));
  stream.events = perToken("event", numbers("event", int32_t(Event::Jump)));
  if (fields_.has("extra"))
    stream.extra = perToken("extra", extra());
  stream.decisions = numbers("decisions");
  stream.requests = requests();
  stream.final = position();
  if (fields_.has("states"))
    stream.states = states();
  stream.text = fields_.string("text").value_or("");
  stream.extract = extract();
  fields_.refuseOthers();
  return stream;
}

RunReport readRun(const Json &json, const Place &place,
                  Diagnostics &diagnostics) {
  RunReport report;
  JsonFields fields(json, "The report", place, diagnostics);
  std::optional<std::string> format = fields.string("format");
  if (format && *format != "gpuvm-token-report/1")
    fields.fail("T10", fmt::format("The format is {} "
                                   "(\"gpuvm-token-report/1\" is wanted).",
                                   inQuotes(*format)));
  report.done = fields.boolean("done").value_or(false);
  const Json *streams = fields.list("streams");
  for (size_t b = 0; streams && b < streams->size() && !diagnostics.isFull();
       ++b)
    report.streams.push_back(
        StreamReader((*streams)[b], b, place, diagnostics).read());
  fields.refuseOthers();
  return report;
}

} // namespace

Result<RunReport> vm::token::readReport(std::string_view text,
                                        const std::string &file) {
  return readJsonText(text, file, readRun);
}
