//===- HostMemoryTest.cpp - every allocation on the host fails once -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This program's operator new throws when it is told to. Let through are
// allocations of libraries below the runtime (drivers, SPIRV-Cross, and
// SPIRV-Tools, which leaks), for what they do without memory is not the
// runtime's, and those of nlohmann::json's destructor, which must not throw.
// Each run takes some of the allocations; GPUVM_TEST_ALL=1 takes all.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <string_view>

namespace {
/// Of this thread: others are the driver's.
thread_local bool armed = false;
thread_local uint64_t callsLeft = 0;
thread_local uint64_t calls = 0;
thread_local bool failed = false;
} // namespace

/// Whether the allocation is the runtime's, by the names on the stack.
static bool isOurs() {
  void *frames[64];
  int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    Dl_info info = {};
    if (!dladdr(frames[i], &info) || !info.dli_fname)
      continue;
    std::string_view file = info.dli_fname;
    for (const char *foreign :
         {"libvulkan", "libVk", "libLLVM", "spirv", "SPIRV"})
      if (file.find(foreign) != std::string_view::npos)
        return false;
    std::string_view function = info.dli_sname ? info.dli_sname : "";
    for (const char *foreign : {"spvtools", "json_value7destroy"})
      if (function.find(foreign) != std::string_view::npos)
        return false;
    if (function.starts_with("spv"))
      return false;
  }
  return true;
}

static bool isToFail() {
  if (!armed)
    return false;
  ++calls;
  if (callsLeft > 0) {
    --callsLeft;
    return false;
  }
  armed = false; // backtrace may allocate.
  bool ours = isOurs();
  armed = !ours;
  if (ours)
    failed = true;
  return ours;
}

static void *allocate(size_t size, size_t alignment) {
  if (isToFail())
    return nullptr;
  if (alignment <= alignof(std::max_align_t))
    return std::malloc(size ? size : 1);
  return std::aligned_alloc(alignment,
                            (size + alignment - 1) / alignment * alignment);
}

static void *allocateOrThrow(size_t size, size_t alignment) {
  if (void *memory = allocate(size, alignment))
    return memory;
  throw std::bad_alloc();
}

void *operator new(size_t size) { return allocateOrThrow(size, 1); }
void *operator new[](size_t size) { return allocateOrThrow(size, 1); }
void *operator new(size_t size, std::align_val_t alignment) {
  return allocateOrThrow(size, static_cast<size_t>(alignment));
}
void *operator new[](size_t size, std::align_val_t alignment) {
  return allocateOrThrow(size, static_cast<size_t>(alignment));
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return allocate(size, 1);
}
void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  return allocate(size, 1);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

using namespace vm;
using namespace vm::test;

namespace {

class HostMemoryTest : public testing::Test {
protected:
  /// A life of a VM through the C ABI alone, which does not allocate by itself.
  static int live(const gpuvm_options &options,
                  const std::vector<uint8_t> &plan, std::string &sentence) {
    float y[8] = {}, x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t wake[] = {1, 1, 1};
    gpuvm_vm *vm = nullptr;
    int status = vm_boot(&options, &vm);
    if (!status)
      status = vm_program(vm, plan.data(), plan.size());
    if (!status)
      status = vm_write_register(vm, 0, 0, x, sizeof(x));
    if (!status)
      status = vm_write_symbol(vm, "wake", wake, sizeof(wake));
    if (!status)
      status = vm_execute(vm, nullptr);
    if (!status)
      status = vm_read_output(vm, "y", y, sizeof(y));
    bool right = y[7] == 800;
    bool wasArmed = armed;
    armed = false;
    EXPECT_EQ(right, status == GPUVM_OK);
    sentence = vm_last_error(vm);
    armed = wasArmed;
    vm_shutdown(vm);
    return status;
  }
};

TEST_F(HostMemoryTest, EveryFailureIsAStatus) {
  setenv("GPUVM_VALIDATE", "0", 1); // The layer would make most of them.
  gpuvm_options options = gpuvm::defaultOptions();
  options.cache_dir = "";
  options.device = "lavapipe";
  std::vector<uint8_t> plan = writePlan(makeDormantProgram());
  std::string sentence;
  ASSERT_EQ(live(options, plan, sentence), GPUVM_OK) << sentence;

  armed = true;
  callsLeft = UINT64_MAX;
  calls = 0;
  ASSERT_EQ(live(options, plan, sentence), GPUVM_OK) << sentence;
  armed = false;
  uint64_t count = calls, failures = 0;
  bool all = std::getenv("GPUVM_TEST_ALL");
  for (uint64_t index = 0; index < count; index += all ? 1 : 1 + index / 40) {
    failed = false;
    callsLeft = index;
    armed = true;
    int status = live(options, plan, sentence);
    armed = false;
    if (!failed)
      continue;
    ++failures;
    if (status != GPUVM_OK) {
      EXPECT_EQ(status, GPUVM_ERROR_OUT_OF_MEMORY) << index << sentence;
      EXPECT_NE(sentence, "") << index;
    }
    ASSERT_EQ(live(options, plan, sentence), GPUVM_OK) << index << sentence;
    ASSERT_FALSE(HasFailure()) << index;
  }
  fmt::print("{} of {} allocations failed\n", failures, count);
  EXPECT_GT(failures, 30u);
}

} // namespace
