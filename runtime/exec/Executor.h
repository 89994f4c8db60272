//===- Executor.h - a plan on a device, ready to run ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns everything one plan needs on one device and replays it. The executor
// trusts the plan: PlanFile verifies it, DeviceSelection says whether the
// device can run it. Used by one thread at a time.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/HostEvents.h"
#include "runtime/base/InputFile.h"
#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Exchanges.h"
#include "runtime/exec/GivenBytes.h"
#include "runtime/exec/HostPlacement.h"
#include "runtime/exec/InputRows.h"
#include "runtime/exec/Recorder.h"
#include "runtime/exec/Transfer.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Programs.h"
#include "runtime/ranks/Communicator.h"
#include "runtime/ranks/SelfCommunicator.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm {

/// From here on NCCL takes less time than the host's memory. Two H200 of one
/// host, Open MPI 4.1.6 and NCCL 2.28.3: with 1 MiB 284 us and 339, with 16 MiB
/// 4,024 and 413. Most of the 339 is the change between Vulkan and CUDA.
inline constexpr uint64_t kLinkBytes = 5 << 18;
/// From here on memory that ranks of a host share takes less time than messages
/// of MPI between them: on an H200 that two ranks share; on lavapipe it always
/// does (docs/rationale/ranks-costs.md).
inline constexpr uint64_t kSharedBytes = 1 << 16;

struct ExecutorOptions {
  std::string cacheDirectory;             ///< Empty: no pipeline cache on disk.
  uint64_t timeoutNs = 60'000'000'000ull; ///< See setTimeout.
  uint64_t loadTimeoutNs = UINT64_MAX;    ///< Of each part; see Vm.h.
  bool trace = false;                     ///< Always on for CPU devices.
  bool profile = false;                   ///< Time every command.
  bool variants = true;         ///< Of kernels, where the device can run them.
  bool bounded = false;         ///< The plan's kernels are (BoundedKernel.h).
  HostEvents *events = nullptr; ///< Gets the parts of the set-up.
  CompileProgress progress;     ///< Told about kernels that are compiled.
  uint64_t maxBufferBytes = UINT64_MAX; ///< Or the device's limit, if smaller.
  std::optional<uint64_t> mostInVainNs; ///< See Replay.
  HostPlacement onHost;                 ///< Of the plan.
  Communicator *ranks = nullptr; ///< That run the plan together; null: one.
  /// What opens a link between their devices, for exchanges in which a rank
  /// sends at least `linkBytes`; if not given, openNccl() on devices of NVIDIA.
  /// The same on all ranks.
  OpenLink openLink = {};
  uint64_t linkBytes = kLinkBytes;
  /// Likewise, to go through memory that ranks of a host share.
  uint64_t sharedBytes = kSharedBytes;
};

/// Bytes of an input that are bytes of a file.
struct FilePart {
  uint32_t input = 0;  ///< Index into plan.inputs.
  uint64_t offset = 0; ///< In the input.
  uint64_t bytes = 0;
  uint64_t fileOffset = 0;
};

/// How long the last execution took. Device times are 0 without a device clock.
struct ExecutionTimes {
  double wallUs = 0;     ///< From before the submit until the wait returned.
  double submitUs = 0;   ///< Host time of the submit alone.
  double uploadUs = 0;   ///< Device time of the upload copies.
  double deviceUs = 0;   ///< Device time of the plan's commands.
  double downloadUs = 0; ///< Device time of the download copies.
  double exchangeUs = 0; ///< Host time in exchanges with other ranks.
};

/// Totals since creation, except `recorded`: what the last execution ran, or
/// what one that takes every iteration will.
struct ExecutorCounters {
  RecordCounts recorded;
  uint64_t recordings = 0;        ///< Times a program was recorded.
  uint64_t executions = 0;        ///< Executions submitted.
  uint64_t executionSubmits = 0;  ///< vkQueueSubmit calls for executions.
  uint64_t hostAccessSubmits = 0; ///< Those for copies outside executions.
};

class Executor {
public:
  /// Lays out the regions and uploads what they hold at first; prepares the
  /// program of a plan that has only one. The device must outlive the executor.
  static Result<std::unique_ptr<Executor>>
  create(Device &device, Plan plan, const ExecutorOptions &options);

  /// Waits for what is in flight, until its deadline; what has not ended then
  /// makes it abandon the device (see Device::abandon).
  ~Executor();
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// Whether the commands of plans are traced on a device.
  static bool traces(const DeviceInfo &info, bool wanted) {
    return wanted || info.type == DeviceType::Cpu;
  }

  /// The plan, without its initial data, and without the SPIR-V of programs
  /// that are prepared, which are on the device; a single program is among its
  /// programs, too.
  const Plan &plan() const { return plan_; }
  const Regions &regions() const { return regions_; }
  Communicator &ranks() { return *options_.ranks; }
  const ExecutorCounters &counters() const;
  const ExecutionTimes &lastTimes() const { return times_; }
  /// When each command of the last execution ran; only with options.profile.
  Result<CommandTimes> commandTimes();
  bool profiles() const { return options_.profile; }
  const DeviceInfo &deviceInfo() const { return device_.info(); }
  const Exchanges &exchanges() const { return exchanges_; }
  /// Host time that it took to compile the kernels so far.
  double compileUs() const { return compileUs_; }
  /// Whether no kernel can reach, or find, what is not the plan's: its accesses
  /// are bounded, by the device and by options.bounded, and its workgroup and
  /// private memory are clear at first.
  bool robust() const { return robust_; }
  /// Bytes of regions that lie in host memory because the device has no room.
  uint64_t hostBytes() const { return options_.onHost.bytes; }
  /// Bytes that every execution of lastProgram() copies in and out.
  uint64_t uploadBytes() const;
  uint64_t downloadBytes() const {
    return last().downloads.totalBytes() -
           sizeof(uint32_t) * programs_[last_].loopWords.size();
  }
  /// The number of the program that has an input (that every execution takes)
  /// or an output.
  uint32_t programOfInput(uint32_t input) const {
    return inputPlaces_[input].program;
  }
  uint32_t programOfOutput(uint32_t output) const {
    return outputPlaces_[output].program;
  }
  /// The program that was started last; the first one before that.
  const Program &lastProgram() const { return *programs_[last_].program; }

  // Inputs, outputs, regions: nothing may be in flight (Code::Usage), except
  // for reads of Metrics and writes of Control, which are mapped.

  /// Gives input `index` its bytes, exactly as many as its tensor has, or, if
  /// it is bounded, as many as its rows have.
  Status bindInput(uint32_t index, std::span<const uint8_t> bytes);
  /// The same with the bytes of a file from `offset` on (if it is bounded, to
  /// its end), which need not be in memory together. After a failure to read
  /// them the input is not bound.
  Status bindFile(uint32_t index, const std::string &path, uint64_t offset);
  /// Gives inputs some of their bytes. They are bound when all were given, be
  /// it by several calls, with as many rows as there may be. After a failure to
  /// read them none of these inputs is bound; after any other one nothing has
  /// changed.
  Status bindParts(const std::string &path, std::span<const FilePart> parts);
  /// The bytes of output `index` as the last execution left them.
  Status readOutput(uint32_t index, std::span<uint8_t> bytes) const;
  /// How many rows of output `index` the last execution computed, if the device
  /// decides that; the contents past them are undefined.
  Result<std::optional<int64_t>> readRows(uint32_t index);
  Status writeRegion(Region region, uint64_t offset,
                     std::span<const uint8_t> bytes);
  Status readRegion(Region region, uint64_t offset, std::span<uint8_t> bytes);

  /// The time that executions and host accesses from now on may take;
  /// UINT64_MAX for any. An execution has to end by its deadline, this long
  /// after its submit.
  void setTimeout(uint64_t timeoutNs);
  uint64_t timeoutNs() const { return options_.timeoutNs; }
  /// Likewise for what prepare() does, unless it had more when the plan was
  /// loaded: a timeout that is meant for executions does not end compiling.
  void setLoadTimeout(uint64_t timeoutNs) {
    options_.loadTimeoutNs = std::max(options_.loadTimeoutNs, timeoutNs);
  }

  /// Compiles the kernels of a program that have not been compiled yet, and
  /// records it, if that was not done. Nothing may be in flight.
  Status prepare(uint32_t program);

  /// Starts an execution of a program, by its number (findProgram), and
  /// prepares it first: one vkQueueSubmit, unless it has exchanges or a long
  /// loop of it runs longer than expected (see Replay.h). Every input of it
  /// must have been bound.
  Status submit(uint32_t program = 0);
  /// Waits at most `timeoutNs` for the execution; whether none is in flight any
  /// more. Code::DeviceLost: it is, past its deadline, or the device is lost.
  /// Code::Excess: it has ended, but a word of Control is more than its bound.
  Result<bool> waitFor(uint64_t timeoutNs);
  Result<bool> poll() { return waitFor(0); }
  /// Waits until the end or the deadline.
  Status wait();
  /// Only waits, for waitFor() to say how it ended; whether it has. The one
  /// function that other threads may call while an execution is in flight (see
  /// SharedVm.h).
  bool sleep(uint64_t timeoutNs, bool spinFirst) const;
  bool inFlight() const {
    return last().replay.isRunning() || last().replay.submission().inFlight();
  }
  /// Whether waitFor() submits: the device waits for the host to exchange, or
  /// to say whether a long loop goes on. No thread may sleep() then.
  bool needsHost() { return last().replay.needsHost(); }
  /// Whether the device still works on the execution or on a host access that
  /// has timed out.
  bool busy();
  // Streaming (ExecutorStream.cpp): a second half of staging memory with a
  // recording of its own. While the device works on an execution with one half,
  // the host has the other. Stream.h is what uses it.

  /// Makes the second half of a program, if there is none. Nothing may be in
  /// flight. It is this program's inputs and outputs that the others are for.
  Status openHalves(uint32_t program);
  /// The idle half's place of an input that every execution takes; filling it
  /// binds it for the next submitIdle(), with the first `rows`.
  std::span<uint8_t> idleInput(uint32_t index);
  void setIdleRows(uint32_t index, uint64_t rows);
  /// An output of the last execution with the idle half, and of the last one
  /// with the other, which must have ended.
  std::span<const uint8_t> idleOutput(uint32_t index) const;
  std::span<const uint8_t> lastOutput(uint32_t index) const;
  /// Starts an execution with the idle half; the other one becomes idle.
  Status submitIdle(uint32_t program);

  /// The stage of the command that was started last, as its label has it; "" if
  /// that is not known (see Trace.h).
  std::string runningStage() const;
  /// `status`, with the command that was started last as its context.
  Status withTrace(const Status &status) const;

private:
  /// What an execution has for itself.
  struct Half {
    Staging uploads;            ///< A slot for each input of the program.
    std::vector<uint64_t> rows; ///< Of each; meant if it is bounded.
    Staging downloads;
    Timestamps timestamps;
    Replay replay;
  };
  struct LoadedProgram {
    const Program *program = nullptr; ///< One of the plan's.
    CommandRange commands;
    std::vector<LoopWord> loopWords;
    std::vector<RowGroup> rowGroups;
    Descriptors descriptors;
    Half half;
    std::optional<Half> idle; ///< The other one, which streaming needs.
    bool isPrepared = false;
    bool hasRun = false;
  };
  /// Where an input or an output of the plan is.
  struct Place {
    uint32_t program = 0;
    uint32_t slot = 0; ///< Of the program's staging memory.
  };

  Executor(Device &device, Plan plan, const ExecutorOptions &options)
      : device_(device), plan_(std::move(plan)), options_(options) {}
  Status setUp();
  void loadPrograms();
  void clearWorkgroupMemory();
  Status createRegions();
  Status createExchanges();
  bool exportsRegions() const;
  Status createStaging(const LoadedProgram &program, Half &half);
  Status createHalf(const LoadedProgram &program, Half &half);
  std::vector<uint32_t> newKernels(CommandRange commands) const;
  Status prepare(LoadedProgram &program);
  Status createPipelines(std::span<const uint32_t> kernels);
  Status warmUp(const LoadedProgram &program,
                std::span<const uint32_t> kernels);
  Status record(const LoadedProgram &program, Half &half);
  uint64_t maxBufferBytes() const;
  std::vector<std::span<uint8_t>> slotsOf(uint32_t input) const;
  void setRows(uint32_t input, uint64_t rows);
  uint64_t rowBound(uint32_t input) const;
  bool hasAllRows(uint32_t input) const;
  Result<std::vector<uint64_t>> countRows(LoadedProgram &program);
  Status checkParts(std::span<const FilePart> parts, const std::string &path,
                    uint64_t fileBytes) const;
  Status copyParts(const InputFile &file, std::span<const FilePart> parts);
  Status checkGiven(uint32_t input) const;
  Status checkIdle(const char *action) const;
  Result<bool> waitForEnd(uint64_t timeoutNs);
  Status finish();
  Status readTimes();
  Status checkBounds();
  Status checkLoops();
  uint64_t timeLeftNs() const;
  Half &last() { return programs_[last_].half; }
  const Half &last() const { return programs_[last_].half; }

  Device &device_;
  Plan plan_;
  ExecutorOptions options_;
  Regions regions_;
  Transfer transfer_;
  Pipelines pipelines_;
  std::vector<bool> isCompiled_; ///< By kernel.
  Submission compilation_;       ///< Of kernels; see WarmUp.h.
  BarrierScopes scopes_;
  Timestamps clocks_;
  Trace trace_;
  SelfCommunicator alone_;
  Exchanges exchanges_;
  std::vector<LoadedProgram> programs_;
  size_t last_ = 0; ///< The program that was started last.
  std::vector<Place> inputPlaces_, outputPlaces_;
  std::vector<bool> inputBound_;
  std::map<uint32_t, GivenBytes> partlyBound_; ///< By input.
  RowSymbols inputRows_, outputRows_;
  mutable ExecutorCounters counters_;
  ExecutionTimes times_;
  double submitUs_ = 0;
  double compileUs_ = 0;
  bool robust_ = false;
  std::chrono::steady_clock::time_point submitTime_;
  uint64_t executionTimeoutNs_ = 0; ///< Of the last execution.
};

} // namespace vm
