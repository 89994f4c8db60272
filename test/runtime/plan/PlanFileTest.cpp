//===- PlanFileTest.cpp - round trips of plans ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"

#include "runtime/plan/BarrierReasons.h"
#include "runtime/plan/Container.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/PlanVerifier.h"
#include "runtime/plan/PlanVersion.h"
#include "test/runtime/plan/TestPlans.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace vm;

namespace {

/// The manifest holds every field but the words, bytes and module, so two plans
/// with equal text, SPIR-V, data and module are equal.
void expectEqual(const Plan &a, const Plan &b) {
  EXPECT_EQ(manifestToJson(a), manifestToJson(b));
  ASSERT_EQ(a.kernels.size(), b.kernels.size());
  for (size_t i = 0; i < a.kernels.size(); ++i)
    EXPECT_EQ(a.kernels[i].spirv, b.kernels[i].spirv);
  ASSERT_EQ(a.initialData.size(), b.initialData.size());
  for (size_t i = 0; i < a.initialData.size(); ++i)
    EXPECT_EQ(a.initialData[i].bytes, b.initialData[i].bytes);
  EXPECT_EQ(a.module, b.module);
}

class TemporaryFolder : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             ("gpuvm-plan-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const char *name) const { return folder / name; }

  std::filesystem::path folder;
};

using PlanFile = TemporaryFolder;

TEST(PlanFormat, RoundTripKeepsEveryField) {
  Plan plan = test::makeSamplePlan();
  Result<Plan> read = readPlan(writePlan(plan));
  ASSERT_TRUE(read.ok()) << read.status().message();
  expectEqual(plan, *read);
  // Fields that the comparison above would miss if both sides dropped them.
  EXPECT_EQ(read->program, "sample");
  EXPECT_EQ(read->regionBytes, plan.regionBytes);
  EXPECT_EQ(read->instances, 2u);
  EXPECT_EQ(read->inputs[1].residency, Residency::Load);
  EXPECT_EQ(read->inputs[0].shape, (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(read->registers[1].reg, 31u);
  EXPECT_EQ(read->stages[1].location, "sample.mlir:9:5");
  EXPECT_EQ(read->kernels[1].features,
            (std::vector<Feature>{Feature::Int8, Feature::Int64}));
  EXPECT_EQ(std::get<Fill>(read->commands[0].op).value, 7u);
  EXPECT_EQ(std::get<Dispatch>(read->commands[1].op).groups,
            (std::array<uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(std::get<Barrier>(read->commands[2].op).reasons.size(), 2u);
  EXPECT_EQ(std::get<DispatchIndirect>(read->commands[4].op).controlOffset,
            16u);
  EXPECT_EQ(std::get<Copy>(read->commands[6].op).destination,
            (Window{Region::Globals, 0, 256}));
}

TEST(PlanFormat, RepeatsRoundTrip) {
  Plan plan = test::makeSamplePlan();
  plan.commands.insert(plan.commands.begin() + 5, {Repeat{2, 500}});
  std::get<Barrier>(plan.commands[6].op).reasons.clear();
  Result<Plan> read = readPlan(writePlan(plan));
  ASSERT_TRUE(read.ok()) << read.status().message();
  expectEqual(plan, *read);
  auto &repeat = std::get<Repeat>(read->commands[5].op);
  EXPECT_EQ(repeat.commands, 2u);
  EXPECT_EQ(repeat.times, 500u);
  EXPECT_TRUE(repeat.rotations.empty());
}

TEST(PlanFormat, ModulesRoundTrip) {
  Plan plan = test::makeSamplePlan();
  plan.module = "module {\n\t// \xE2\x82\xAC\n}\n";
  Result<Plan> read = readPlan(writePlan(plan));
  ASSERT_TRUE(read.ok()) << read.status().message();
  expectEqual(plan, *read);
  EXPECT_EQ(read->module, "module {\n\t// \xE2\x82\xAC\n}\n");
}

TEST(PlanFormat, EmptyPlanRoundTrips) {
  Plan plan = test::makeEmptyPlan();
  Result<Plan> read = readPlan(writePlan(plan));
  ASSERT_TRUE(read.ok()) << read.status().message();
  expectEqual(plan, *read);
}

TEST(PlanFormat, EqualPlansGiveEqualBytes) {
  std::vector<uint8_t> bytes = writePlan(test::makeSamplePlan());
  EXPECT_EQ(bytes, writePlan(test::makeSamplePlan()));
  Result<Plan> read = readPlan(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(bytes, writePlan(*read));
}

TEST(PlanFormat, UntrueReasonsOfOlderPlansAreDropped) {
  Plan plan = test::makeSamplePlan();
  auto &reasons = std::get<Barrier>(plan.commands[2].op).reasons;
  ASSERT_EQ(reasons.size(), 2u);
  reasons[1].first = 0; // Accesses other bytes.
  ASSERT_TRUE(verifyPlan(plan).ok());
  ASSERT_FALSE(checkReasons(plan).ok());
  ASSERT_FALSE(dropUntrueReasons(plan, Deadline(0)).ok());

  ASSERT_TRUE(dropUntrueReasons(plan).ok());
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].second,
            std::get<Barrier>(test::makeSamplePlan().commands[2].op)
                .reasons[0]
                .second);
  EXPECT_TRUE(checkPlan(plan).ok());
  EXPECT_TRUE(readPlan(writePlan(plan)).ok());
}

TEST(PlanFormat, PayloadsAreAligned) {
  std::vector<uint8_t> bytes = writePlan(test::makeSamplePlan());
  EXPECT_EQ(bytes.size() % 256, 0u);
  // The first payload is the manifest, right after header and table.
  ASSERT_GT(bytes.size(), 256u);
  EXPECT_EQ(bytes[256], '{');
}

TEST(PlanFormat, NamesRoundTrip) {
  for (unsigned i = 0; i < kNumRegions; ++i)
    EXPECT_EQ(fromString<Region>(toString(Region(i))), Region(i));
  for (unsigned i = 0; i <= unsigned(DType::BF16); ++i)
    EXPECT_EQ(fromString<DType>(toString(DType(i))), DType(i));
  for (unsigned i = 0; i < kNumFeatures; ++i)
    EXPECT_EQ(fromString<Feature>(toString(Feature(i))), Feature(i));
  for (unsigned i = 0; i <= unsigned(HazardKind::WriteAfterWrite); ++i)
    EXPECT_EQ(fromString<HazardKind>(toString(HazardKind(i))), HazardKind(i));
  EXPECT_EQ(fromString<Residency>("load"), Residency::Load);
  EXPECT_EQ(fromString<DType>("i4"), std::nullopt);
  EXPECT_EQ(fromString<Region>(""), std::nullopt);
}

TEST(PlanFormat, SizesOfElements) {
  EXPECT_EQ(byteSize(DType::I1), 1u);
  EXPECT_EQ(byteSize(DType::F16), 2u);
  EXPECT_EQ(byteSize(DType::I64), 8u);
  EXPECT_EQ(tensorByteSize(DType::F32, {3, 5}), 60u);
  EXPECT_EQ(tensorByteSize(DType::F32, {}), 4u);
  EXPECT_EQ(tensorByteSize(DType::I8, {-1}), std::nullopt);
  EXPECT_EQ(tensorByteSize(DType::I64, {INT64_MAX, 2}), std::nullopt);
}

TEST_F(PlanFile, APipeIsWrittenTo) {
  std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(savePlan(pipe, test::makeSamplePlan()).message(), "");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  char magic[8] = {};
  EXPECT_EQ(read(reader, magic, sizeof(magic)), 8);
  close(reader);
}

TEST_F(PlanFile, SaveThenLoad) {
  Plan plan = test::makeSamplePlan();
  ASSERT_TRUE(savePlan(path("a.gvplan"), plan).ok());
  Result<Plan> read = loadPlan(path("a.gvplan"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  expectEqual(plan, *read);
  // The temporary is gone.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(PlanFile, WritersAgreeAndFilesHaveAnIdentity) {
  Plan plan = test::makeSamplePlan();
  Result<std::vector<uint8_t>> bytes = encodePlan(plan);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_EQ(*bytes, *encodePlanOfCheckedKernels(plan));
  ASSERT_TRUE(savePlanOfCheckedKernels(path("a.gvplan"), plan).ok());
  EXPECT_EQ(*readPlanIdentity(path("a.gvplan")), planIdentity(*bytes));
  plan.program = "another";
  ASSERT_TRUE(savePlan(path("b.gvplan"), plan).ok());
  EXPECT_NE(*readPlanIdentity(path("b.gvplan")), planIdentity(*bytes));
  std::ofstream(path("c.gvplan")) << "hello";
  EXPECT_EQ(readPlanIdentity(path("c.gvplan")).status().code(), Code::BadInput);
  EXPECT_EQ(readPlanIdentity(path("none")).status().code(), Code::BadInput);
  plan.program = "";
  EXPECT_EQ(encodePlan(plan).status().code(), Code::BadInput);
  EXPECT_EQ(encodePlanOfCheckedKernels(plan).status().code(), Code::BadInput);
}

TEST_F(PlanFile, MissingFileIsNamed) {
  std::string name = path("none.gvplan");
  Result<Plan> read = loadPlan(name);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().code(), Code::BadInput);
  EXPECT_EQ(read.status().message(),
            "The file cannot be opened (No such file or directory) - while "
            "loading \"" +
                name + "\".");
}

TEST(PlanFormat, ChecksEndAtTheDeadline) {
  Result<Plan> read = readPlan(writePlan(test::makeSamplePlan()), Deadline(0));
  EXPECT_EQ(read.status().code(), Code::DeviceLost);
  EXPECT_EQ(read.status().message(),
            "Reading the plan takes longer than the timeout (0 ms).");
  EXPECT_EQ(checkPlan(test::makeSamplePlan(), Deadline(0)).message(),
            "Checking the plan takes longer than the timeout (0 ms).");
}

TEST(PlanFormat, ObjectsOfManyFieldsAreNotKept) {
  std::string manifest = "{";
  for (int i = 0; i < 65; ++i)
    manifest += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(manifestFromJson(manifest, kPlanFormatMinor, manifest.size())
                .status()
                .message(),
            "Manifest object \"manifest\" has more than 64 fields.");
}

TEST_F(PlanFile, OnlyRegularFilesAreRead) {
  // Neither has an end: a pipe that nothing writes to, and zeros.
  std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &name : {pipe, std::string("/dev/zero")})
    EXPECT_EQ(loadPlan(name).status().message(),
              "The path names no regular file - while loading \"" + name +
                  "\".");
}

TEST_F(PlanFile, WhatIsNoPlanIsNotReadToItsEnd) {
  // Sparse; more than fits in memory.
  std::string name = path("sparse");
  std::ofstream(name) << "no plan";
  std::filesystem::resize_file(name, limits::kMaxFileBytes);
  EXPECT_EQ(loadPlan(name).status().message(),
            "The file does not begin with the magic bytes of a plan - while "
            "loading \"" +
                name + "\".");
  std::filesystem::resize_file(name, limits::kMaxFileBytes + 1);
  EXPECT_EQ(loadPlan(name).status().message(),
            "The file has 68719476737 bytes (at most 68719476736 are allowed) "
            "- while loading \"" +
                name + "\".");
}

TEST_F(PlanFile, BadFileIsNamedInTheContext) {
  std::string name = path("bad.gvplan");
  std::ofstream(name) << "hello";
  Result<Plan> read = loadPlan(name);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message(),
            "The file does not begin with the magic bytes of a plan - while "
            "loading \"" +
                name + "\".");
}

TEST_F(PlanFile, AnInvalidPlanIsNotSaved) {
  Plan plan = test::makeSamplePlan();
  plan.program = "";
  Status saved = savePlan(path("a.gvplan"), plan);
  EXPECT_EQ(saved.message(), "The name of the program is empty - while saving "
                             "\"" +
                                 path("a.gvplan") + "\".");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(PlanFile, FailedSaveLeavesNothing) {
  std::string name = path("no/such/folder.gvplan");
  Status saved = savePlan(name, test::makeSamplePlan());
  EXPECT_EQ(saved.message(), "Output \"" + name +
                                 "\" cannot be created (No such file or "
                                 "directory).");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

} // namespace
