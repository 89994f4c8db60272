//===- gpuvm-run.cpp - runs a plan ----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// main() and the order of things: files are written and results printed only
// after the device is closed and validation has had its last word.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AtomicFile.h"
#include "runtime/base/FileLimit.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/profile/TraceJson.h"
#include "runtime/ranks/Communicator.h"
#include "runtime/ranks/Gather.h"
#include "tools/common/FileKind.h"
#include "tools/common/LowMemory.h"
#include "tools/common/StandardOutput.h"
#include "tools/gpuvm-run/Assumptions.h"
#include "tools/gpuvm-run/CompileLine.h"
#include "tools/gpuvm-run/RankNames.h"
#include "tools/gpuvm-run/Ranks.h"
#include "tools/gpuvm-run/Report.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

using namespace vm;
using namespace vm::run;

static int fail(const Status &status) {
  std::fflush(stdout);
  clearCompileLine();
  fmt::print(stderr, "gpuvm-run: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

static Result<std::unique_ptr<Vm>>
bootVm(const CommandLine &options, HostEvents *events = nullptr,
       std::shared_ptr<Communicator> ranks = nullptr) {
  VmOptions vmOptions;
  vmOptions.device = options.device;
  vmOptions.validate = options.validate || validationFromEnvironment();
  vmOptions.timeoutNs = static_cast<uint64_t>(options.timeoutSeconds * 1e9);
  vmOptions.vramBudgetBytes = options.vramBudgetBytes;
  vmOptions.trace = options.breadcrumbs;
  vmOptions.profile = timesCommands(options);
  vmOptions.events = events;
  vmOptions.robust = options.robust;
  vmOptions.trustKernels = options.trustKernels;
  vmOptions.variants = options.variants;
  vmOptions.progress = compileLine();
  vmOptions.ranks = std::move(ranks);
  vmOptions.shareDevice = options.shareDevice;
  if (options.linkBytes)
    vmOptions.linkBytes = *options.linkBytes;
  if (options.sharedBytes)
    vmOptions.sharedBytes = *options.sharedBytes;
  return Vm::boot(vmOptions);
}

/// Prints every validation message; Code::WrongResult if there is one.
static Status reportValidation(ValidationSink &sink) {
  for (const std::string &message : sink.messages())
    fmt::print(stderr, "{}\n", message);
  if (sink.count() == 0)
    return {};
  return Status(
      Code::WrongResult,
      fmt::format("Vulkan validation reports {} (allowed: 0).", sink.count()));
}

static int listDevices(const CommandLine &options) {
  Result<std::unique_ptr<Vm>> vm = bootVm(options);
  if (!vm.ok())
    return fail(vm.status());
  printDevices((*vm)->devices(), options.stats);
  return 0;
}

static int measureCopySpeed(const CommandLine &options) {
  Result<std::unique_ptr<Vm>> vm = bootVm(options);
  if (!vm.ok())
    return fail(vm.status());
  std::shared_ptr<ValidationSink> sink = (*vm)->validation();
  Result<CopySpeed> speed = (*vm)->measureCopySpeed(*options.measureCopySpeed);
  if (!speed.ok())
    return fail(speed.status());
  DeviceInfo device = (*vm)->device()->info();
  vm->reset();
  if (Status status = reportValidation(*sink); !status.ok())
    return fail(status);
  printCopySpeed(device, *speed, options.stats);
  return 0;
}

/// What other ranks hear; that it is so was printed.
static const char *const kDiffer =
    "Its outputs do not match their expected values.";

/// The sentence of one of several ranks says which it is, also to the others.
static int failWithRanks(const Status &status, Communicator &ranks) {
  ranks.abort(status);
  if (status.message() != kDiffer)
    fail(ranks.size() == 1
             ? status
             : Status(status.code(), fmt::format("rank {}: {}", ranks.rank(),
                                                 status.message())));
  letCauseEndFirst(status);
  return static_cast<int>(status.code());
}

/// Runs the plan on a VM that lives no longer than this call.
static Result<RunResult> runOnDevice(Plan plan, Bindings &bindings,
                                     const CommandLine &options,
                                     const std::shared_ptr<Communicator> &ranks,
                                     Observers &observers) {
  Result<std::unique_ptr<Vm>> vm = bootVm(options, &observers.host, ranks);
  if (!vm.ok())
    return vm.status();
  std::shared_ptr<ValidationSink> sink = (*vm)->validation();
  Result<RunResult> result =
      runPlan(**vm, std::move(plan), bindings, options, observers);
  if (!result.ok() && result.status().code() == Code::DeviceLost) {
    // The device may never finish, and closing it would wait for that.
    failWithRanks(result.status(), *ranks);
    std::fflush(nullptr);
    _exit(static_cast<int>(Code::DeviceLost));
  }
  HostSpan span(&observers.host, "close device");
  vm->reset();
  VM_RETURN_IF_ERROR(reportValidation(*sink));
  return result;
}

static Result<Plan> load(const CommandLine &options, Observers &observers) {
  HostSpan span(&observers.host, "load plan");
  if (std::string advice = programAdvice(options.planPath); !advice.empty())
    return Status(Code::BadInput, advice);
  return loadPlan(options.planPath, loadTimeoutNs(static_cast<uint64_t>(
                                        options.timeoutSeconds * 1e9)));
}

/// Gives files their names when those of all ranks are written.
static Status commit(std::vector<AtomicFile> files, const CommandLine &options,
                     Communicator &ranks) {
  auto timeoutNs = static_cast<uint64_t>(options.timeoutSeconds * 1e9);
  if (ranks.size() > 1)
    VM_RETURN_IF_ERROR(agree(ranks, {}, timeoutNs));
  Status status;
  for (AtomicFile &file : files)
    if (status.ok())
      status = file.commit();
  return ranks.size() == 1 ? status : agree(ranks, status, timeoutNs);
}

static Status deliver(const Bindings &bindings, RunResult &result,
                      const CommandLine &options, Communicator &ranks,
                      Observers &observers) {
  HostSpan span(&observers.host, "deliver outputs");
  Result<std::vector<AtomicFile>> files = writeOutputs(bindings, result);
  if (!files.ok())
    return files.status();
  if (result.state)
    files->push_back(std::move(*result.state));
  return commit(std::move(*files), options, ranks);
}

static Status writeTrace(const CommandLine &options,
                         const Observers &observers) {
  if (options.tracePath.empty())
    return {};
  std::string text = traceJson(observers.host,
                               observers.device ? &*observers.device : nullptr);
  return writeFileAtomically(
      options.tracePath,
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

static RankReport reportOf(const Bindings &bindings, const RunResult &result,
                           const CommandLine &options,
                           const Observers &observers, std::string text) {
  RankReport report;
  report.text = std::move(text) + outputLines(bindings, result, options);
  if (options.stats == StatsFormat::Text)
    report.text += statsLines(result.stats);
  if (options.stats != StatsFormat::None)
    report.stats = statsJson(result.stats);
  (options.profile == ProfileFormat::Json ? report.profile : report.text) +=
      observers.profile;
  return report;
}

static Status runProgram(const CommandLine &options,
                         const std::shared_ptr<Communicator> &ranks) {
  Observers observers;
  Result<Plan> plan = load(options, observers);
  if (!plan.ok())
    return plan.status();
  VM_RETURN_IF_ERROR(assume(*plan, options.assumptions));
  Result<Bindings> bindings = bindTensors(*plan, options);
  if (!bindings.ok())
    return bindings.status();
  Result<RunResult> result =
      runOnDevice(std::move(*plan), *bindings, options, ranks, observers);
  if (!result.ok())
    return result.status();
  Comparison comparison = compare(*bindings, *result, options);
  if (!comparison.same) {
    fmt::print("{}", comparison.text);
    return Status(Code::WrongResult, kDiffer);
  }
  VM_RETURN_IF_ERROR(deliver(*bindings, *result, options, *ranks, observers));
  VM_RETURN_IF_ERROR(printReports(
      *ranks, reportOf(*bindings, *result, options, observers, comparison.text),
      options));
  return writeTrace(options, observers);
}

static int runProgram(CommandLine options) {
  Result<std::shared_ptr<Communicator>> ranks = findRanks(options);
  if (!ranks.ok()) {
    fail(ranks.status());
    letCauseEndFirst(ranks.status());
    return static_cast<int>(ranks.status().code());
  }
  Communicator &all = **ranks;
  Status status = checkRankFiles(options, all.size());
  placeRank(options, all.rank(), all.size());
  if (all.rank() != 0)
    options.watchSeconds.reset();
  if (status.ok())
    status = runProgram(options, *ranks);
  return status.ok() ? 0 : failWithRanks(status, all);
}

/// Standard output that cannot be written (a full disk) is a failure too.
static int finish(int exitCode) {
  Status flushed = flushOutput();
  return flushed.ok() || exitCode != 0 ? exitCode : fail(flushed);
}

static int runTool(int argc, char **argv) {
  ParsedCommandLine parsed = parseCommandLine(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  const CommandLine &options = parsed.options;
  if (options.listDevices)
    return finish(listDevices(options));
  if (options.measureCopySpeed)
    return finish(measureCopySpeed(options));
  return finish(runProgram(options));
}

int main(int argc, char **argv) {
  surviveFileLimit();
  prepareForLowMemory("gpuvm-run");
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    // What would format a sentence may have no memory either.
    std::fputs("gpuvm-run: error: The host has no memory left.\n", stderr);
    return static_cast<int>(Code::OutOfMemory);
  } catch (const std::system_error &) {
    return fail(systemError());
  }
}
