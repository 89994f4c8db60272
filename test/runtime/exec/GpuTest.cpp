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

void DeviceTest::SetUp() {
  Result<std::unique_ptr<Instance>> instance = Instance::create(validates());
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  instance_ = std::move(*instance);
  sink_ = instance_->validation();
  Selection selection = selectDevice(instance_->devices(), {}, wantedDevice());
  ASSERT_TRUE(selection.device) << selection.status.message();
  deviceIndex_ = *selection.device;
  Result<std::unique_ptr<Device>> device = openDevice();
  ASSERT_TRUE(device.ok()) << device.status().message();
  device_ = std::move(*device);
}

Result<std::unique_ptr<Device>> DeviceTest::openDevice() const {
  return Device::open(*instance_, deviceIndex_, Robustness::Matrices);
}

void DeviceTest::TearDown() {
  device_.reset();
  instance_.reset();
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
