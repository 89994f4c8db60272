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
#include "tools/common/FileKind.h"
#include "tools/common/LowMemory.h"
#include "tools/common/StandardOutput.h"
#include "tools/gpuvm-run/Assumptions.h"
#include "tools/gpuvm-run/CompileLine.h"
#include "tools/gpuvm-run/Report.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <system_error>

using namespace vm;
using namespace vm::run;

static int fail(const Status &status) {
  std::fflush(stdout);
  clearCompileLine();
  fmt::print(stderr, "gpuvm-run: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

static Result<std::unique_ptr<Vm>> bootVm(const CommandLine &options,
                                          HostEvents *events = nullptr) {
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

/// Runs the plan on a VM that lives no longer than this call.
static Result<RunResult> runOnDevice(Plan plan, Bindings &bindings,
                                     const CommandLine &options,
                                     Observers &observers) {
  Result<std::unique_ptr<Vm>> vm = bootVm(options, &observers.host);
  if (!vm.ok())
    return vm.status();
  std::shared_ptr<ValidationSink> sink = (*vm)->validation();
  Result<RunResult> result =
      runPlan(**vm, std::move(plan), bindings, options, observers);
  if (!result.ok() && result.status().code() == Code::DeviceLost) {
    // The device may never finish, and closing it would wait for that.
    fail(result.status());
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

static Status deliver(const Bindings &bindings, const RunResult &result,
                      const CommandLine &options, Observers &observers) {
  HostSpan span(&observers.host, "deliver outputs");
  return deliverOutputs(bindings, result, options);
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

static int runProgram(const CommandLine &options) {
  Observers observers;
  Result<Plan> plan = load(options, observers);
  if (!plan.ok())
    return fail(plan.status());
  if (Status status = assume(*plan, options.assumptions); !status.ok())
    return fail(status);
  Result<Bindings> bindings = bindTensors(*plan, options);
  if (!bindings.ok())
    return fail(bindings.status());
  Result<RunResult> result =
      runOnDevice(std::move(*plan), *bindings, options, observers);
  if (!result.ok())
    return fail(result.status());
  if (!compareOutputs(*bindings, *result, options))
    return static_cast<int>(Code::WrongResult);
  if (Status status = deliver(*bindings, *result, options, observers);
      !status.ok())
    return fail(status);
  printStats(result->stats, options.stats);
  fmt::print("{}", observers.profile);
  if (Status status = writeTrace(options, observers); !status.ok())
    return fail(status);
  return 0;
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
