//===- WriteReport.cpp - a run as JSON ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Report.h"

#include "frontends/token/reference/Wrapper.h"
#include "runtime/base/AtomicFile.h"

#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::ordered_json;

/// One element a token.
template <typename F> static Json perToken(const StreamRecord &record, F of) {
  Json list = Json::array();
  for (const TokenRecord &token : record)
    list.push_back(of(token));
  return list;
}

static Json toJson(const StreamRequests &requests) {
  Json list = Json::array();
  for (const ToolRequest &request : requests)
    list.push_back(Json{{"tool", request.tool}, {"text", request.text}});
  return list;
}

static Json toJson(const Engine::Position &position) {
  return Json{{"zone", position.zone},
              {"token_num", position.tokenNumber},
              {"depth", position.depth}};
}

static Json toJson(const Engine::States &states) {
  Json json = Json::object();
  for (const auto &[name, value] : states)
    json[name] = value;
  return json;
}

static Json streamToJson(const Engine &engine, const Wrapper &wrapper,
                         int32_t stream, const StreamRequests &requests) {
  using T = TokenRecord;
  const StreamRecord &record = engine.record(stream);
  const Machine &machine = engine.machine();
  Json json;
  json["workflow"] = machine.workflows[engine.workflowOf(stream)].name;
  json["status"] = toString(engine.status(stream));
  json["tokens"] = perToken(record, [](const T &t) { return t.token; });
  json["zones"] = perToken(record, [](const T &t) { return t.zone; });
  json["token_num"] =
      perToken(record, [](const T &t) { return t.tokenNumber; });
  json["triggers"] = perToken(record, [](const T &t) { return t.triggers; });
  json["tags"] =
      perToken(record, [&](const T &t) { return machine.zones[t.zone].tags; });
  json["forced"] = perToken(record, [](const T &t) { return int(t.forced); });
  json["event"] = perToken(record, [](const T &t) { return int(t.event); });
  if (engine.recordedNumbers() != 0)
    json["extra"] = perToken(record, [](const T &t) { return t.extra; });
  json["decisions"] = wrapper.decisions(stream);
  json["requests"] = toJson(requests);
  json["final"] = toJson(engine.position(stream));
  if (Engine::States states = engine.moduleStates(stream); !states.empty())
    json["states"] = toJson(states);
  json["text"] = wrapper.text(stream);
  json["extract"] = Json::object();
  for (const auto &[name, text] : wrapper.extract(stream))
    json["extract"][name] = text;
  return json;
}

/// Names are from files, which may hold anything.
static std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

using Sink = std::function<Status(std::string_view)>;

static Status write(const Engine &engine, const TextCodec &codec,
                    const std::vector<StreamRequests> &requests,
                    const Sink &sink) {
  static const StreamRequests kNone;
  Wrapper wrapper(engine, codec);
  VM_RETURN_IF_ERROR(
      sink(fmt::format("{{\"format\":\"gpuvm-token-report/1\",\"done\":{},"
                       "\"streams\":[",
                       wrapper.done())));
  for (int32_t b = 0; b < engine.streams(); ++b) {
    const StreamRequests &own = requests.empty() ? kNone : requests[b];
    VM_RETURN_IF_ERROR(sink(b == 0 ? "\n" : ",\n"));
    VM_RETURN_IF_ERROR(sink(dump(streamToJson(engine, wrapper, b, own))));
  }
  return sink("\n]}\n");
}

std::string vm::token::reportText(const Engine &engine, const TextCodec &codec,
                                  const std::vector<StreamRequests> &requests) {
  std::string text;
  Status status = write(engine, codec, requests, [&](std::string_view part) {
    text += part;
    return Status();
  });
  return text;
}

Status vm::token::writeReport(const std::string &path, const Engine &engine,
                              const TextCodec &codec,
                              const std::vector<StreamRequests> &requests) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  VM_RETURN_IF_ERROR(write(engine, codec, requests, [&](std::string_view part) {
    auto bytes = reinterpret_cast<const uint8_t *>(part.data());
    return file->write({bytes, part.size()});
  }));
  return file->commit();
}

//===--- The table --------------------------------------------------------===//

std::array<int64_t, kStreamStatuses>
vm::token::countStatuses(const Engine &engine) {
  std::array<int64_t, kStreamStatuses> counts = {};
  for (int32_t b = 0; b < engine.streams(); ++b)
    ++counts[size_t(engine.status(b))];
  return counts;
}

std::string vm::token::statusTable(const Engine &engine) {
  std::string table;
  std::array<int64_t, kStreamStatuses> counts = countStatuses(engine);
  for (int i = 0; i < kStreamStatuses; ++i)
    if (counts[i] != 0)
      table +=
          fmt::format("{:<15} {:>8}\n", toString(StreamStatus(i)), counts[i]);
  return table + fmt::format("{:<15} {:>8}\n", "streams", engine.streams());
}
