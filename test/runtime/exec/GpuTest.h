//===- GpuTest.h - fixtures of tests that use a device --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation with synchronization validation is always on, and one message, up
// to the destruction of the instance, fails the test.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/exec/Executor.h"
#include "runtime/include/gpuvm.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vm::test {

/// The bytes of a vector's elements.
template <typename T>
std::span<const uint8_t> asBytes(const std::vector<T> &v) {
  return {reinterpret_cast<const uint8_t *>(v.data()), v.size() * sizeof(T)};
}
template <typename T> std::span<uint8_t> asWritableBytes(std::vector<T> &v) {
  return {reinterpret_cast<uint8_t *>(v.data()), v.size() * sizeof(T)};
}

/// Fails the test with the status's sentence.
#define EXPECT_OK(expr)                                                        \
  do {                                                                         \
    const ::vm::Status &status_ = (expr);                                      \
    EXPECT_TRUE(status_.ok()) << status_.message();                            \
  } while (false)

/// The same, and ends the function.
#define ASSERT_OK(expr)                                                        \
  do {                                                                         \
    const ::vm::Status &status_ = (expr);                                      \
    ASSERT_TRUE(status_.ok()) << status_.message();                            \
  } while (false)

/// The device that tests run on.
struct TestDevice {
  static Status open(std::unique_ptr<TestDevice> &opened);

  std::unique_ptr<Instance> instance;
  std::unique_ptr<Device> device;
};

/// A device and executors made straight from plans, past the loader.
class DeviceTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// An executor of `plan`; fails the test if there is none.
  std::unique_ptr<Executor> load(Plan plan,
                                 const ExecutorOptions &options = {});
  void run(Executor &executor);
  /// Messages so far, which then no longer fail the test.
  std::vector<std::string> takeMessages();

  std::unique_ptr<TestDevice> opened_;
  Device *device_ = nullptr;
  std::shared_ptr<ValidationSink> sink_;
  size_t taken_ = 0;
};

/// VMs through the C ABI.
class VmTest : public testing::Test {
protected:
  void TearDown() override;

  /// Options with validation on and no cache on disk.
  static gpuvm_options options();
  /// A new VM with a bare layout.
  gpuvm::Vm &boot(const gpuvm_layout &layout = {});
  gpuvm::Vm &boot(const gpuvm_options &options);
  /// Whether the device of `vm`, which has a layout or a program, is llvmpipe.
  static bool isLlvmpipe(const gpuvm::Vm &vm);
  /// A new VM with a program, written and read back as a plan file.
  gpuvm::Vm &program(const Plan &plan);

  std::vector<std::unique_ptr<gpuvm::Vm>> vms_;
};

/// Succeeds if `call` does, else fails with the VM's sentence.
#define EXPECT_VM_OK(vm, call) EXPECT_EQ((vm).call, GPUVM_OK) << (vm).error()

} // namespace vm::test
