//===- PlanToolTest.cpp - what gpuvm-plan prints and how it exits ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program itself on the sample plan.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Printable.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/plan/TestKernels.h"
#include "test/runtime/plan/TestPlans.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace vm;

namespace {

/// Whether `text` contains `part`; prints both if not.
testing::AssertionResult contains(const std::string &text,
                                  const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}

struct Output {
  int exitCode = -1;
  std::string out;
  std::string err;
};

class PlanTool : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             ("gpuvm-plan-tool-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    plan = folder / "sample.gvplan";
    ASSERT_EQ(savePlan(plan, test::makeSamplePlan()).message(), "");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Output run(const std::string &arguments) {
    std::string errors = folder / "errors";
    std::string command =
        std::string(GPUVM_PLAN_TOOL) + " " + arguments + " 2>" + errors;
    FILE *pipe = popen(command.c_str(), "r");
    Output output;
    if (!pipe)
      return output;
    char block[4096];
    while (size_t count = std::fread(block, 1, sizeof(block), pipe))
      output.out.append(block, count);
    int status = pclose(pipe);
    output.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream file(errors);
    output.err.assign(std::istreambuf_iterator<char>(file), {});
    return output;
  }

  std::filesystem::path folder;
  std::string plan;
};

TEST_F(PlanTool, ShowExplainsBarriers) {
  Output output = run("show " + plan);
  EXPECT_EQ(output.exitCode, 0) << output.err;
  EXPECT_EQ(output.err, "");
  EXPECT_EQ(output.out.find("program sample (2 instances)\n"), 0u);
  EXPECT_TRUE(contains(output.out,
                       "  x                    8x8xi32          "
                       "registers[0..256), copied in every execution\n"));
  EXPECT_TRUE(contains(output.out,
                       "   2 barrier\n"
                       "     WAW: command 0 (stage \"first\") writes "
                       "metrics[0..256), command 3 (stage \"first\") writes "
                       "it\n"
                       "     RAW: command 1 (stage \"first\") writes "
                       "registers[256..512), command 3 (stage \"first\") "
                       "reads it\n"));
}

TEST_F(PlanTool, ShowAsJsonIsTheManifest) {
  Output output = run("show --format=json " + plan);
  EXPECT_EQ(output.exitCode, 0) << output.err;
  EXPECT_EQ(output.out, manifestToJson(test::makeSamplePlan(), 2) + "\n");
  auto json = nlohmann::json::parse(output.out);
  for (const char *key : {"program", "inputs", "outputs", "stages", "kernels",
                          "regions", "commands"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["commands"][4]["op"], "dispatch_indirect");
  EXPECT_EQ(json["inputs"][0]["shape"], (std::vector<int>{8, 8}));
}

TEST_F(PlanTool, VerifySaysWhetherAPlanIsValid) {
  EXPECT_EQ(run("verify " + plan).out,
            "\"" + plan + "\" is a valid plan (2 kernels, 7 commands).\n");
  EXPECT_EQ(run("verify --format=json " + plan).out, "{\"valid\":true}\n");

  std::filesystem::resize_file(plan, 1000);
  const std::string message =
      "The header states 5120 bytes and the file has 1000 - while loading \"" +
      plan + "\".";
  Output output = run("verify " + plan);
  EXPECT_EQ(output.exitCode, 3);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(output.err, "gpuvm-plan: error: " + message + "\n");
  auto json = nlohmann::json::parse(run("verify --format=json " + plan).out);
  EXPECT_EQ(json["valid"], false);
  EXPECT_EQ(json["error"], message);
}

TEST_F(PlanTool, EndsWithItsTimeout) {
  Plan large = test::makeSamplePlan();
  large.commands.resize(100'000, {Barrier()});
  std::ofstream(plan, std::ios::binary) << [&] {
    std::vector<uint8_t> bytes = writePlan(large);
    return std::string(bytes.begin(), bytes.end());
  }();
  for (const char *command : {"show", "verify", "verify --format=json",
                              "disassemble", "dot", "module"}) {
    Output output = run(std::string(command) + " --timeout=0.001 " + plan);
    EXPECT_EQ(output.exitCode, 5) << command;
    EXPECT_EQ(output.out, "");
    EXPECT_TRUE(contains(output.err, "takes longer than the timeout (1 ms) - "
                                     "while loading \""));
  }
  EXPECT_EQ(run("verify --timeout=0 " + plan).exitCode, 2);
  EXPECT_EQ(run("verify --timeout=300 " + plan).exitCode, 0);
}

TEST_F(PlanTool, DisassembleShowsBothLanguages) {
  Output output = run("disassemble --kernel=scale " + plan);
  EXPECT_EQ(output.exitCode, 0) << output.err;
  EXPECT_TRUE(contains(output.out, "OpExecutionMode %1 LocalSize 64 1 1"));
  EXPECT_TRUE(contains(output.out, "#version 460"));
  EXPECT_FALSE(contains(output.out, "kernel sum"));
  auto json =
      nlohmann::json::parse(run("disassemble --format=json " + plan).out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1]["name"], "sum");

  output = run("disassemble --kernel=none " + plan);
  EXPECT_EQ(output.exitCode, 2);
  EXPECT_EQ(output.err,
            "gpuvm-plan: error: The plan has no kernel \"none\" (it "
            "has 2 kernels).\n");
}

/// A terminal would obey what a stranger's module says.
TEST_F(PlanTool, NothingOfAModuleReachesATerminalAsItIs) {
  test::TestKernel kernel = test::copyKernel();
  kernel.modes =
      "%s = OpString \"a\x1b]0;b\x07 \xc2\x9b[2J \xe2\x80\xae\xff\"\n"
      "OpSource GLSL 450 %s \"c\x1b[2J\"\n"
      "OpName %main \"d\x1b[2J\"\n";
  Plan unsafe = test::makeSamplePlan();
  unsafe.kernels[0].spirv = test::makeKernel("scale", kernel).spirv;
  ASSERT_EQ(savePlan(plan, unsafe).message(), "");
  for (const char *format : {"text", "json"}) {
    Output output =
        run(std::string("disassemble --format=") + format + " " + plan);
    EXPECT_EQ(output.exitCode, 0) << output.err;
    EXPECT_TRUE(contains(output.out, "a?]0;b? ??[2J ????"));
    EXPECT_TRUE(contains(output.out, "d?[2J"));
    for (char line : {'\n', '\t'})
      std::erase(output.out, line);
    EXPECT_TRUE(isPrintable(output.out)) << output.out;
  }
}

TEST_F(PlanTool, DotHasAnEdgeForEachDependence) {
  Output output = run("dot " + plan);
  EXPECT_EQ(output.exitCode, 0) << output.err;
  EXPECT_EQ(output.out.find("digraph \"sample\" {\n"), 0u);
  EXPECT_TRUE(contains(output.out,
                       "  c4 -> c6 [label=\"RAW registers[512..768)\"];\n"));
  EXPECT_FALSE(contains(output.out, "c4 -> c3"));
}

TEST_F(PlanTool, UsageErrorsExitWithTwo) {
  EXPECT_EQ(run("").exitCode, 2);
  EXPECT_EQ(run("show").exitCode, 2);
  EXPECT_EQ(run("show --format=yaml " + plan).exitCode, 2);
  EXPECT_EQ(run("eat " + plan).exitCode, 2);
}

TEST_F(PlanTool, HelpBeginsWithAnExample) {
  Output output = run("--help");
  EXPECT_EQ(output.exitCode, 0);
  EXPECT_LT(output.out.find("Example:"), output.out.find("Usage:"));
  EXPECT_EQ(run("--version").out.find("gpuvm-plan "), 0u);
}

TEST_F(PlanTool, AMissingFileExitsWithThree) {
  Output output = run("show " + (folder / "none.gvplan").string());
  EXPECT_EQ(output.exitCode, 3);
  EXPECT_EQ(output.out, "");
}

TEST_F(PlanTool, ModulePrintsWhatThePlanCarries) {
  Output output = run("module " + plan);
  EXPECT_EQ(output.exitCode, 3);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(output.err, "gpuvm-plan: error: The plan \"" + plan +
                            "\" carries no module (gpuvm-compile "
                            "--keep-module).\n");
  EXPECT_FALSE(contains(run("show " + plan).out, "\nmodule\n"));

  Plan sample = test::makeSamplePlan();
  sample.module = "module {\n}\n";
  ASSERT_EQ(savePlan(plan, sample).message(), "");
  EXPECT_EQ(run("module " + plan).out, "module {\n}\n");
  EXPECT_TRUE(contains(run("show " + plan).out, "\nmodule\n  11 bytes\n"));
}

TEST_F(PlanTool, AFullDiskIsAnError) {
  Output output = run("show " + plan + " >/dev/full");
  EXPECT_EQ(output.exitCode, 2);
  EXPECT_EQ(output.err,
            "gpuvm-plan: error: Standard output cannot be written.\n");
}

} // namespace
