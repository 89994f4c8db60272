//===- Vm.h - a booted GPU virtual machine --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C ABI and gpuvm-run stand on: picks the device, holds the five
// regions, first bare and then as a program lays them out, and translates
// registers and names into windows. Used by one thread at a time (SharedVm.h is
// for several); several VMs share nothing and can run side by side.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/DeviceSelection.h"
#include "runtime/device/Instance.h"
#include "runtime/exec/CopySpeed.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/Plan.h"
#include "runtime/ranks/Communicator.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vm {

/// The time for each part of loading: checking a plan, compiling a kernel where
/// that is known to end late (lavapipe), and recording the plan. A timeout that
/// is meant for short executions is no limit to it.
inline uint64_t loadTimeoutNs(uint64_t timeoutNs) {
  return std::max<uint64_t>(timeoutNs, 10'000'000'000ull);
}

struct VmOptions {
  std::string device;    ///< See selectDevice; "" picks the best.
  bool validate = false; ///< Validation layer, core + synchronization.
  bool robust = true;    ///< robustBufferAccess2 where the device has it.
  /// Where compiled kernels are kept: nothing for defaultCacheDirectory(), ""
  /// for nowhere.
  std::optional<std::string> cacheDirectory;
  uint64_t timeoutNs = 60'000'000'000ull; ///< See Executor::setTimeout.
  uint64_t vramBudgetBytes = 0;           ///< See MemoryBudget.h.
  bool trace = false;                     ///< See Trace.h.
  bool profile = false;         ///< Every command is timed; see CommandTimer.h.
  HostEvents *events = nullptr; ///< Gets what loading consists of.
  bool variants = true;      ///< Kernels give way to variants for the device.
  CompileProgress progress;  ///< Told about kernels that are compiled.
  bool trustKernels = false; ///< They are not bounded; see BoundedKernel.h.
  /// The processes that run programs together; none: this one alone. Each has a
  /// VM and loads the same programs, which then is one call of all of them.
  std::shared_ptr<Communicator> ranks;
  uint64_t linkBytes = kLinkBytes;     ///< See ExecutorOptions.
  uint64_t sharedBytes = kSharedBytes; ///< Likewise.
  bool shareDevice = false;            ///< Ranks may have the same GPU.
};

/// The regions of a VM before it has a program. Registers is a flat array of
/// instances * 32 * registerBytes bytes; Metrics starts with kMetadataWords
/// words for each instance.
struct BareLayout {
  uint32_t instances = 0;
  uint64_t registerBytes = 0;
  uint64_t globalsBytes = 0;
  uint64_t metricsBytes = 0; ///< After the metadata words.
  uint64_t controlBytes = 0;
  uint64_t heapBytes = 0;
};

class Vm {
public:
  /// Loads Vulkan; opens no device yet.
  static Result<std::unique_ptr<Vm>> boot(const VmOptions &options);
  ~Vm();

  /// Before giveUpDevice only.
  std::span<const DeviceInfo> devices() const { return instance_->devices(); }
  /// Null before the first layOut or program and after giveUpDevice.
  const Device *device() const { return device_.get(); }
  /// The validation messages so far; outlives the VM.
  std::shared_ptr<ValidationSink> validation() const { return sink_; }

  /// Opens the best device and gives the regions a bare layout, all zero.
  Status layOut(const BareLayout &layout);

  /// Makes `plan` (which readPlan or loadPlan verified) the program: chooses a
  /// device that can run it, lays the regions out anew and records it. Code::
  /// NoDevice and BadInput (a kernel that cannot be bounded) leave the VM as it
  /// was, unless the driver has refused a kernel; after that and any other
  /// failure it has no regions. With several ranks, no rank has a program
  /// unless all have it.
  Status program(Plan plan);

  /// See Executor::setTimeout; also for the programs to come.
  void setTimeout(uint64_t timeoutNs);
  uint64_t timeoutNs() const { return options_.timeoutNs; }
  Communicator &ranks() { return *options_.ranks; }

  /// Closes the device, however busy it is: what it still works on is freed
  /// when that ends (Remains.h). The VM has no regions then and no program, and
  /// the next one opens a device anew.
  void giveUpDevice();

  /// The copy speed of the device (opened if need be).
  Result<CopySpeed> measureCopySpeed(uint64_t bytes);

  /// Code::Usage unless a program is loaded.
  Status checkProgram() const;
  /// The loaded program; null if there is none.
  Executor *executor() { return programmed_ ? executor_.get() : nullptr; }

  // Registers and regions (VmAccess.cpp). Offsets and sizes are in bytes.

  /// Writes the first bytes of a register; more than it holds is Code::Usage.
  Status writeRegister(uint32_t instance, uint32_t reg,
                       std::span<const uint8_t> bytes);
  Status readRegister(uint32_t instance, uint32_t reg,
                      std::span<uint8_t> bytes);
  Status writeRegion(Region region, uint64_t offset,
                     std::span<const uint8_t> bytes);
  Status readRegion(Region region, uint64_t offset, std::span<uint8_t> bytes);
  Status writeSymbol(std::string_view name, std::span<const uint8_t> bytes);
  Status readSymbol(std::string_view name, std::span<uint8_t> bytes);
  /// The first bytes of a metric or control word in host memory, as
  /// SharedWords.h reads them, also while an execution is in flight; valid as
  /// long as the program. Code::Usage for other symbols.
  Result<uint8_t *> mappedSymbol(std::string_view name, uint64_t bytes);
  /// The status word of the message that `instance` sent last.
  Result<uint32_t> pollStatus(uint32_t instance);

private:
  explicit Vm(const VmOptions &options) : options_(options) {}
  Status openInstance();
  Status openDevice(const Requirements &needs);
  Status openDevice(const Plan &plan);
  Result<HostPlacement> placeMemory(const Plan &plan) const;
  Status load(Plan plan, bool isProgram);
  Status loadProgram(Plan plan);
  Status checkRegions() const;
  Result<Window> registerWindow(uint32_t instance, uint32_t reg) const;
  Result<Window> metadataWindow(uint32_t instance) const;

  VmOptions options_;
  std::shared_ptr<ValidationSink> sink_ = std::make_shared<ValidationSink>();
  std::unique_ptr<Instance> instance_; ///< Null after giveUpDevice.
  std::unique_ptr<Device> device_;
  std::optional<uint32_t> deviceIndex_;
  BareLayout bare_;
  std::unique_ptr<Executor> executor_;
  bool programmed_ = false;
};

} // namespace vm
