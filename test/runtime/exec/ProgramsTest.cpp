//===- ProgramsTest.cpp - several programs, files, and what is remembered -===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace vm;
using namespace vm::test;

namespace {

using Floats = std::vector<float>;

/// "set" puts its input p into the global "parameters", {scale, shift}; "get"
/// makes y = scale * x + shift of its inputs x and weights, which are added
/// nowhere but must be given. Both have their x or p in the same bytes.
Plan makeTwoPrograms() {
  ProgramBuilder builder("two");
  Window g = builder.allocate(Region::Globals, 8);
  Window p = builder.allocate(Region::Registers, 32);
  Window y = builder.allocate(Region::Registers, 32);
  Window weights = builder.allocate(Region::Heap, 1024);
  Window first = p;
  first.length = 8;
  builder.input("set.p", DType::F32, {2}, first);
  builder.input("get.x", DType::F32, {8}, p);
  builder.input("weights", DType::F32, {256}, weights, Residency::Load);
  builder.output("get.y", DType::F32, {8}, y);
  builder.symbol("parameters", DType::F32, {2}, g);
  builder.copy(first, g);
  builder.dispatch("get.scale", TestKernel::Affine, {p, g, y});
  Plan plan = builder.finish();
  auto stages = static_cast<uint32_t>(plan.stages.size());
  plan.programs = {{"set", {0}, {}, {0}, 0, 1},
                   {"get", {1, 2}, {0}, {0}, stages, 1}};
  return plan;
}

class ProgramsTest : public VmTest {
protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("gpuvm-programs-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override {
    VmTest::TearDown();
    std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string &name) const {
    return (folder_ / name).string();
  }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string read(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
};

Floats get(gpuvm::Vm &vm) {
  Floats y(8);
  EXPECT_VM_OK(vm, bindInput("x", Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_VM_OK(vm, execute("get"));
  EXPECT_VM_OK(vm, readOutput("get.y", y));
  return y;
}

TEST_F(ProgramsTest, ShareMemory) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  EXPECT_VM_OK(vm, bindInput("weights", Floats(256)));
  EXPECT_EQ(get(vm), Floats(8, 0));
  EXPECT_VM_OK(vm, bindInput("set.p", Floats{3, 1}));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_EQ(get(vm), (Floats{4, 7, 10, 13, 16, 19, 22, 25}));
  EXPECT_VM_OK(vm, executeAsync("set"));
  EXPECT_VM_OK(vm, wait());
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 2u);
  EXPECT_EQ(stats.executions, 4u);
  EXPECT_EQ(stats.submits, 4u);
  EXPECT_EQ(stats.upload_bytes, 8u) << "of the last program";
  EXPECT_EQ(stats.download_bytes, 0u);
}

TEST_F(ProgramsTest, AreCompiledWhenTheyRun) {
  Plan plan = makeTwoPrograms();
  // A third program, with the kernel of the second one.
  plan.commands.push_back(plan.commands.back());
  plan.inputs.push_back(plan.inputs[1]);
  plan.inputs.back().name = "again.z";
  plan.programs.push_back({"again", {2, 3}, {}, {0}, 0, 1});
  gpuvm::Vm &vm = program(plan);
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 0u);
  EXPECT_EQ(stats.compile_us, 0);
  EXPECT_VM_OK(vm, bindInput("weights", Floats(256)));
  EXPECT_VM_OK(vm, bindInput("set.p", Floats{3, 1}));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 1u);

  uint64_t submits = stats.host_submits;
  EXPECT_VM_OK(vm, prepare("get"));
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 2u);
  EXPECT_GT(stats.compile_us, 0);
  EXPECT_EQ(stats.host_submits, submits + isLlvmpipe(vm))
      << "which compiles at a dispatch";
  double compileUs = stats.compile_us;
  EXPECT_EQ(get(vm), (Floats{4, 7, 10, 13, 16, 19, 22, 25}));
  EXPECT_VM_OK(vm, prepare("get"));
  EXPECT_VM_OK(vm, bindInput("z", Floats(8)));
  EXPECT_VM_OK(vm, execute("again"));
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 3u);
  EXPECT_EQ(stats.host_submits, submits + isLlvmpipe(vm))
      << "a kernel of two programs is compiled once";
  EXPECT_LT(stats.compile_us, compileUs + 1000);
  EXPECT_EQ(vm.prepare("other"), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.prepare(), GPUVM_ERROR_USAGE);
}

TEST_F(ProgramsTest, ASingleOneIsCompiledWithThePlan) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  gpuvm_stats before, after;
  EXPECT_VM_OK(vm, stats(before));
  EXPECT_EQ(before.recordings, 1u);
  EXPECT_GT(before.compile_us, 0);
  EXPECT_VM_OK(vm, prepare());
  EXPECT_VM_OK(vm, bindInput("x", Floats(8)));
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, stats(after));
  EXPECT_EQ(after.recordings, 1u);
  EXPECT_EQ(after.compile_us, before.compile_us);
}

TEST_F(ProgramsTest, AreNotPreparedWhileOneRuns) {
  Plan plan = makeSpinProgram();
  plan.programs = {{"spin",
                    {},
                    {},
                    {},
                    uint32_t(plan.stages.size()),
                    uint32_t(plan.commands.size())},
                   {"nothing", {}, {}, {}, 0, 0}};
  for (uint32_t i = 0; i < plan.symbols.size(); ++i)
    plan.programs[0].symbols.push_back(i);
  gpuvm::Vm &vm = program(plan);
  EXPECT_VM_OK(vm, executeAsync("spin"));
  EXPECT_EQ(vm.prepare("nothing"), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Cannot prepare a program while an execution of "
                        "\"spin\" is in flight (wait for it first).");
  EXPECT_VM_OK(vm, prepare("spin")) << "it is prepared";
  EXPECT_VM_OK(vm, writeControl(0, std::vector<uint32_t>{1}));
  EXPECT_VM_OK(vm, wait());
  EXPECT_VM_OK(vm, execute("nothing"));
}

TEST_F(ProgramsTest, AreDescribed) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  size_t count = 0;
  EXPECT_VM_OK(vm, count(GPUVM_PROGRAM, count));
  ASSERT_EQ(count, 2u);
  gpuvm_item item;
  EXPECT_VM_OK(vm, describe(GPUVM_PROGRAM, 1, item));
  EXPECT_STREQ(item.name, "get");
}

TEST_F(ProgramsTest, HaveNames) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  EXPECT_EQ(vm.execute(), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(),
            "The plan has 2 programs (set, get); which one is to run?");
  EXPECT_EQ(vm.execute("sat"), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The plan has no program \"sat\" (it has set, get; did "
                        "you mean \"set\"?).");
  EXPECT_EQ(vm.execute("set"), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Input \"set.p\" is not given.");
  Floats y(8);
  EXPECT_VM_OK(vm, bindInput("p", Floats{3, 1}));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_EQ(vm.readOutput("y", y), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(),
            "Output \"get.y\" has no value before the first execution.");
  EXPECT_EQ(vm.bindInput("set.x", y), GPUVM_ERROR_BAD_INPUT);
}

TEST_F(ProgramsTest, OnlyOneProgramNeedsNoName) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  EXPECT_VM_OK(vm, bindInput("x", Floats(8)));
  EXPECT_VM_OK(vm, execute());
  EXPECT_EQ(vm.execute("other"), GPUVM_ERROR_USAGE);
}

TEST_F(ProgramsTest, TakeInputsFromFiles) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  Floats p = {2, 5}, weights(300);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(i);
  std::string bytes =
      "head" + std::string(reinterpret_cast<char *>(p.data()), 8);
  bytes.append(reinterpret_cast<char *>(weights.data()), 1200);
  std::string file = write("weights", bytes);
  EXPECT_VM_OK(vm, bindFile("set.p", file, 4));
  EXPECT_VM_OK(vm, bindFile("weights", file, 12 + 4 * 44));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_EQ(get(vm), (Floats{7, 9, 11, 13, 15, 17, 19, 21}));
  Floats heap(256);
  EXPECT_EQ(vm_read_heap(vm.get(), 0, heap.data(), 1024), GPUVM_OK);
  EXPECT_EQ(heap, Floats(weights.begin() + 44, weights.end()));

  EXPECT_EQ(vm.bindFile("weights", file, 12 + 4 * 45), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm.error(),
            "Input \"weights\" takes 1024 bytes from byte 192 of the file \"" +
                file + "\" on, which has only 1212.");
  EXPECT_EQ(vm.bindFile("weights", file, UINT64_MAX), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm.bindFile("weights", path("none"), 0), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(get(vm), (Floats{7, 9, 11, 13, 15, 17, 19, 21})) << "still bound";
}

/// A file whose word i is the float i.
std::string countingFile(size_t words) {
  std::string bytes(4 * words, 0);
  for (size_t i = 0; i < words; ++i) {
    auto value = static_cast<float>(i);
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

gpuvm_file_range range(const char *input, uint64_t offset, uint64_t bytes,
                       uint64_t fileOffset) {
  return {sizeof(gpuvm_file_range), input, offset, bytes, fileOffset};
}

TEST_F(ProgramsTest, TakeRangesOfFilesAsPartsOfInputs) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  std::string first = write("first", countingFile(300));
  std::string second = write("second", countingFile(600));
  using Ranges = std::vector<gpuvm_file_range>;
  // The middle of the weights, their end, and an input of another program.
  Ranges ranges = {range("weights", 400, 200, 4 * 7),
                   range("weights", 600, 424, 4 * 100), range("p", 4, 4, 4 * 5),
                   range("set.p", 0, 4, 4 * 2)};
  EXPECT_VM_OK(vm, bindFileRanges(first, ranges));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_VM_OK(vm, bindInput("x", Floats(8)));
  EXPECT_EQ(vm.execute("get"), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Input \"weights\" is given in part only: byte 0 of "
                        "1024 is missing.");
  Ranges start = {range("weights", 0, 300, 0)};
  EXPECT_VM_OK(vm, bindFileRanges(second, start));
  EXPECT_EQ(vm.execute("get"), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Input \"weights\" is given in part only: byte 300 of "
                        "1024 is missing.");
  start = {range("weights", 300, 100, 4 * 500)};
  EXPECT_VM_OK(vm, bindFileRanges(second, start));
  EXPECT_EQ(get(vm), (Floats{7, 9, 11, 13, 15, 17, 19, 21}));
  Floats heap(256), expected(256);
  for (size_t i = 0; i < 256; ++i)
    expected[i] = static_cast<float>(i < 75    ? i
                                     : i < 100 ? i - 75 + 500
                                     : i < 150 ? i - 100 + 7
                                               : i - 150 + 100);
  EXPECT_EQ(vm_read_heap(vm.get(), 0, heap.data(), 1024), GPUVM_OK);
  EXPECT_EQ(heap, expected);

  // What is bound may be given again in part.
  start = {range("weights", 1020, 4, 0)};
  EXPECT_VM_OK(vm, bindFileRanges(first, start));
  EXPECT_EQ(get(vm), (Floats{7, 9, 11, 13, 15, 17, 19, 21}));
  EXPECT_VM_OK(vm, bindFileRanges(first, {}));
}

TEST_F(ProgramsTest, RefuseRangesThatDoNotFit) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  EXPECT_VM_OK(vm, bindInput("weights", Floats(256, 1)));
  std::string file = write("file", countingFile(300));
  auto refuse = [&](const gpuvm_file_range &bad, const std::string &why) {
    std::vector<gpuvm_file_range> ranges = {range("weights", 0, 64, 0), bad};
    EXPECT_EQ(vm.bindFileRanges(file, ranges), GPUVM_ERROR_BAD_INPUT) << why;
    EXPECT_EQ(vm.error(), why);
  };
  refuse(range("none", 0, 4, 0), "The program has no input named \"none\" "
                                 "(known: set.p, get.x, weights).");
  refuse(range("weights", 1000, 28, 0),
         "28 bytes from byte 1000 of input \"weights\" on end past its end "
         "(1024 bytes).");
  refuse(range("weights", UINT64_MAX, 2, 0),
         "2 bytes from byte 18446744073709551615 of input \"weights\" on end "
         "past its end (1024 bytes).");
  refuse(range("weights", 64, 4, 1197),
         "Input \"weights\" takes 4 bytes from byte 1197 of the file \"" +
             file + "\" on, which has only 1200.");
  refuse(range("weights", 60, 8, 0),
         "Byte 60 of input \"weights\" is given twice.");
  std::vector<gpuvm_file_range> ranges = {range("weights", 0, 64, 0)};
  EXPECT_EQ(vm.bindFileRanges(path("none"), ranges), GPUVM_ERROR_BAD_INPUT);
  ranges[0].struct_bytes = 8;
  EXPECT_EQ(vm_bind_file_ranges(vm.get(), file.c_str(), ranges.data(), 1),
            GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The field struct_bytes of range 0 is 8 (set it to the "
                        "sizeof of the struct, 40 in this library).");
  EXPECT_EQ(vm_bind_file_ranges(vm.get(), file.c_str(), nullptr, 1),
            GPUVM_ERROR_USAGE);
  Floats heap(256);
  EXPECT_EQ(vm_read_heap(vm.get(), 0, heap.data(), 1024), GPUVM_OK);
  EXPECT_EQ(heap, Floats(256, 1)) << "nothing was copied";
  EXPECT_VM_OK(vm, bindInput("x", Floats(8)));
  EXPECT_VM_OK(vm, execute("get"));
}

/// Both halves of staging memory are filled more than once, and a range begins
/// in one half and ends in the other.
TEST_F(ProgramsTest, TakeFilesLargerThanStagingMemory) {
  constexpr size_t kWords = 6'000'001;
  ProgramBuilder builder("large");
  Window w = builder.allocate(Region::Heap, 4 * kWords);
  Window r = builder.allocate(Region::Registers, 4);
  builder.input("w", DType::F32, {kWords}, w, Residency::Load);
  builder.output("r", DType::F32, {}, r);
  w.length = 4;
  builder.copy(w, r);
  gpuvm::Vm &vm = program(builder.finish());
  std::string file = write("file", countingFile(kWords));
  std::vector<gpuvm_file_range> ranges;
  constexpr uint64_t kCuts[] = {0, 40, 4'000'000, 4'200'004, 4 * kWords};
  for (size_t i = 0; i + 1 < std::size(kCuts); ++i)
    ranges.push_back(range("w", kCuts[i], kCuts[i + 1] - kCuts[i],
                           4 * kWords - kCuts[i + 1]));
  EXPECT_VM_OK(vm, bindFileRanges(file, ranges));
  EXPECT_VM_OK(vm, execute());
  Floats heap(kWords);
  EXPECT_EQ(vm_read_heap(vm.get(), 0, heap.data(), 4 * kWords), GPUVM_OK);
  size_t wrong = 0;
  for (size_t i = 0, cut = 0; i < kWords; ++i) {
    cut += 4 * i == kCuts[cut + 1];
    uint64_t from = kWords - kCuts[cut + 1] / 4 + (i - kCuts[cut] / 4);
    wrong += heap[i] != static_cast<float>(from);
  }
  EXPECT_EQ(wrong, 0u);
}

TEST_F(ProgramsTest, RememberInAFile) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  EXPECT_VM_OK(vm, bindInput("weights", Floats(256)));
  EXPECT_VM_OK(vm, bindInput("set.p", Floats{2, 5}));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_VM_OK(vm, save(path("state")));
  gpuvm::Vm &other = program(makeTwoPrograms());
  EXPECT_VM_OK(other, bindInput("weights", Floats(256)));
  EXPECT_VM_OK(other, restore(path("state")));
  EXPECT_EQ(get(other), (Floats{7, 9, 11, 13, 15, 17, 19, 21}));
  EXPECT_EQ(vm.save(path("none/new")), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.save("/dev/full"), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Output \"/dev/full\" cannot be written (No space left "
                        "on device).");
}

/// A million symbols of one window would be a file of a million windows.
TEST_F(ProgramsTest, RememberWhatSymbolsShareOnce) {
  Plan plan = makeTwoPrograms();
  constexpr size_t kMany = 1000;
  Symbol other = plan.symbols[0];
  plan.regionBytes[static_cast<unsigned>(Region::Globals)] += 4096;
  for (size_t i = 0; i < kMany; ++i) {
    other.name = "other" + std::to_string(i);
    other.window = {Region::Globals, i % 2 * kWindowAlignment, 2048};
    other.shape = {512};
    plan.symbols.push_back(other);
  }
  plan.symbols[0].window.offset = kWindowAlignment;
  gpuvm::Vm &vm = program(plan);
  Floats value(512), now(512);
  for (size_t i = 0; i < value.size(); ++i)
    value[i] = static_cast<float>(i);
  EXPECT_VM_OK(vm, writeSymbol("other1", value));
  EXPECT_VM_OK(vm, save(path("state")));
  std::string state = read("state");
  size_t lines = 0;
  for (char c : state)
    lines += c == '\n';
  EXPECT_NE(state.find("globals[256] 2xf32 parameters\n"), std::string::npos);
  EXPECT_GE(lines, kMany);
  EXPECT_LT(state.size(), 40 * kMany + 2048 + kWindowAlignment);

  gpuvm::Vm &same = program(plan);
  EXPECT_VM_OK(same, restore(path("state")));
  EXPECT_VM_OK(same, readSymbol("other999", now));
  EXPECT_EQ(now, value);
  EXPECT_VM_OK(same, readSymbol("other0", now));
  EXPECT_EQ(now[kWindowAlignment / sizeof(float)], value[0]);

  plan.symbols[0].window.offset = 0;
  gpuvm::Vm &moved = program(plan);
  EXPECT_EQ(moved.restore(path("state")), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(moved.error(),
            "The state file \"" + path("state") +
                "\" is of other programs: it has \"globals[256] 2xf32 "
                "parameters\" where these have \"globals[0] 2xf32 "
                "parameters\".");
}

TEST_F(ProgramsTest, RememberWithinTheTimeout) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  EXPECT_VM_OK(vm, bindInput("set.p", Floats{2, 5}));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_VM_OK(vm, setTimeout(0));
  EXPECT_EQ(vm.save(path("state")), GPUVM_ERROR_DEVICE_LOST);
  EXPECT_EQ(vm.error(),
            "Saving the state takes longer than the timeout (0 ms).");
  EXPECT_FALSE(std::filesystem::exists(path("state")));
  EXPECT_VM_OK(vm, setTimeout(60'000));
  EXPECT_VM_OK(vm, save(path("state"))) << "the VM goes on";
}

/// Whatever has become of the file: a sentence, and nothing changes.
TEST_F(ProgramsTest, RefuseDamagedStates) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  EXPECT_VM_OK(vm, bindInput("set.p", Floats{2, 5}));
  EXPECT_VM_OK(vm, execute("set"));
  EXPECT_VM_OK(vm, save(path("state")));
  const std::string good = read("state");
  Floats changed = {8, 9}, now(2);
  EXPECT_VM_OK(vm, writeSymbol("parameters", changed));
  auto refuse = [&](const std::string &bytes, const std::string &why) {
    EXPECT_EQ(vm.restore(write("bad", bytes)), GPUVM_ERROR_BAD_INPUT) << why;
    EXPECT_VM_OK(vm, readSymbol("parameters", now));
    EXPECT_EQ(now, changed) << why;
  };
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x41;
    refuse(bad, "byte " + std::to_string(i));
    refuse(good.substr(0, i), "cut at " + std::to_string(i));
  }
  refuse(good + "x", "longer");
  EXPECT_EQ(vm.restore(path("none")), GPUVM_ERROR_BAD_INPUT);
  EXPECT_VM_OK(vm, restore(path("state")));
  EXPECT_VM_OK(vm, readSymbol("parameters", now));
  EXPECT_EQ(now, (Floats{2, 5}));
}

TEST_F(ProgramsTest, RefuseStatesOfOthers) {
  gpuvm::Vm &vm = program(makeTwoPrograms());
  EXPECT_VM_OK(vm, save(path("state")));
  Plan plan = makeTwoPrograms();
  plan.symbols[0].dtype = DType::I32;
  gpuvm::Vm &other = program(plan);
  EXPECT_EQ(other.restore(path("state")), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(other.error(),
            "The state file \"" + path("state") +
                "\" is of other programs: it has \"globals 2xf32 parameters\" "
                "where these have \"globals 2xi32 parameters\".");
}

} // namespace
