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

bool compareOutputs(const Bindings &bindings, const RunResult &result,
                    const CommandLine &options) {
  bool same = true;
  for (size_t i = 0; i < bindings.expected.size(); ++i) {
    const ExpectedOutput &expected = bindings.expected[i];
    std::optional<std::string> mismatch =
        findMismatch(result.expected[i], expected.tensor,
                     thresholdOf(expected.tensor.dtype, options));
    if (!mismatch)
      continue;
    fmt::print("[FAILED] {}: {}\n", expected.name, *mismatch);
    same = false;
  }
  if (same && !bindings.expected.empty() && !options.quiet)
    fmt::print("[SUCCESS] all outputs match their expected values\n");
  return same;
}

Status deliverOutputs(const Bindings &bindings, const RunResult &result,
                      const CommandLine &options) {
  for (size_t i = 0; i < bindings.outputs.size(); ++i)
    if (const OutputRequest &request = bindings.outputs[i];
        !request.path.empty())
      VM_RETURN_IF_ERROR(writeNpy(request.path, result.outputs[i]));
  for (size_t i = 0; i < bindings.outputs.size(); ++i)
    if (const OutputRequest &request = bindings.outputs[i];
        request.path.empty() && !options.quiet)
      fmt::print("{}: {}\n", request.name,
                 formatTensor(result.outputs[i], options.maxElements));
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

static void printJson(const RunStats &stats) {
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
      {"iterations", stats.iterations.size()},
      {"wall_us", toJson(spreadOfField(stats, &ExecutionTimes::wallUs))},
      {"submit_us", toJson(spreadOfField(stats, &ExecutionTimes::submitUs))},
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
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

static void printSpread(const char *name, const Spread &spread) {
  fmt::print("{:<15} {:.2f} us (p10 {:.2f}, p90 {:.2f})\n", name, spread.median,
             spread.p10, spread.p90);
}

static void printText(const StreamTotals &stream) {
  fmt::print("{:<15} {} chunks, {} rows{}\n", "stream", stream.chunks,
             stream.rows, stream.endedByProgram ? ", ended by program" : "");
  fmt::print("{:<15} {} in, {} out\n", "stream_bytes", stream.bytesIn,
             stream.bytesOut);
  fmt::print("{:<15} {:.0f} us: read {:.0f}, write {:.0f}, wait {:.0f}; device "
             "{:.0f}\n",
             "stream_wall", stream.wallUs, stream.refillUs, stream.drainUs,
             stream.waitUs, stream.deviceUs);
}

static void printText(const RunStats &stats) {
  fmt::print("{:<15} {}\n", "device", stats.device);
  fmt::print("{:<15} {}\n", "submits", stats.submits);
  fmt::print("{:<15} {}\n", "stages", stats.stages);
  fmt::print("{:<15} {}\n", "kernels", stats.kernels);
  fmt::print("{:<15} {}\n", "dispatches", stats.recorded.dispatches);
  fmt::print("{:<15} {}\n", "barriers", stats.recorded.barriers);
  fmt::print("{:<15} {}\n", "upload_bytes", stats.uploadBytes);
  fmt::print("{:<15} {}\n", "download_bytes", stats.downloadBytes);
  fmt::print("{:<15} {:.2f} us, before the first execution\n", "compile_us",
             stats.compileUs);
  fmt::print("{:<15} {}\n", "robust", stats.robust ? "yes" : "no");
  fmt::print("{:<15} {}\n", "host_bytes", stats.hostBytes);
  fmt::print("{:<15} {}\n", "iterations", stats.iterations.size());
  printSpread("wall_us", spreadOfField(stats, &ExecutionTimes::wallUs));
  printSpread("submit_us", spreadOfField(stats, &ExecutionTimes::submitUs));
  printSpread("device_us", spreadOfField(stats, &ExecutionTimes::deviceUs));
  printSpread("upload_us", spreadOfField(stats, &ExecutionTimes::uploadUs));
  printSpread("download_us", spreadOfField(stats, &ExecutionTimes::downloadUs));
  if (stats.stream)
    printText(*stats.stream);
  if (stats.copySpeed)
    fmt::print("{:<15} {:.2f} GB/s\n", "copy_gbps",
               stats.copySpeed->gigabytesPerSecond);
}

void printStats(const RunStats &stats, StatsFormat format) {
  if (format == StatsFormat::Json)
    printJson(stats);
  else if (format == StatsFormat::Text)
    printText(stats);
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
