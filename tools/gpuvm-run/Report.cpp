//===- Report.cpp - reports of gpuvm-run ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison, outputs, statistics.
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/Report.h"

#include "runtime/exec/Statistics.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vm::run {

using Json = nlohmann::ordered_json;

//===--- Outputs ----------------------------------------------------------===//

static double thresholdOf(DType dtype, const CommandLine &options) {
  switch (dtype) {
  case DType::F16:
  case DType::BF16:
    return options.f16Threshold;
  case DType::F32:
    return options.f32Threshold;
  case DType::F64:
    return options.f64Threshold;
  default:
    return 0;
  }
}

Comparison compare(const Bindings &bindings, const RunResult &result,
                   const CommandLine &options) {
  Comparison comparison;
  for (size_t i = 0; i < bindings.expected.size(); ++i) {
    const ExpectedOutput &expected = bindings.expected[i];
    std::optional<std::string> mismatch =
        findMismatch(result.expected[i], expected.tensor,
                     thresholdOf(expected.tensor.dtype, options));
    if (!mismatch)
      continue;
    comparison.text +=
        fmt::format("[FAILED] {}: {}\n", expected.name, *mismatch);
    comparison.same = false;
  }
  if (comparison.same && !bindings.expected.empty() && !options.quiet)
    comparison.text = "[SUCCESS] all outputs match their expected values\n";
  return comparison;
}

bool compareOutputs(const Bindings &bindings, const RunResult &result,
                    const CommandLine &options) {
  Comparison comparison = compare(bindings, result, options);
  fmt::print("{}", comparison.text);
  return comparison.same;
}

std::string outputLines(const Bindings &bindings, const RunResult &result,
                        const CommandLine &options) {
  std::string lines;
  for (size_t i = 0; i < bindings.outputs.size(); ++i)
    if (const OutputRequest &request = bindings.outputs[i];
        request.path.empty() && !options.quiet)
      lines +=
          fmt::format("{}: {}\n", request.name,
                      formatTensor(result.outputs[i], options.maxElements));
  return lines;
}

Result<std::vector<AtomicFile>> writeOutputs(const Bindings &bindings,
                                             const RunResult &result) {
  std::vector<AtomicFile> files;
  for (size_t i = 0; i < bindings.outputs.size(); ++i) {
    const OutputRequest &request = bindings.outputs[i];
    if (request.path.empty())
      continue;
    Result<AtomicFile> file = AtomicFile::create(request.path);
    if (!file.ok())
      return file.status();
    VM_RETURN_IF_ERROR(writeNpy(*file, result.outputs[i]));
    files.push_back(std::move(*file));
  }
  return files;
}

Status deliverOutputs(const Bindings &bindings, const RunResult &result,
                      const CommandLine &options) {
  Result<std::vector<AtomicFile>> files = writeOutputs(bindings, result);
  if (!files.ok())
    return files.status();
  for (AtomicFile &file : *files)
    VM_RETURN_IF_ERROR(file.commit());
  fmt::print("{}", outputLines(bindings, result, options));
  return {};
}

//===--- Statistics -------------------------------------------------------===//

static Spread spreadOfField(const RunStats &stats,
                            double ExecutionTimes::*field) {
  std::vector<double> samples;
  for (const ExecutionTimes &times : stats.iterations)
    samples.push_back(times.*field);
  return spreadOf(std::move(samples));
}

static Json toJson(const Spread &spread) {
  return {{"median", spread.median}, {"p10", spread.p10}, {"p90", spread.p90}};
}

std::string statsJson(const RunStats &stats) {
  Json json = {
      {"program", stats.program},
      {"device", stats.device},
      {"driver", stats.driver},
      {"submits", stats.submits},
      {"dispatches", stats.recorded.dispatches},
      {"barriers", stats.recorded.barriers},
      {"copies", stats.recorded.copies},
      {"fills", stats.recorded.fills},
      {"kernels", stats.kernels},
      {"stages", stats.stages},
      {"upload_bytes", stats.uploadBytes},
      {"download_bytes", stats.downloadBytes},
      {"compile_us", stats.compileUs},
      {"robust", stats.robust},
      {"host_bytes", stats.hostBytes},
      {"exchanges", stats.recorded.exchanges},
      {"exchanged_by", stats.carriers},
      {"no_link", stats.whyNoLink},
      {"not_shared", stats.whyNotShared},
      {"iterations", stats.iterations.size()},
      {"wall_us", toJson(spreadOfField(stats, &ExecutionTimes::wallUs))},
      {"submit_us", toJson(spreadOfField(stats, &ExecutionTimes::submitUs))},
      {"exchange_us",
       toJson(spreadOfField(stats, &ExecutionTimes::exchangeUs))},
      {"device_us", toJson(spreadOfField(stats, &ExecutionTimes::deviceUs))},
      {"upload_us", toJson(spreadOfField(stats, &ExecutionTimes::uploadUs))},
      {"download_us",
       toJson(spreadOfField(stats, &ExecutionTimes::downloadUs))}};
  if (const std::optional<StreamTotals> &stream = stats.stream)
    json["stream"] = {{"chunks", stream->chunks},
                      {"rows", stream->rows},
                      {"bytes_in", stream->bytesIn},
                      {"bytes_out", stream->bytesOut},
                      {"ended_by_program", stream->endedByProgram},
                      {"wall_us", stream->wallUs},
                      {"read_us", stream->refillUs},
                      {"write_us", stream->drainUs},
                      {"wait_us", stream->waitUs},
                      {"device_us", stream->deviceUs}};
  if (stats.copySpeed)
    json["copy_gbps"] = stats.copySpeed->gigabytesPerSecond;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static std::string spreadLine(const char *name, const Spread &spread) {
  return fmt::format("{:<15} {:.2f} us (p10 {:.2f}, p90 {:.2f})\n", name,
                     spread.median, spread.p10, spread.p90);
}

static std::string streamLines(const StreamTotals &stream) {
  std::string lines;
  lines += fmt::format("{:<15} {} chunks, {} rows{}\n", "stream", stream.chunks,
                       stream.rows,
                       stream.endedByProgram ? ", ended by program" : "");
  lines += fmt::format("{:<15} {} in, {} out\n", "stream_bytes", stream.bytesIn,
                       stream.bytesOut);
  lines += fmt::format(
      "{:<15} {:.0f} us: read {:.0f}, write {:.0f}, wait {:.0f}; device "
      "{:.0f}\n",
      "stream_wall", stream.wallUs, stream.refillUs, stream.drainUs,
      stream.waitUs, stream.deviceUs);
  return lines;
}

std::string statsLines(const RunStats &stats) {
  std::string lines;
  lines += fmt::format("{:<15} {}\n", "device", stats.device);
  lines += fmt::format("{:<15} {}\n", "submits", stats.submits);
  lines += fmt::format("{:<15} {}\n", "stages", stats.stages);
  lines += fmt::format("{:<15} {}\n", "kernels", stats.kernels);
  lines += fmt::format("{:<15} {}\n", "dispatches", stats.recorded.dispatches);
  lines += fmt::format("{:<15} {}\n", "barriers", stats.recorded.barriers);
  lines += fmt::format("{:<15} {}\n", "upload_bytes", stats.uploadBytes);
  lines += fmt::format("{:<15} {}\n", "download_bytes", stats.downloadBytes);
  lines += fmt::format("{:<15} {:.2f} us, before the first execution\n",
                       "compile_us", stats.compileUs);
  lines += fmt::format("{:<15} {}\n", "robust", stats.robust ? "yes" : "no");
  lines += fmt::format("{:<15} {}\n", "host_bytes", stats.hostBytes);
  if (stats.recorded.exchanges) {
    lines += fmt::format("{:<15} {} by {}\n", "exchanges",
                         stats.recorded.exchanges, stats.carriers);
    if (!stats.whyNoLink.empty())
      lines += fmt::format("{:<15} {}\n", "no_link", stats.whyNoLink);
    if (!stats.whyNotShared.empty())
      lines += fmt::format("{:<15} {}\n", "not_shared", stats.whyNotShared);
    lines += spreadLine("exchange_us",
                        spreadOfField(stats, &ExecutionTimes::exchangeUs));
  }
  lines += fmt::format("{:<15} {}\n", "iterations", stats.iterations.size());
  lines += spreadLine("wall_us", spreadOfField(stats, &ExecutionTimes::wallUs));
  lines +=
      spreadLine("submit_us", spreadOfField(stats, &ExecutionTimes::submitUs));
  lines +=
      spreadLine("device_us", spreadOfField(stats, &ExecutionTimes::deviceUs));
  lines +=
      spreadLine("upload_us", spreadOfField(stats, &ExecutionTimes::uploadUs));
  lines += spreadLine("download_us",
                      spreadOfField(stats, &ExecutionTimes::downloadUs));
  if (stats.stream)
    lines += streamLines(*stats.stream);
  if (stats.copySpeed)
    lines += fmt::format("{:<15} {:.2f} GB/s\n", "copy_gbps",
                         stats.copySpeed->gigabytesPerSecond);
  return lines;
}

//===--- Devices ----------------------------------------------------------===//

void printCopySpeed(const DeviceInfo &device, const CopySpeed &speed,
                    StatsFormat format) {
  if (format != StatsFormat::Json) {
    fmt::print("{:.2f} GB/s\n", speed.gigabytesPerSecond);
    return;
  }
  Json json = {{"device", device.name},
               {"driver", device.driver},
               {"copy_gbps", speed.gigabytesPerSecond},
               {"bytes", speed.bytes},
               {"workgroups", speed.workgroups},
               {"copy_us", toJson(speed.copyUs)}};
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void printDevices(std::span<const DeviceInfo> devices, StatsFormat format) {
  Json list = Json::array();
  for (size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo &info = devices[i];
    if (format == StatsFormat::Json)
      list.push_back({{"index", i},
                      {"name", info.name},
                      {"type", toString(info.type)},
                      {"driver", info.driver},
                      {"memory_bytes", info.deviceHeapBytes()}});
    else
      fmt::print("{}: {} ({}, {}, {} MiB)\n", i, info.name, toString(info.type),
                 info.driver, info.deviceHeapBytes() >> 20);
  }
  if (format == StatsFormat::Json)
    fmt::print("{}\n",
               list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace vm::run
