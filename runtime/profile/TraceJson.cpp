//===- TraceJson.cpp - a trace for Perfetto and chrome://tracing ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written event by event: a tree of all of them would take ten times the
// memory of the text.
//
//===----------------------------------------------------------------------===//

#include "runtime/profile/TraceJson.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace vm {

using Json = nlohmann::ordered_json;

namespace {
enum Process { kHost = 1, kDevice = 2 };

class TraceWriter {
public:
  explicit TraceWriter(uint64_t originNs) : originNs_(originNs) {}

  void name(Process process, const std::string &name);
  void span(Process process, uint32_t track, const std::string &name,
            uint64_t beginNs, uint64_t endNs, const std::string &arguments);
  std::string finish(const Json &metadata);

private:
  uint64_t originNs_;
  std::string text_ = "{\"traceEvents\":[\n";
};
} // namespace

static std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void TraceWriter::name(Process process, const std::string &name) {
  Json event = {{"name", "process_name"},
                {"ph", "M"},
                {"pid", int(process)},
                {"tid", 1},
                {"args", {{"name", name}}}};
  text_ += dump(event) + ",\n";
}

void TraceWriter::span(Process process, uint32_t track, const std::string &name,
                       uint64_t beginNs, uint64_t endNs,
                       const std::string &arguments) {
  // Microseconds with all digits, by integers.
  uint64_t ts = beginNs - std::min(beginNs, originNs_);
  uint64_t duration = endNs - beginNs;
  fmt::format_to(std::back_inserter(text_),
                 "{{\"name\":{},\"ph\":\"X\",\"pid\":{},\"tid\":{},"
                 "\"ts\":{}.{:03},\"dur\":{}.{:03},\"args\":{}}},\n",
                 dump(name), int(process), track + 1, ts / 1000, ts % 1000,
                 duration / 1000, duration % 1000, arguments);
}

std::string TraceWriter::finish(const Json &metadata) {
  text_.resize(text_.size() - 2); // The last comma; there is a host at least.
  text_ += "\n],\"displayTimeUnit\":\"ns\",\"otherData\":" + dump(metadata);
  return std::move(text_) + "}\n";
}

std::string traceJson(const HostEvents &host, const DeviceTrace *device) {
  uint64_t originNs = UINT64_MAX;
  for (const HostEvent &event : host.events())
    originNs = std::min(originNs, event.beginNs);
  TraceWriter writer(originNs);
  Json metadata = {{"origin_ns", originNs},
                   {"host_events_left_out", host.leftOut()}};
  writer.name(kHost, "host");
  for (const HostEvent &event : host.events())
    writer.span(kHost, event.track, event.name, event.beginNs, event.endNs,
                "{}");
  if (!device)
    return writer.finish(metadata);

  writer.name(kDevice, "device " + device->info().name);
  for (const DeviceEvent &event : device->events())
    writer.span(kDevice, 0, event.name, event.beginNs, event.endNs,
                event.command ? device->arguments(*event.command) : "{}");
  metadata["device"] = device->info().name;
  metadata["driver"] = device->info().driver;
  metadata["executions_left_out"] = device->leftOut();
  metadata["clocks"] = device->calibrated() ? "calibrated" : "aligned";
  metadata["clock_uncertainty_ns"] = device->uncertaintyNs();
  return writer.finish(metadata);
}

} // namespace vm
