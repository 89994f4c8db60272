//===- InputRowsTest.cpp - inputs with as many rows as the host gives -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/InputRows.h"

#include "runtime/exec/Executor.h"
#include "runtime/exec/Stream.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

using namespace vm;
using namespace vm::test;

namespace {

TEST(UploadStepsTest, AreAQuarterApart) {
  for (uint64_t bound : {1u, 7u, 65535u, 65536u, 65537u, 100'000'000u})
    for (uint64_t rowBytes : {1u, 12u, 4096u, 1u << 20}) {
      std::vector<uint64_t> steps = uploadSteps({0, {0}, rowBytes}, bound);
      ASSERT_FALSE(steps.empty());
      EXPECT_EQ(steps.back(), bound);
      EXPECT_LT(steps.size(), 90u);
      for (size_t i = 1; i < steps.size(); ++i) {
        EXPECT_GT(steps[i], steps[i - 1]);
        EXPECT_LE(steps[i],
                  steps[i - 1] + std::max<uint64_t>(steps[i - 1] / 4, 1));
      }
    }
  EXPECT_TRUE(uploadSteps({0, {0}, 0}, 8).empty()) << "copied when bound";
}

TEST(UploadStepsTest, TheFirstThatIsLargeEnoughIsTaken) {
  RowUpload upload;
  for (uint64_t rows : {4u, 5u, 8u})
    upload.steps.push_back({rows});
  EXPECT_EQ(upload.find(0), nullptr);
  for (auto [rows, step] : {std::pair(1, 4), {4, 4}, {5, 5}, {6, 8}, {8, 8}})
    EXPECT_EQ(upload.find(rows)->rows, step);
}

constexpr uint32_t kRows = 40'000;

class InputRowsTest : public DeviceTest {
protected:
  /// makeAffineProgram, whose input has at most as many rows.
  std::unique_ptr<Executor> open() {
    Plan plan = makeAffineProgram(kRows);
    uint64_t offset = plan.regionBytes[unsigned(Region::Control)];
    plan.regionBytes[unsigned(Region::Control)] += 256;
    Symbol rows;
    rows.name = plan.inputs[0].rows = plan.outputs[0].rows = "x.rows";
    rows.dtype = DType::I32;
    rows.window = {Region::Control, offset, 4};
    rows.bound = kRows;
    plan.symbols.push_back(rows);
    std::unique_ptr<Executor> executor = load(std::move(plan));
    if (executor)
      EXPECT_OK(executor->writeRegion(Region::Globals, 0,
                                      asBytes(std::vector<float>{3, 1})));
    return executor;
  }
  /// Runs it, and compares the rows that there are.
  void expectRows(Executor &executor, std::span<const float> x) {
    run(executor);
    Result<std::optional<int64_t>> rows = executor.readRows(0);
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(*rows, int64_t(x.size()));
    std::vector<float> y(kRows);
    EXPECT_OK(executor.readOutput(0, asWritableBytes(y)));
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], 3 * x[i] + 1) << i;
  }
  static std::vector<float> values(size_t count, float first) {
    std::vector<float> x(count);
    for (size_t i = 0; i < count; ++i)
      x[i] = first + float(i % 1000);
    return x;
  }
};

TEST_F(InputRowsTest, EachExecutionHasItsOwn) {
  std::unique_ptr<Executor> executor = open();
  ASSERT_TRUE(executor);
  float first = 0;
  for (auto [rows, copied] : {std::pair(3u, 16384u),
                              {kRows, kRows},
                              {0u, 0u},
                              {16384u, 16384u},
                              {16385u, 20480u},
                              {kRows - 1, kRows},
                              {1u, 16384u}}) {
    std::vector<float> x = values(rows, ++first);
    EXPECT_OK(executor->bindInput(0, asBytes(x)));
    expectRows(*executor, x);
    EXPECT_EQ(executor->uploadBytes(), copied * sizeof(float)) << rows;
  }
  EXPECT_EQ(executor->counters().recordings, 1u);
  EXPECT_EQ(executor->counters().executionSubmits, 7u);
  EXPECT_GT(executor->lastTimes().uploadUs, 0);
}

TEST_F(InputRowsTest, WhatIsNoRowIsRefused) {
  std::unique_ptr<Executor> executor = open();
  ASSERT_TRUE(executor);
  std::vector<uint8_t> bytes(4 * (kRows + 1));
  for (size_t size : {size_t(3), size_t(4 * kRows + 1), bytes.size()}) {
    Status status = executor->bindInput(0, std::span(bytes).first(size));
    EXPECT_EQ(status.code(), Code::BadInput);
    EXPECT_EQ(status.message(),
              "Input \"x\" takes at most 40000 rows of 4 bytes, but the data "
              "given has " +
                  std::to_string(size) + " bytes.");
  }
}

TEST_F(InputRowsTest, AFileIsReadToItsEnd) {
  std::unique_ptr<Executor> executor = open();
  ASSERT_TRUE(executor);
  std::string path = testing::TempDir() + "gpuvm-input-rows";
  std::vector<float> x = values(777, 5);
  std::ofstream(path, std::ios::binary)
      .write("head", 4)
      .write(reinterpret_cast<const char *>(x.data()),
             std::streamsize(x.size() * sizeof(float)));
  EXPECT_OK(executor->bindFile(0, path, 4));
  expectRows(*executor, x);
  EXPECT_EQ(executor->bindFile(0, path, 5).code(), Code::BadInput);
  EXPECT_OK(executor->bindFile(0, path, 4 + 777 * 4));
  expectRows(*executor, {});
  EXPECT_EQ(executor->bindFile(0, path, 1 << 20).code(), Code::BadInput);
  expectRows(*executor, {});
  // Ranges give all rows that there may be.
  FilePart part = {0, 0, 777 * 4, 4};
  EXPECT_OK(executor->bindParts(path, {&part, 1}));
  EXPECT_EQ(executor->submit().code(), Code::Usage);
  std::filesystem::resize_file(path, 4 + kRows * 4);
  part = {0, 777 * 4, (kRows - 777) * 4, 4 + 777 * 4};
  EXPECT_OK(executor->bindParts(path, {&part, 1}));
  x.resize(kRows, 0);
  expectRows(*executor, x);
  std::filesystem::remove(path);
}

TEST_F(InputRowsTest, ChunksOfAStreamHaveTheirs) {
  std::unique_ptr<Executor> executor = open();
  ASSERT_TRUE(executor);
  std::vector<size_t> given = {kRows, 5, 20'000, 0};
  std::vector<std::vector<float>> results;
  StreamInput x;
  x.refill = [&](uint64_t chunk, std::span<uint8_t> bytes) -> Result<Refill> {
    std::vector<float> data = values(given[chunk], float(chunk));
    std::ranges::copy(asBytes(data), bytes.begin());
    return Refill{given[chunk]};
  };
  StreamOutput y;
  y.drain = [&](uint64_t, std::span<const uint8_t> bytes) {
    std::vector<float> &result = results.emplace_back(bytes.size() / 4);
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return Status();
  };
  Result<StreamTotals> totals = runStream(*executor, {x}, {y}, {});
  ASSERT_TRUE(totals.ok());
  ASSERT_EQ(results.size(), 3u);
  for (size_t chunk = 0; chunk < results.size(); ++chunk) {
    std::vector<float> data = values(given[chunk], float(chunk));
    ASSERT_EQ(results[chunk].size(), data.size());
    for (size_t i = 0; i < data.size(); ++i)
      ASSERT_EQ(results[chunk][i], 3 * data[i] + 1);
  }
}

TEST_F(InputRowsTest, InputsOfAGroupHaveAsMany) {
  Plan plan = makeAffineProgram(8);
  plan.inputs.push_back(plan.inputs[0]);
  plan.inputs[1].name = "z";
  Program program;
  program.inputs = {0, 1};
  std::vector<RowGroup> groups = rowGroupsOf(plan, program, {4, 4});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].rowBytes, 8u);
  std::vector<uint64_t> rows = {5, 5};
  EXPECT_EQ(*rowsOfGroup(groups[0], plan, program, rows), 5u);
  rows[1] = 3;
  EXPECT_EQ(rowsOfGroup(groups[0], plan, program, rows).status().message(),
            "Input \"z\" has 3 rows, and input \"x\", which has the same ones, "
            "has 5.");
}

} // namespace
