//===- GpuTest.cpp - fixtures of tests that use a device ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"

#include "runtime/device/DeviceSelection.h"
#include "runtime/plan/PlanFile.h"

#include <cstdlib>

namespace vm::test {

/// GPUVM_TEST_DEVICE picks another device than the tests' usual choice.
static std::string wantedDevice() {
  const char *device = std::getenv("GPUVM_TEST_DEVICE");
  return device ? device : "";
}

/// GPUVM_VALIDATE=0 is for devices that are newer than the layer.
static bool validates() {
  const char *value = std::getenv("GPUVM_VALIDATE");
  return !value || validationFromEnvironment();
}

//===- DeviceTest ---------------------------------------------------------===//

Status TestDevice::open(std::unique_ptr<TestDevice> &opened) {
  opened = std::make_unique<TestDevice>();
  Result<std::unique_ptr<Instance>> instance = Instance::create(validates());
  if (!instance.ok())
    return instance.status();
  opened->instance = std::move(*instance);
  Selection selection =
      selectDevice(opened->instance->devices(), {}, wantedDevice());
  if (!selection.device)
    return selection.status;
  Result<std::unique_ptr<Device>> device =
      Device::open(*opened->instance, *selection.device, Robustness::Matrices);
  if (!device.ok())
    return device.status();
  opened->device = std::move(*device);
  return {};
}

void DeviceTest::SetUp() {
  ASSERT_OK(TestDevice::open(opened_));
  sink_ = opened_->instance->validation();
  device_ = opened_->device.get();
}

void DeviceTest::TearDown() {
  device_ = nullptr;
  opened_.reset();
  if (!sink_)
    return;
  std::vector<std::string> messages = sink_->messages();
  for (size_t i = taken_; i < messages.size(); ++i)
    ADD_FAILURE() << messages[i];
}

std::unique_ptr<Executor> DeviceTest::load(Plan plan,
                                           const ExecutorOptions &options) {
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*device_, std::move(plan), options);
  if (executor.ok())
    return std::move(*executor);
  ADD_FAILURE() << executor.status().message();
  return nullptr;
}

void DeviceTest::run(Executor &executor) {
  EXPECT_OK(executor.submit());
  EXPECT_OK(executor.wait());
}

std::vector<std::string> DeviceTest::takeMessages() {
  std::vector<std::string> messages = sink_->messages();
  messages.erase(messages.begin(),
                 messages.begin() + static_cast<ptrdiff_t>(taken_));
  taken_ += messages.size();
  return messages;
}

//===- VmTest -------------------------------------------------------------===//

gpuvm_options VmTest::options() {
  static const std::string device = wantedDevice();
  gpuvm_options options = gpuvm::defaultOptions();
  options.validate = validates();
  options.cache_dir = "";
  options.device = device.c_str();
  return options;
}

gpuvm::Vm &VmTest::boot(const gpuvm_options &options) {
  gpuvm::Vm &vm = *vms_.emplace_back(std::make_unique<gpuvm::Vm>());
  EXPECT_EQ(vm.boot(options), GPUVM_OK) << vm_last_error(nullptr);
  return vm;
}

gpuvm::Vm &VmTest::boot(const gpuvm_layout &layout) {
  gpuvm_options full = options();
  full.layout = layout;
  return boot(full);
}

bool VmTest::isLlvmpipe(const gpuvm::Vm &vm) {
  return std::string_view(vm_device_name(vm.get())).starts_with("llvmpipe");
}

gpuvm::Vm &VmTest::program(const Plan &plan) {
  gpuvm::Vm &vm = boot();
  EXPECT_VM_OK(vm, program(writePlan(plan)));
  return vm;
}

void VmTest::TearDown() {
  for (const std::unique_ptr<gpuvm::Vm> &vm : vms_) {
    for (size_t i = 0; i < vm_validation_count(vm->get()); ++i)
      ADD_FAILURE() << vm_validation_message(vm->get(), i);
    EXPECT_EQ(vm->shutdown(), GPUVM_OK) << vm_last_error(nullptr);
  }
}

} // namespace vm::test
