//===- Executor.cpp - a plan on a device, ready to run --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Setting up and replaying. The way of a replay on the host is submit() and
// wait(): neither does anything for each command of the plan.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Executor.h"

#include "runtime/device/Variants.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/WarmUp.h"
#include "runtime/plan/BoundedKernel.h"
#include "runtime/plan/OptionalFeatures.h"
#include "runtime/plan/Repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace vm {

static double microsecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - start)
      .count();
}

//===--- Set-up -----------------------------------------------------------===//

Result<std::unique_ptr<Executor>>
Executor::create(Device &device, Plan plan, const ExecutorOptions &options) {
  std::unique_ptr<Executor> executor(
      new Executor(device, std::move(plan), options));
  VM_RETURN_IF_ERROR(executor->setUp());
  return executor;
}

/// Moves a Result's value into `out`, or returns its failure.
template <typename T> static Status assign(T &out, Result<T> result) {
  if (!result.ok())
    return result.status();
  out = std::move(*result);
  return {};
}

Status Executor::setUp() {
  if (!options_.ranks)
    options_.ranks = &alone_;
  constexpr uint32_t kNvidia = 0x10de;
  if (!options_.openLink && device_.info().vendorId == kNvidia)
    options_.openLink = [this](Communicator &ranks) {
      return openNccl(ranks, device_.info().uuid, options_.loadTimeoutNs);
    };
  if (options_.variants)
    chooseVariants(plan_, device_.info());
  else
    dropVariants(plan_);
  dropOptionalFeatures(plan_, device_.info().features);
  inputRows_ = findInputRows(plan_);
  loadPrograms();
  if (options_.bounded)
    clearWorkgroupMemory();
  VM_RETURN_IF_ERROR(createRegions());
  Deadline deadline(options_.loadTimeoutNs);
  VM_RETURN_IF_ERROR(assign(scopes_, barrierScopesOf(plan_, deadline)));
  RecordedCounts recorded = countRecorded(plan_);
  VM_RETURN_IF_ERROR(assign(
      clocks_,
      Timestamps::create(device_, static_cast<uint32_t>(recorded.clocks))));
  bool trace = traces(device_.info(), options_.trace);
  VM_RETURN_IF_ERROR(
      assign(trace_, Trace::create(device_, trace ? recorded.commands : 0)));
  outputRows_ = findOutputRows(plan_);
  inputBound_.assign(plan_.inputs.size(), false);
  pipelines_ = Pipelines(plan_.kernels.size());
  isCompiled_.assign(plan_.kernels.size(), false);
  VM_RETURN_IF_ERROR(createExchanges());
  for (LoadedProgram &program : programs_)
    VM_RETURN_IF_ERROR(createHalf(program, program.half));
  return programs_.size() == 1 ? prepare(programs_.front()) : Status();
}

void Executor::loadPrograms() {
  inputPlaces_.resize(plan_.inputs.size());
  outputPlaces_.resize(plan_.outputs.size());
  std::vector<CommandRange> commands = commandsOfPrograms(plan_);
  plan_.programs = programsOf(plan_);
  for (const Program &program : plan_.programs) {
    auto number = static_cast<uint32_t>(programs_.size());
    for (uint32_t i = 0; i < program.inputs.size(); ++i)
      inputPlaces_[program.inputs[i]] = {number, i};
    for (uint32_t i = 0; i < program.outputs.size(); ++i)
      outputPlaces_[program.outputs[i]] = {number, i};
    LoadedProgram &loaded = programs_.emplace_back();
    loaded.program = &program;
    loaded.commands = commands[number];
    loaded.loopWords = loopWordsOf(plan_, loaded.commands);
    loaded.rowGroups = rowGroupsOf(plan_, program, inputRows_);
  }
}

static bool hasMatrices(const Kernel &kernel) {
  constexpr Feature kMatrices[] = {Feature::MatrixF16F32, Feature::MatrixI8I32,
                                   Feature::MatrixBf16F32};
  return std::find_first_of(kernel.features.begin(), kernel.features.end(),
                            std::begin(kMatrices),
                            std::end(kMatrices)) != kernel.features.end();
}

void Executor::clearWorkgroupMemory() {
  robust_ = device_.boundsBuffers();
  for (Kernel &kernel : plan_.kernels) {
    if (hasMatrices(kernel))
      robust_ &= device_.boundsMatrices();
    if (kernel.workgroupMemoryBytes == 0)
      continue;
    robust_ &= device_.clearsWorkgroup();
    if (device_.clearsWorkgroup())
      kernel.spirv = withClearedWorkgroup(kernel.spirv);
  }
}

//===--- Preparing a program ----------------------------------------------===//

Status Executor::prepare(uint32_t program) {
  LoadedProgram &loaded = programs_[program];
  if (loaded.isPrepared)
    return {};
  VM_RETURN_IF_ERROR(checkIdle("prepare a program"));
  return prepare(loaded).withContext(
      fmt::format("preparing program \"{}\"", loaded.program->name));
}

/// Those that the commands dispatch and that are not compiled.
std::vector<uint32_t> Executor::newKernels(CommandRange commands) const {
  std::vector<uint32_t> kernels;
  for (auto [kernel, command] : firstDispatches(plan_, commands))
    if (!isCompiled_[kernel])
      kernels.push_back(kernel);
  return kernels;
}

Status Executor::prepare(LoadedProgram &program) {
  std::vector<uint32_t> kernels = newKernels(program.commands);
  VM_RETURN_IF_ERROR(createPipelines(kernels));
  Deadline deadline(options_.loadTimeoutNs);
  VM_RETURN_IF_ERROR(
      assign(program.descriptors,
             Descriptors::create(device_, plan_, program.commands, pipelines_,
                                 regions_, deadline)));
  VM_RETURN_IF_ERROR(warmUp(program, kernels));
  for (uint32_t kernel : kernels) {
    isCompiled_[kernel] = true;
    plan_.kernels[kernel].spirv = {};
  }
  VM_RETURN_IF_ERROR(record(program, program.half));
  program.isPrepared = true;
  return {};
}

Status Executor::createPipelines(std::span<const uint32_t> kernels) {
  HostSpan span(options_.events, "compile pipelines");
  auto start = std::chrono::steady_clock::now();
  // Where the work comes later, that is what there is to tell about.
  CompileProgress progress = compilesAtDispatch(device_.info())
                                 ? CompileProgress()
                                 : options_.progress;
  VM_RETURN_IF_ERROR(pipelines_.compile(device_, plan_.kernels, kernels,
                                        options_.cacheDirectory, progress));
  compileUs_ += microsecondsSince(start);
  return {};
}

Status Executor::warmUp(const LoadedProgram &program,
                        std::span<const uint32_t> kernels) {
  if (!compilesAtDispatch(device_.info()) || kernels.empty())
    return {};
  HostSpan span(options_.events, "compile kernels");
  auto start = std::chrono::steady_clock::now();
  if (compilation_.submitCount() == 0)
    VM_RETURN_IF_ERROR(
        assign(compilation_, Submission::create(device_, "compilation")));
  VM_RETURN_IF_ERROR(vm::warmUp(device_, plan_, program.commands, kernels,
                                pipelines_, program.descriptors,
                                options_.progress, options_.loadTimeoutNs,
                                compilation_));
  compileUs_ += microsecondsSince(start);
  return {};
}

//===--- Memory -----------------------------------------------------------===//

uint64_t Executor::maxBufferBytes() const {
  return std::min(options_.maxBufferBytes, device_.info().limits.maxAllocation);
}

Status Executor::createRegions() {
  HostSpan span(options_.events, "fill regions");
  VM_RETURN_IF_ERROR(
      assign(transfer_, Transfer::create(device_, options_.timeoutNs)));
  std::array<std::vector<Window>, kNumRegions> windows;
  for (unsigned i = 0; i < kNumRegions; ++i)
    windows[i] = windowsOf(plan_, static_cast<Region>(i));
  VM_RETURN_IF_ERROR(
      assign(regions_, Regions::create(device_, plan_.regionBytes, windows,
                                       options_.onHost.ranges, maxBufferBytes(),
                                       exportsRegions())));
  VM_RETURN_IF_ERROR(transfer_.clear(regions_));
  for (const InitialData &data : plan_.initialData)
    VM_RETURN_IF_ERROR(
        transfer_.upload(regions_, data.region, data.offset, data.bytes));
  plan_.initialData = {};
  return {};
}

bool Executor::exportsRegions() const {
  return options_.ranks->size() > 1 && options_.openLink &&
         device_.exportsMemory() &&
         Exchanges::wantsLink(plan_, options_.linkBytes);
}

Status Executor::createExchanges() {
  VM_RETURN_IF_ERROR(checkRankCount(*options_.ranks, plan_));
  Exchanges::Options options = {maxBufferBytes(), options_.linkBytes,
                                options_.sharedBytes, options_.openLink,
                                options_.loadTimeoutNs};
  return assign(exchanges_, Exchanges::create(device_, plan_, regions_,
                                              *options_.ranks, options));
}

Status Executor::createStaging(const LoadedProgram &program, Half &half) {
  std::vector<uint64_t> sizes;
  for (uint32_t i : program.program->inputs) {
    const Input &input = plan_.inputs[i];
    sizes.push_back(input.residency == Residency::Execution ? byteSizeOf(input)
                                                            : 0);
  }
  VM_RETURN_IF_ERROR(assign(
      half.uploads,
      Staging::create(device_, sizes, maxBufferBytes(), MemoryRole::Upload,
                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT, "staging of inputs")));
  sizes.clear();
  for (uint32_t i : program.program->outputs)
    sizes.push_back(byteSizeOf(plan_.outputs[i]));
  sizes.resize(sizes.size() + program.loopWords.size(), sizeof(uint32_t));
  return assign(
      half.downloads,
      Staging::create(device_, sizes, maxBufferBytes(), MemoryRole::HostPolled,
                      VK_BUFFER_USAGE_TRANSFER_DST_BIT, "staging of outputs"));
}

/// All but its recording.
Status Executor::createHalf(const LoadedProgram &program, Half &half) {
  VM_RETURN_IF_ERROR(createStaging(program, half));
  half.rows.assign(program.program->inputs.size(), 0);
  return assign(half.timestamps, Timestamps::create(device_, kNumTimestamps));
}

Status Executor::record(const LoadedProgram &program, Half &half) {
  HostSpan span(options_.events, "record");
  VM_RETURN_IF_ERROR(assign(
      half.replay, Replay::create(device_, program.program->name.c_str())));
  Recording recording{device_,           plan_,
                      *program.program,  program.commands,
                      scopes_,           regions_,
                      pipelines_,        program.descriptors,
                      half.uploads,      half.downloads,
                      program.loopWords, program.rowGroups,
                      half.timestamps,   clocks_,
                      exchanges_,        trace_,
                      options_.profile,  Deadline(options_.loadTimeoutNs)};
  ++counters_.recordings;
  if (options_.mostInVainNs)
    half.replay.mostInVainNs = *options_.mostInVainNs;
  half.replay.carriers = exchanges_.carriers();
  return recordExecution(recording, half.replay);
}

Executor::~Executor() {
  bool isBusy = false;
  try {
    if (!programs_.empty())
      std::ignore = last().replay.submission().waitFor(timeLeftNs());
    isBusy = busy();
  } catch (const std::bad_alloc &) {
    // There is no memory for a message: the state is not known.
    isBusy = true;
  }
  if (isBusy)
    device_.abandon();
}

//===--- Replay -----------------------------------------------------------===//

Status Executor::checkIdle(const char *action) const {
  if (!inFlight())
    return {};
  return Status(Code::Usage,
                fmt::format("Cannot {} while an execution of \"{}\" "
                            "is in flight (wait for it first).",
                            action, lastProgram().name));
}

Status Executor::submit(uint32_t program) {
  VM_RETURN_IF_ERROR(checkIdle("start an execution"));
  for (uint32_t i : programs_[program].program->inputs)
    VM_RETURN_IF_ERROR(checkGiven(i));
  VM_RETURN_IF_ERROR(prepare(program));
  Result<std::vector<uint64_t>> rows = countRows(programs_[program]);
  if (!rows.ok())
    return rows.status();
  submitTime_ = std::chrono::steady_clock::now();
  executionTimeoutNs_ = options_.timeoutNs;
  ++counters_.executions;
  last_ = program;
  programs_[program].hasRun = true;
  Status status = last().replay.start(*rows);
  submitUs_ = microsecondsSince(submitTime_);
  return status;
}

/// The rows of each group of inputs, which the device is told.
Result<std::vector<uint64_t>> Executor::countRows(LoadedProgram &program) {
  std::vector<uint64_t> counts;
  for (const RowGroup &group : program.rowGroups) {
    Result<uint64_t> rows =
        rowsOfGroup(group, plan_, *program.program, program.half.rows);
    if (!rows.ok())
      return rows.status();
    auto word = static_cast<uint32_t>(*rows);
    const Window &window = plan_.symbols[group.symbol].window;
    uint8_t bytes[sizeof(word)];
    std::memcpy(bytes, &word, sizeof(word));
    VM_RETURN_IF_ERROR(writeRegion(window.region, window.offset, bytes));
    counts.push_back(*rows);
  }
  return counts;
}

void Executor::setTimeout(uint64_t timeoutNs) {
  options_.timeoutNs = timeoutNs;
  transfer_.setTimeout(timeoutNs);
}

/// Until the deadline of the last execution.
uint64_t Executor::timeLeftNs() const {
  auto elapsed = std::chrono::steady_clock::now() - submitTime_;
  auto elapsedNs = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  if (executionTimeoutNs_ == UINT64_MAX)
    return UINT64_MAX;
  return executionTimeoutNs_ - std::min(executionTimeoutNs_, elapsedNs);
}

/// Waits for what was submitted, and submits what comes after it.
Result<bool> Executor::waitForEnd(uint64_t timeoutNs) {
  auto start = std::chrono::steady_clock::now();
  for (;;) {
    auto waitedNs = static_cast<uint64_t>(microsecondsSince(start) * 1000);
    uint64_t restNs = timeoutNs - std::min(timeoutNs, waitedNs);
    Result<bool> done =
        last().replay.submission().waitFor(std::min(restNs, timeLeftNs()));
    if (!done.ok() || !*done)
      return done;
    Result<bool> goesOn = last().replay.goOn(last().timestamps, timeLeftNs());
    if (!goesOn.ok())
      return goesOn;
    if (!*goesOn || timeLeftNs() == 0)
      return !*goesOn;
  }
}

Result<bool> Executor::waitFor(uint64_t timeoutNs) {
  if (!inFlight())
    return true;
  Result<bool> done = waitForEnd(timeoutNs);
  if (!done.ok()) {
    last().replay.giveUp();
    return withTrace(done.status());
  }
  if (*done)
    VM_RETURN_IF_ERROR(finish());
  else if (timeLeftNs() == 0)
    return withTrace(timeoutFailure(device_, executionTimeoutNs_));
  return *done;
}

Status Executor::wait() {
  Result<bool> done = true;
  do
    done = waitFor(UINT64_MAX);
  while (done.ok() && !*done);
  return done.status();
}

bool Executor::sleep(uint64_t timeoutNs, bool spinFirst) const {
  return last().replay.submission().sleep(std::min(timeoutNs, timeLeftNs()),
                                          spinFirst);
}

bool Executor::busy() {
  bool isBusy = transfer_.stillInFlight() || compilation_.stillInFlight();
  if (!programs_.empty())
    isBusy |= last().replay.submission().stillInFlight();
  return isBusy;
}

Status Executor::finish() {
  VM_RETURN_IF_ERROR(readTimes());
  VM_RETURN_IF_ERROR(checkLoops());
  return checkBounds();
}

/// Whether the device has found more of something than there is room for.
Status Executor::checkBounds() {
  for (uint32_t i : lastProgram().symbols) {
    const Symbol &symbol = plan_.symbols[i];
    if (symbol.bound == 0)
      continue;
    std::vector<int32_t> words(byteSizeOf(symbol) / sizeof(int32_t));
    auto *bytes = reinterpret_cast<uint8_t *>(words.data());
    VM_RETURN_IF_ERROR(readRegion(symbol.window.region, symbol.window.offset,
                                  {bytes, byteSizeOf(symbol)}));
    for (int32_t word : words)
      if (word > static_cast<int64_t>(symbol.bound))
        return Status(Code::Excess,
                      fmt::format("EXCESS: \"{}\" is {}, but there is room for "
                                  "{} only.",
                                  symbol.name, word, symbol.bound));
  }
  return {};
}

Status Executor::readTimes() {
  times_ = {};
  times_.wallUs = microsecondsSince(submitTime_);
  times_.submitUs = submitUs_;
  times_.exchangeUs = static_cast<double>(last().replay.exchangeNs()) / 1e3;
  Result<std::vector<double>> nanoseconds = last().timestamps.read();
  if (!nanoseconds.ok())
    return nanoseconds.status();
  if (nanoseconds->empty())
    return {};
  auto between = [&](uint32_t from, uint32_t to) {
    return ((*nanoseconds)[to] - (*nanoseconds)[from]) / 1000;
  };
  times_.uploadUs = between(kTimeStart, kTimeUploaded);
  times_.deviceUs = between(kTimeUploaded, kTimeComputed);
  times_.downloadUs = between(kTimeComputed, kTimeDownloaded);
  return {};
}

} // namespace vm
