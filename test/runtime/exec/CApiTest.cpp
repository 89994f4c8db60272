//===- CApiTest.cpp - bare VMs and misuse of the C ABI --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance cases 1 and 8, and every function with what it must refuse.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include "runtime/plan/PlanFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace vm;
using namespace vm::test;

extern "C" uint64_t timeoutSeenByC(void);

namespace {

class CApiTest : public VmTest {};

using Floats = std::vector<float>;
using Words = std::vector<uint32_t>;

/// Two instances with registers of 16 f32 elements.
constexpr gpuvm_layout kLayout = {2, 64, 128, 16, 32, 64};

TEST_F(CApiTest, RegistersAreIsolated) {
  gpuvm::Vm &vm = boot(kLayout);
  Floats values = {1, 2, 3, 4, 5, 6, 7, 8}, back(8), other(16, 9);
  EXPECT_VM_OK(vm, writeRegister(0, 0, values));
  EXPECT_VM_OK(vm, readRegister(0, 0, back));
  EXPECT_EQ(back, values);
  for (auto [instance, reg] :
       {std::pair(0u, 5u), {0u, 1u}, {0u, 31u}, {1u, 0u}}) {
    EXPECT_VM_OK(vm, readRegister(instance, reg, other));
    EXPECT_EQ(other, Floats(16, 0)) << instance << " R" << reg;
  }
  EXPECT_VM_OK(vm, writeRegister(1, 31, Floats(16, 3)));
  EXPECT_VM_OK(vm, readRegister(1, 30, other));
  EXPECT_EQ(other, Floats(16, 0));
}

TEST_F(CApiTest, ChecksRegisterArguments) {
  gpuvm::Vm &vm = boot(kLayout);
  Floats data(16);
  EXPECT_EQ(vm.writeRegister(2, 0, data), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "VM instance 2 does not exist (there are 2 instances, "
                        "counted from 0).");
  EXPECT_EQ(vm.readRegister(0, 32, data), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Register R32 does not exist (the last one is R31).");
  EXPECT_EQ(vm.writeRegister(0, 3, Floats(17)), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Register R3 of VM instance 0 cannot take or give 68 "
                        "bytes (it holds 64 bytes).");
}

TEST_F(CApiTest, WritesAndReadsRegions) {
  gpuvm::Vm &vm = boot(kLayout);
  Words words = {7, 8}, back(2);
  EXPECT_VM_OK(vm, writeGlobals(120, words));
  EXPECT_VM_OK(vm, readGlobals(120, back));
  EXPECT_EQ(back, words);
  EXPECT_VM_OK(vm, writeControl(24, words));
  EXPECT_VM_OK(vm, readControl(24, back));
  EXPECT_EQ(back, words);
  EXPECT_VM_OK(vm, writeMetrics(32, words));
  EXPECT_VM_OK(vm, readMetrics(32, back));
  EXPECT_EQ(back, words);
  EXPECT_EQ(vm_write_heap(vm.get(), 56, words.data(), 8), GPUVM_OK);
  EXPECT_EQ(vm_read_heap(vm.get(), 56, back.data(), 8), GPUVM_OK);
  EXPECT_EQ(back, words);
}

TEST_F(CApiTest, ChecksRegionRanges) {
  gpuvm::Vm &vm = boot(kLayout);
  Words words(2);
  EXPECT_EQ(vm.writeGlobals(124, words), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The range of 8 bytes at byte 124 ends past the end of "
                        "region globals (128 bytes).");
  EXPECT_EQ(vm.readControl(UINT64_MAX, words), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The range of 8 bytes at byte 18446744073709551615 "
                        "ends past the end of region control (32 bytes).");
  EXPECT_VM_OK(vm, writeGlobals(128, Words()));
}

TEST_F(CApiTest, StatusIsZeroAfterBootAndTheHostMayWriteIt) {
  gpuvm::Vm &vm = boot(kLayout);
  uint32_t status = 99;
  EXPECT_VM_OK(vm, pollStatus(1, status));
  EXPECT_EQ(status, 0u);
  EXPECT_VM_OK(vm, writeMetrics(16 + 12, Words{3}));
  EXPECT_VM_OK(vm, pollStatus(1, status));
  EXPECT_EQ(status, uint32_t(GPUVM_MESSAGE_NEED_VM));
  EXPECT_VM_OK(vm, pollStatus(0, status));
  EXPECT_EQ(status, 0u) << "each instance has a word of its own";
  EXPECT_EQ(vm.pollStatus(2, status), GPUVM_ERROR_USAGE);
}

TEST_F(CApiTest, ABareVmHasNoProgram) {
  gpuvm::Vm &vm = boot(kLayout);
  EXPECT_EQ(vm.execute(), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The VM has no program (vm_program loads one).");
  gpuvm_stats stats;
  EXPECT_EQ(vm.stats(stats), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.poll(), GPUVM_ERROR_USAGE);
}

/// What vm_stats does to a struct of `bytes` bytes, 0xaa before.
std::vector<uint8_t> statsOfSize(gpuvm::Vm &vm, size_t bytes) {
  std::vector<uint8_t> memory(sizeof(gpuvm_stats) + 64, 0xaa);
  auto *stats = reinterpret_cast<gpuvm_stats *>(memory.data());
  stats->struct_bytes = bytes;
  EXPECT_EQ(vm_stats(vm.get(), stats), GPUVM_OK) << vm.error();
  return memory;
}

TEST_F(CApiTest, StructsOfOtherVersionsKeepTheirSize) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  constexpr size_t kSize = sizeof(gpuvm_stats);
  for (size_t bytes : {kSize - 8, kSize, kSize + 16}) {
    std::vector<uint8_t> memory = statsOfSize(vm, bytes);
    for (size_t i = bytes; i < memory.size(); ++i)
      ASSERT_EQ(memory[i], 0xaa) << "byte " << i << " of " << bytes;
    for (size_t i = kSize; i < bytes; ++i)
      EXPECT_EQ(memory[i], 0) << "what this library does not know is 0";
    gpuvm_stats stats = {};
    std::memcpy(&stats, memory.data(), std::min(bytes, kSize));
    EXPECT_EQ(stats.struct_bytes, bytes);
    EXPECT_EQ(stats.recordings, 1u);
  }
  gpuvm_stats unset = {};
  EXPECT_EQ(vm_stats(vm.get(), &unset), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The field struct_bytes is 0 (set it to the sizeof of "
                        "the struct, 168 in this library).");
}

TEST_F(CApiTest, KeepsATableInHostMemory) {
  constexpr uint32_t kRows = 4u << 20; // 16 MiB, more than the budget.
  ProgramBuilder builder("lookup");
  Window x = builder.allocate(Region::Registers, 16);
  Window y = builder.allocate(Region::Registers, 16);
  Window table = builder.allocate(Region::Heap, kRows * sizeof(uint32_t));
  builder.input("x", DType::I32, {4}, x);
  builder.input("table", DType::I32, {kRows}, table, Residency::Load);
  builder.symbol("table", DType::I32, {kRows}, table);
  builder.output("y", DType::I32, {4}, y);
  builder.dispatch("lookup", TestKernel::Lookup, {x, table, y});
  gpuvm_options small = options();
  small.vram_budget_bytes = 10'000'000;
  gpuvm::Vm &vm = boot(small);
  EXPECT_VM_OK(vm, program(writePlan(builder.finish())));
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.host_bytes, kRows * sizeof(uint32_t));
  Words rows(kRows);
  std::iota(rows.begin(), rows.end(), 7u);
  Words where = {3, 0, kRows - 1, 2}, found(4);
  EXPECT_VM_OK(vm, bindInput("table", rows));
  EXPECT_VM_OK(vm, bindInput("x", where));
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, readOutput("y", found));
  EXPECT_EQ(found, (Words{10, 7, kRows + 6, 9}));
  Words word = {0};
  EXPECT_EQ(vm.waitChange("table", word), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Symbol \"table\" is of region heap, which the host "
                        "cannot watch while an execution is in flight (it can "
                        "watch metrics and control).");
}

TEST_F(CApiTest, KnowsItsVersion) {
  EXPECT_EQ(vm_abi_version(), uint32_t(GPUVM_ABI_VERSION));
  EXPECT_STREQ(vm_version(), "0.1.0");
}

TEST_F(CApiTest, ListsWhatAProgramHas) {
  Plan plan = makeAffineProgram(8);
  plan.parameters = {{"n", "8"}, {"rate", "0.5"}};
  gpuvm::Vm &vm = program(plan);
  for (auto [kind, count] : {std::pair(GPUVM_INPUT, 1u),
                             {GPUVM_OUTPUT, 1u},
                             {GPUVM_SYMBOL, 1u},
                             {GPUVM_STAGE, 1u},
                             {GPUVM_PARAMETER, 2u}}) {
    size_t actual = 0;
    EXPECT_VM_OK(vm, count(kind, actual));
    EXPECT_EQ(actual, count) << kind;
  }
  gpuvm_item item;
  EXPECT_VM_OK(vm, describe(GPUVM_INPUT, 0, item));
  EXPECT_STREQ(item.name, "x");
  EXPECT_STREQ(item.element, "f32");
  ASSERT_EQ(item.rank, 1u);
  EXPECT_EQ(item.shape[0], 8);
  EXPECT_EQ(item.size_bytes, 32u);
  EXPECT_EQ(item.region, GPUVM_REGISTERS);
  EXPECT_STREQ(item.rows, "");
  EXPECT_STREQ(item.value, "");
  EXPECT_VM_OK(vm, describe(GPUVM_PARAMETER, 1, item));
  EXPECT_STREQ(item.name, "rate");
  EXPECT_STREQ(item.value, "0.5");
  EXPECT_VM_OK(vm, describe(GPUVM_SYMBOL, 0, item));
  EXPECT_STREQ(item.name, "parameters");
  EXPECT_EQ(item.region, GPUVM_GLOBALS);
  EXPECT_VM_OK(vm, describe(GPUVM_STAGE, 0, item));
  EXPECT_STRNE(item.name, "");
  EXPECT_EQ(item.region, -1);
  EXPECT_EQ(vm.describe(GPUVM_OUTPUT, 1, item), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "There is no item 1 (the program has 1 of this kind, "
                        "counted from 0).");
  size_t count = 0;
  EXPECT_EQ(vm_count(vm.get(), 9, &count), GPUVM_ERROR_USAGE);
}

/// What a plan has, without a VM.
class PlanHandle {
public:
  explicit PlanHandle(const Plan &plan) {
    std::vector<uint8_t> bytes = writePlan(plan);
    EXPECT_EQ(vm_plan_read(bytes.data(), bytes.size(), &plan_), GPUVM_OK)
        << vm_last_error(nullptr);
  }
  ~PlanHandle() { vm_plan_free(plan_); }
  const gpuvm_plan *get() const { return plan_; }

private:
  gpuvm_plan *plan_ = nullptr;
};

TEST(CApiPlanTest, ListsWhatAPlanHasAsAVmDoes) {
  PlanHandle plan(makeAffineProgram(8));
  for (int kind = GPUVM_INPUT; kind <= GPUVM_PROGRAM; ++kind) {
    size_t count = 0;
    EXPECT_EQ(vm_plan_count(plan.get(), kind, &count), GPUVM_OK);
    EXPECT_EQ(count, 1u) << kind;
  }
  gpuvm_item item = {};
  item.struct_bytes = sizeof item;
  EXPECT_EQ(vm_plan_describe(plan.get(), GPUVM_INPUT, 0, &item), GPUVM_OK);
  EXPECT_STREQ(item.name, "x");
  EXPECT_EQ(item.shape[0], 8);
  EXPECT_EQ(vm_plan_describe(plan.get(), GPUVM_PROGRAM, 0, &item), GPUVM_OK);
  EXPECT_STREQ(item.name, "affine");
  EXPECT_EQ(vm_plan_describe(plan.get(), GPUVM_OUTPUT, 1, &item),
            GPUVM_ERROR_USAGE);
  EXPECT_STREQ(vm_last_error(nullptr),
               "There is no item 1 (the program has 1 of this kind, counted "
               "from 0).");
}

TEST(CApiPlanTest, RefusesWhatIsNoPlan) {
  gpuvm_plan *plan = nullptr;
  size_t count = 0;
  EXPECT_EQ(vm_plan_read("no plan", 7, &plan), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(vm_plan_read(nullptr, 7, &plan), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm_plan_read("", 0, nullptr), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm_plan_read_file("no/such/file", &plan), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm_plan_read_file(nullptr, &plan), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm_plan_count(nullptr, GPUVM_INPUT, &count), GPUVM_ERROR_USAGE);
  EXPECT_STREQ(vm_last_error(nullptr),
               "The argument \"plan\" is a null pointer.");
  vm_plan_free(nullptr);
}

TEST_F(CApiTest, ProfilesExecutions) {
  gpuvm_options timed = options();
  timed.profile = 1;
  gpuvm::Vm &vm = boot(timed);
  const char *json = nullptr;
  EXPECT_EQ(vm.profile("", 2, json), GPUVM_ERROR_USAGE);
  EXPECT_VM_OK(vm, program(writePlan(makeAffineProgram(8))));
  EXPECT_EQ(vm.profile("", 2, json), GPUVM_ERROR_USAGE)
      << "its input is not bound";
  EXPECT_VM_OK(vm, bindInput("x", Floats(8, 1)));
  EXPECT_VM_OK(vm, profile("", 3, json));
  nlohmann::json found = nlohmann::json::parse(json);
  EXPECT_EQ(found["program"], "affine");
  EXPECT_EQ(found["executions"], 3);
  EXPECT_EQ(found["stages"].size(), 1u);
  EXPECT_GT(found["total_us"]["median"], 0.0);
  EXPECT_EQ(vm.profile("", 0, json), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "A profile is of one execution at least, not of 0.");
  EXPECT_EQ(vm.profile("other", 1, json), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm_profile(vm.get(), nullptr, 1, nullptr), GPUVM_ERROR_USAGE);
}

TEST_F(CApiTest, ProfilesOnlyWhatIsTimed) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  const char *json = nullptr;
  EXPECT_VM_OK(vm, bindInput("x", Floats(8, 1)));
  EXPECT_EQ(vm.profile("", 1, json), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The VM does not time commands (set "
                        "gpuvm_options.profile before vm_boot).");
}

TEST_F(CApiTest, KnowsTheSizesOfInputsAndOutputs) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  size_t bytes = 0;
  EXPECT_EQ(vm_input_bytes(vm.get(), "x", &bytes), GPUVM_OK);
  EXPECT_EQ(bytes, 32u);
  bytes = 0;
  EXPECT_EQ(vm_output_bytes(vm.get(), "y", &bytes), GPUVM_OK);
  EXPECT_EQ(bytes, 32u);
  for (auto *ask : {vm_input_bytes, vm_output_bytes}) {
    EXPECT_EQ(ask(vm.get(), "z", &bytes), GPUVM_ERROR_BAD_INPUT);
    EXPECT_NE(vm.error().find("\"z\""), std::string::npos) << vm.error();
    EXPECT_EQ(ask(vm.get(), nullptr, &bytes), GPUVM_ERROR_USAGE);
    EXPECT_EQ(ask(vm.get(), "x", nullptr), GPUVM_ERROR_USAGE);
  }
}

TEST_F(CApiTest, IsUsableFromC) { EXPECT_EQ(timeoutSeenByC(), 60000u); }

TEST_F(CApiTest, KnowsItsDevice) {
  gpuvm::Vm &vm = boot();
  EXPECT_STRNE(vm_device_name(vm.get()), "");
  bool isProcessor = strstr(vm_device_name(vm.get()), "llvmpipe");
  EXPECT_STREQ(vm_device_kind(vm.get()), isProcessor ? "cpu" : "gpu");
}

TEST_F(CApiTest, RefusesNullPointers) {
  gpuvm::Vm &vm = boot(kLayout);
  EXPECT_EQ(vm_write_register(vm.get(), 0, 0, nullptr, 4), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The argument \"data\" is a null pointer.");
  EXPECT_EQ(vm_program_file(vm.get(), nullptr), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The argument \"path\" is a null pointer.");
  EXPECT_EQ(vm_poll_status(vm.get(), 0, nullptr), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm_execute(nullptr, nullptr), GPUVM_ERROR_USAGE);
  EXPECT_STREQ(vm_last_error(nullptr),
               "The argument \"vm\" is a null pointer.");
  EXPECT_EQ(vm_boot(nullptr, nullptr), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm_shutdown(nullptr), GPUVM_OK);
  EXPECT_STREQ(vm_device_name(nullptr), "");
  EXPECT_STREQ(vm_device_kind(nullptr), "");
  EXPECT_EQ(vm_validation_message(nullptr, 0), nullptr);
}

TEST_F(CApiTest, SaysWhyItCannotBoot) {
  gpuvm_options wanted = options();
  wanted.device = "a device nobody has";
  gpuvm_vm *vm = nullptr;
  EXPECT_EQ(vm_boot(&wanted, &vm), GPUVM_ERROR_NO_DEVICE);
  EXPECT_EQ(vm, nullptr);
  EXPECT_EQ(std::string(vm_last_error(nullptr))
                .find("No device matches \"a device nobody has\" (there are: "
                      "0: "),
            0u);
  wanted = options();
  wanted.struct_bytes += 8;
  EXPECT_EQ(vm_boot(&wanted, &vm), GPUVM_ERROR_USAGE);
}

TEST_F(CApiTest, RefusesALayoutLargerThanTheDevice) {
  gpuvm_options large = options();
  large.layout = {UINT32_MAX, UINT64_MAX, 0, 0, 0, 0};
  gpuvm_vm *vm = nullptr;
  EXPECT_EQ(vm_boot(&large, &vm), GPUVM_ERROR_NO_DEVICE);
  EXPECT_EQ(vm, nullptr);
}

TEST_F(CApiTest, ReportsAFileThatIsNotThere) {
  gpuvm::Vm &vm = boot();
  EXPECT_EQ(vm.program(std::string("/nonexistent/x.gvplan")),
            GPUVM_ERROR_BAD_INPUT);
  EXPECT_NE(vm.error().find("/nonexistent/x.gvplan"), std::string::npos)
      << vm.error();
}

TEST_F(CApiTest, BootsAndShutsDownAgainAndAgain) {
  for (int i = 0; i < 40; ++i) {
    gpuvm::Vm vm;
    gpuvm_options full = options();
    full.layout = kLayout;
    EXPECT_EQ(vm.boot(full), GPUVM_OK) << vm.error();
    EXPECT_EQ(vm.shutdown(), GPUVM_OK) << vm_last_error(nullptr);
  }
}

} // namespace
