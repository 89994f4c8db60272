//===- Vm.cpp - a booted GPU virtual machine ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device and program. A bare VM is an executor of a plan without commands, so
// that there is one way to lay out, clear, read and write regions.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Vm.h"

#include "runtime/base/AddressSpace.h"
#include "runtime/base/CacheFolder.h"
#include "runtime/base/CheckedMath.h"
#include "runtime/exec/MemoryBudget.h"
#include "runtime/exec/PipelineCache.h"
#include "runtime/exec/RankStart.h"
#include "runtime/exec/Remains.h"
#include "runtime/plan/BoundedKernel.h"
#include "runtime/ranks/SelfCommunicator.h"

#include <fmt/format.h>

#include <array>
#include <tuple>

namespace vm {

Result<std::unique_ptr<Vm>> Vm::boot(const VmOptions &options) {
  HostSpan span(options.events, "boot");
  std::unique_ptr<Vm> vm(new Vm(options));
  if (!vm->options_.ranks)
    vm->options_.ranks = std::make_shared<SelfCommunicator>();
  VM_RETURN_IF_ERROR(vm->openInstance());
  return vm;
}

Vm::~Vm() {
  try {
    if (executor_)
      std::ignore = executor_->wait();
    giveUpDevice();
    freeFinishedRemains();
  } catch (const std::bad_alloc &) {
    // Without memory for a message or a list, the executor sees to it.
    executor_.reset();
  }
}

Status Vm::openInstance() {
  freeFinishedRemains();
  if (instance_)
    return {};
  Result<std::unique_ptr<Instance>> instance =
      Instance::create(options_.validate, sink_);
  if (!instance.ok())
    return instance.status();
  instance_ = std::move(*instance);
  return {};
}

static Robustness robustnessOf(const VmOptions &options) {
  if (!options.robust)
    return Robustness::None;
  return options.trustKernels ? Robustness::Buffers : Robustness::Matrices;
}

Status Vm::openDevice(const Requirements &needs) {
  VM_RETURN_IF_ERROR(openInstance());
  Selection selection =
      selectDevice(instance_->devices(), needs, options_.device,
                   options_.ranks->localRank());
  if (!selection.device)
    return selection.status;
  if (device_ && deviceIndex_ == selection.device && !device_->abandoned())
    return {};
  HostSpan span(options_.events, "open device");
  executor_.reset();
  programmed_ = false;
  device_.reset();
  Result<std::unique_ptr<Device>> device =
      Device::open(*instance_, *selection.device, robustnessOf(options_));
  if (!device.ok())
    return device.status();
  device_ = std::move(*device);
  deviceIndex_ = selection.device;
  return {};
}

/// One that holds all of the plan, or else what cannot lie in host memory.
Status Vm::openDevice(const Plan &plan) {
  Status status = openDevice(requirementsOf(plan));
  if (status.code() != Code::NoDevice)
    return status;
  HostPlacement movable = placeOnHost(plan, UINT64_MAX);
  if (movable.bytes == 0)
    return status;
  std::array<uint64_t, kNumRegions> onHost = {};
  for (unsigned i = 0; i < kNumRegions; ++i)
    for (const Segment &range : movable.ranges[i])
      onHost[i] += range.length;
  Status opened = openDevice(requirementsOf(plan, onHost));
  return opened.code() == Code::NoDevice ? status : opened;
}

/// What of the plan lies in host memory; checks that there is as much, too.
Result<HostPlacement> Vm::placeMemory(const Plan &plan) const {
  const DeviceInfo &info = device_->info();
  bool trace = Executor::traces(info, options_.trace);
  Result<HostPlacement> onHost = fitMemory(
      plan, info, trace,
      {options_.vramBudgetBytes, instance_->freeDeviceBytes(*deviceIndex_)});
  if (!onHost.ok())
    return onHost;
  // On a CPU device the rest of it lies there, too.
  uint64_t held = onHost->bytes;
  if (held && info.type == DeviceType::Cpu)
    held = deviceBytesOf(plan, info, trace);
  VM_RETURN_IF_ERROR(checkHostMemory(
      checkedAdd(recordedBytesOf(plan, trace), held).value_or(UINT64_MAX),
      held ? "record the commands of an execution and to hold what "
             "the device has no room for"
           : "record the commands of an execution"));
  return onHost;
}

Status Vm::load(Plan plan, bool isProgram) {
  if (executor_ && executor_->inFlight())
    return Status(Code::Usage, "Cannot load a program while an execution is in "
                               "flight (wait for it first).");
  VM_RETURN_IF_ERROR(openDevice(plan));
  // The old regions go first: both may not fit the device at once.
  executor_.reset();
  programmed_ = false;
  Result<HostPlacement> onHost = placeMemory(plan);
  if (!onHost.ok())
    return onHost.status();
  ExecutorOptions options;
  options.onHost = std::move(*onHost);
  options.cacheDirectory =
      options_.cacheDirectory.value_or(defaultCacheDirectory());
  options.timeoutNs = options_.timeoutNs;
  options.loadTimeoutNs = loadTimeoutNs(options_.timeoutNs);
  options.trace = options_.trace;
  options.events = options_.events;
  // A bare VM has no commands to time.
  options.profile = options_.profile && isProgram;
  options.variants = options_.variants;
  options.progress = options_.progress;
  options.bounded = !options_.trustKernels;
  options.ranks = options_.ranks.get();
  options.linkBytes = options_.linkBytes;
  options.sharedBytes = options_.sharedBytes;
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*device_, std::move(plan), options);
  if (!executor.ok())
    return executor.status();
  executor_ = std::move(*executor);
  programmed_ = isProgram;
  return {};
}

/// a * b + c, or the largest value if that does not fit.
static uint64_t saturate(uint64_t a, uint64_t b, uint64_t c) {
  std::optional<uint64_t> product = checkedMul(a, b);
  if (!product)
    return UINT64_MAX;
  return checkedAdd(*product, c).value_or(UINT64_MAX);
}

Status Vm::layOut(const BareLayout &layout) {
  Plan plan;
  plan.program = "bare VM";
  plan.instances = layout.instances;
  uint64_t registers = saturate(layout.instances, kNumRegisters, 0);
  plan.regionBytes = {
      saturate(registers, layout.registerBytes, 0),
      saturate(layout.instances, kMetadataBytes, layout.metricsBytes),
      layout.globalsBytes, layout.controlBytes, layout.heapBytes};
  VM_RETURN_IF_ERROR(load(std::move(plan), /*isProgram=*/false));
  bare_ = layout;
  return {};
}

Status Vm::loadProgram(Plan plan) {
  std::string name = plan.program;
  Status status = options_.trustKernels ? Status() : boundKernels(plan);
  if (status.ok())
    status = load(std::move(plan), /*isProgram=*/true);
  if (status.ok())
    status = writeRankWords(*executor_);
  if (status.ok() || status.code() == Code::Usage)
    return status;
  return status.withContext(fmt::format("loading program \"{}\"", name));
}

Status Vm::program(Plan plan) {
  HostSpan span(options_.events, "program");
  Communicator &ranks = *options_.ranks;
  uint64_t timeoutNs = loadTimeoutNs(options_.timeoutNs);
  if (ranks.size() > 1)
    VM_RETURN_IF_ERROR(checkSamePlan(ranks, plan, options_.linkBytes,
                                     options_.sharedBytes, timeoutNs));
  VM_RETURN_IF_ERROR(checkRankCount(ranks, plan));
  if (ranks.size() == 1)
    return loadProgram(std::move(plan));
  Status loaded = loadProgram(std::move(plan));
  if (!loaded.ok()) {
    ranks.abort(loaded); // Wherever they are, others wait for this one.
    return loaded;
  }
  Status agreed =
      agreeOnLoad(ranks, device_->info(), options_.shareDevice, timeoutNs);
  if (!agreed.ok()) {
    executor_.reset();
    programmed_ = false;
  }
  return agreed;
}

//===--- Time and its end -------------------------------------------------===//

void Vm::setTimeout(uint64_t timeoutNs) {
  options_.timeoutNs = timeoutNs;
  if (executor_) {
    executor_->setTimeout(timeoutNs);
    executor_->setLoadTimeout(loadTimeoutNs(timeoutNs));
  }
}

void Vm::giveUpDevice() {
  programmed_ = false;
  if (executor_ && executor_->busy() && !device_->abandoned())
    keepWhileBusy(std::make_unique<Remains>(
        std::move(instance_), std::move(device_), std::move(executor_)));
  executor_.reset();
  device_.reset();
  instance_.reset();
}

Result<CopySpeed> Vm::measureCopySpeed(uint64_t bytes) {
  if (!device_)
    VM_RETURN_IF_ERROR(openDevice(Requirements()));
  return vm::measureCopySpeed(*device_, bytes, options_.timeoutNs);
}

Status Vm::checkProgram() const {
  if (programmed_)
    return {};
  return Status(Code::Usage, "The VM has no program (vm_program loads one).");
}

} // namespace vm
