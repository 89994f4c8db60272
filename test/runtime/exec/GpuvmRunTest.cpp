//===- GpuvmRunTest.cpp - gpuvm-run from the outside ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the tool on plans written by hand and looks at what users see:
// standard output, standard error, files and the exit code. Validation is on
// throughout.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/HostTensor.h"
#include "runtime/plan/PlanFile.h"

#include "test/runtime/exec/TestPrograms.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

using namespace vm;
using namespace vm::test;

namespace fs = std::filesystem;

namespace {

struct Outcome {
  int exitCode = -1;
  std::string out, err;
};

class GpuvmRunTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("gpuvm-run-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string &name) const { return folder_ / name; }

  std::string save(const Plan &plan) {
    std::string file = path(plan.program + ".gvplan");
    Status status = savePlan(file, plan);
    EXPECT_TRUE(status.ok()) << status.message();
    return file;
  }

  static std::string read(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// Runs `gpuvm-run <arguments>`; arguments are shell words.
  Outcome run(const std::string &arguments,
              const std::string &environment = "GPUVM_VALIDATE=1") {
    std::string command = environment + " XDG_CACHE_HOME=" + path("cache") +
                          " " GPUVM_RUN " " + arguments + " >" + path("out") +
                          " 2>" + path("err");
    int status = std::system(command.c_str());
    Outcome outcome;
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.out = read(path("out"));
    outcome.err = read(path("err"));
    return outcome;
  }

  /// What the tool must say and exit with, and that it says nothing else.
  void expectError(const std::string &arguments, int exitCode,
                   const std::string &sentence) {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exitCode, exitCode) << arguments;
    EXPECT_EQ(outcome.err, "gpuvm-run: error: " + sentence + "\n");
    EXPECT_EQ(outcome.out, "");
  }

  fs::path folder_;
};

/// CPU time of the processes that have ended.
double childrenSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval &time) {
    return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// 3 * x on 8 elements: the parameters come in as an input, for the tool has no
/// way to write Globals.
Plan makeScaleProgram() {
  Plan plan = makeAffineProgram(8);
  Input parameters;
  static_cast<Slot &>(parameters) = plan.symbols[0];
  parameters.residency = Residency::Load;
  plan.inputs.push_back(parameters);
  return plan;
}

const std::string kInputs =
    " --input=x=8xf32=1,2,3,4,5,6,7,8 --input=parameters=2xf32=3,0";

TEST_F(GpuvmRunTest, PrintsEveryOutput) {
  Outcome outcome = run(save(makeScaleProgram()) + kInputs);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "y: 8xf32=3 6 9 12 15 18 21 24\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(GpuvmRunTest, PrintsAndWritesWhatIsAskedFor) {
  std::string plan = save(makeScaleProgram());
  Outcome outcome =
      run(plan + kInputs + " --output=parameters --output=y=@" + path("y.npy") +
          " --output=y" + " --output_max_element_count=2");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "parameters: 2xf32=3 0\ny: 8xf32=3 6...\n");
  Result<HostTensor> y = readNpy(path("y.npy"));
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(formatTensor(*y, 8), "8xf32=3 6 9 12 15 18 21 24");

  outcome = run(plan + " --input=x=@" + path("y.npy") +
                " --input=parameters=2xf32=1,1");
  EXPECT_EQ(outcome.out, "y: 8xf32=4 7 10 13 16 19 22 25\n");
  EXPECT_EQ(run(plan + kInputs + " --output=").out, "");
  EXPECT_EQ(run(plan + kInputs + " --quiet").out, "");
}

TEST_F(GpuvmRunTest, ComparesWithExpectedOutputs) {
  std::string plan = save(makeScaleProgram()) + kInputs;
  Outcome outcome =
      run(plan + " --expected_output=y=8xf32=3,6,9,12,15,18,21,24");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "[SUCCESS] all outputs match their expected values\n");

  std::string wrong = " --expected_output=y=8xf32=3,6,9,12,15,18,21,25";
  outcome = run(plan + wrong + " --output=y=@" + path("y.npy"));
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.out, "[FAILED] y: element at index 7 (24) does not match "
                         "the expected (25)\n");
  EXPECT_FALSE(fs::exists(path("y.npy")));
  EXPECT_EQ(run(plan + wrong + " --expected_f32_threshold=0.1").exitCode, 0);
  EXPECT_EQ(run(plan + " --expected_output=y=7xf32=0").exitCode, 1);
}

TEST_F(GpuvmRunTest, ReportsStatistics) {
  Outcome outcome = run(save(makePipelineProgram()) +
                        " --output= --warmup=2 --iterations=5 --copy-speed "
                        "--stats=json");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  nlohmann::json stats = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(stats["submits"], 1);
  EXPECT_EQ(stats["dispatches"], 2);
  EXPECT_EQ(stats["barriers"], 2);
  EXPECT_EQ(stats["kernels"], 1);
  EXPECT_EQ(stats["stages"], 2);
  EXPECT_EQ(stats["robust"], true);
  EXPECT_EQ(stats["upload_bytes"], 0);
  EXPECT_EQ(stats["download_bytes"], 32);
  EXPECT_EQ(stats["iterations"], 5);
  EXPECT_NE(stats["device"], "");
  EXPECT_GT(stats["copy_gbps"], 0.05);
  for (const char *key : {"wall_us", "submit_us", "device_us"}) {
    EXPECT_GT(stats[key]["median"], 0) << key;
    EXPECT_LE(stats[key]["p10"], stats[key]["median"]) << key;
    EXPECT_LE(stats[key]["median"], stats[key]["p90"]) << key;
  }
  outcome = run(save(makePipelineProgram()) + " --output= --stats=text");
  EXPECT_NE(outcome.out.find("\nsubmits         1\n"), std::string::npos)
      << outcome.out;
}

TEST_F(GpuvmRunTest, ProfilesCommands) {
  std::string plan = save(makePipelineProgram());
  Outcome outcome =
      run(plan + " --output= --warmup=1 --iterations=4 --profile=json");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  nlohmann::json profile = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(profile["program"], "pipeline");
  EXPECT_EQ(profile["executions"], 4);
  ASSERT_EQ(profile["commands"].size(), 5u);
  EXPECT_GT(profile["commands"][0]["total_us"]["median"], 0);
  EXPECT_EQ(profile["stages"][0]["name"], "double");
  EXPECT_GT(profile["stages"][0]["alone_us"]["median"], 0);
  double share = 0;
  for (const nlohmann::json &kernel : profile["kernels"])
    share += kernel["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-3);

  outcome = run(plan + " --output= --profile=table");
  EXPECT_EQ(outcome.out.find("profile of pipeline on "), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find("\naffine "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n(barrier) "), std::string::npos);
  EXPECT_EQ(run(plan + " --profile=xml").exitCode, 2);
}

/// The spans of one process of a trace as (begin, end), checked to lie one
/// inside another or apart.
std::vector<nlohmann::json> nestedSpans(const nlohmann::json &trace, int pid) {
  std::vector<nlohmann::json> spans;
  for (const nlohmann::json &event : trace["traceEvents"])
    if (event["ph"] == "X" && event["pid"] == pid)
      spans.push_back(event);
  constexpr double kRounding = 1e-6;
  for (size_t i = 0; i < spans.size(); ++i)
    for (size_t k = i + 1; k < spans.size(); ++k) {
      double begin = spans[i]["ts"],
             end = begin + spans[i]["dur"].get<double>();
      double from = spans[k]["ts"], to = from + spans[k]["dur"].get<double>();
      bool apart = end <= from + kRounding || to <= begin + kRounding;
      bool inside = begin <= from + kRounding && to <= end + kRounding;
      bool around = from <= begin + kRounding && end <= to + kRounding;
      EXPECT_TRUE(apart || inside || around) << spans[i] << spans[k];
    }
  return spans;
}

TEST_F(GpuvmRunTest, WritesATrace) {
  Plan plan = makePipelineProgram();
  std::get<Barrier>(plan.commands[1].op).reasons = {
      {HazardKind::ReadAfterWrite, 0, 2, {Region::Registers, 256, 32}}};
  Outcome outcome = run(save(plan) + " --output= --warmup=1 --iterations=3 " +
                        "--trace=" + path("trace.json"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  nlohmann::json trace = nlohmann::json::parse(read(path("trace.json")));
  std::vector<nlohmann::json> host = nestedSpans(trace, 1);
  std::vector<nlohmann::json> device = nestedSpans(trace, 2);
  for (const char *name :
       {"load plan", "boot", "open device", "compile pipelines", "record",
        "warm up", "submit", "wait", "read outputs", "close device",
        "deliver outputs"})
    EXPECT_TRUE(std::any_of(host.begin(), host.end(), [&](const auto &event) {
      return event["name"] == name;
    })) << name;
  ASSERT_EQ(device.size(), 3u * (1 + 1 + 5 + 1));
  EXPECT_EQ(device[3]["name"], "(barrier)");
  EXPECT_EQ(device[3]["args"]["reasons"][0]["kind"], "RAW");
  EXPECT_EQ(device[3]["args"]["reasons"][0]["first_stage"], "double");

  // The device works between the submit and the end of the wait.
  double slack = trace["otherData"]["clock_uncertainty_ns"].get<double>() / 1e3;
  std::vector<double> submits, ends;
  for (const nlohmann::json &event : host)
    if (event["name"] == "submit")
      submits.push_back(event["ts"]);
    else if (event["name"] == "wait")
      ends.push_back(event["ts"].get<double>() + event["dur"].get<double>());
  ASSERT_EQ(submits.size(), 4u) << "the first one warms up";
  for (int i = 0; i < 3; ++i) {
    double begin = device[i * 8]["ts"];
    EXPECT_GE(begin, submits[i + 1] - slack);
    EXPECT_LE(begin + device[i * 8]["dur"].get<double>(), ends[i + 1] + slack);
  }
  outcome = run(save(plan) + " --trace=/nonexistent/trace.json");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_NE(outcome.err.find("/nonexistent/trace.json"), std::string::npos);
}

TEST_F(GpuvmRunTest, WatchesInLines) {
  std::string plan = save(makeReportProgram());
  Outcome outcome = run(plan + " --watch --warmup=1 --iterations=3");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(std::regex_match(
      outcome.err, std::regex("4 of 4 executions, [0-9.]+/s, report=ATTENTION, "
                              "sum=0\n")))
      << outcome.err;
  // A line every microsecond is at least one for each execution.
  outcome = run("--watch=0.000001 " + plan + " --iterations=3");
  EXPECT_NE(outcome.err.find("1 of 3 executions, "), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("\n2 of 3 executions, "), std::string::npos)
      << outcome.err;
  EXPECT_EQ(run(plan + " --watch=-1").exitCode, 2);
  EXPECT_EQ(run(plan + " --watch=x").exitCode, 2);
}

TEST_F(GpuvmRunTest, WatchesOnATerminal) {
  std::string plan = save(makeReportProgram());
  winsize size = {.ws_row = 10, .ws_col = 30, .ws_xpixel = 0, .ws_ypixel = 0};
  int master = -1;
  pid_t child = forkpty(&master, nullptr, nullptr, &size);
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    execl(GPUVM_RUN, GPUVM_RUN, plan.c_str(), "--watch=0.000001", nullptr);
    _exit(127);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(master, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, size_t(n));
  close(master);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  EXPECT_NE(text.find("\x1b[1mreport on "), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[3A"), std::string::npos) << "it is drawn again";
  EXPECT_NE(
      text.find("\x1b[33m  report                   ATT\x1b[0m\x1b[K\r\n"),
      std::string::npos)
      << "cut at 30 columns: " << text;
  EXPECT_NE(text.find("\r\n  sum                      0\x1b[K"),
            std::string::npos)
      << text;
}

/// 20 elements for a program that takes 8 at a time (conformance case 9).
const std::vector<int32_t> kReadings = {2,   4,   6,   8,   10,  12,  14,
                                        16,  100, 200, 300, 400, 500, 600,
                                        700, 800, 1,   2,   3,   4};

void writeInts(const std::string &file, const std::vector<int32_t> &values) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char *>(values.data()),
            std::streamsize(values.size() * sizeof(int32_t)));
}

std::vector<int32_t> asInts(const std::string &bytes) {
  std::vector<int32_t> values(bytes.size() / sizeof(int32_t));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(int32_t));
  return values;
}

TEST_F(GpuvmRunTest, StreamsFiles) {
  std::string plan = save(makeStreamProgram(8));
  writeInts(path("x.bin"), kReadings);
  HostTensor tensor;
  tensor.dtype = DType::I32;
  tensor.shape = {20};
  tensor.bytes.resize(20 * sizeof(int32_t));
  std::memcpy(tensor.bytes.data(), kReadings.data(), tensor.bytes.size());
  ASSERT_TRUE(writeNpy(path("x.npy"), tensor).ok());
  for (const char *file : {"x.bin", "x.npy"}) {
    Outcome outcome =
        run(plan + " --stream=x=" + path(file) + " --stream-output=sums=" +
            path("sums") + " --stream-output=doubled=" + path("doubled") +
            " --output=state --stats=json --trace=" + path("trace.json"));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("state: 6xi32=3666 14 20 3 1 0\n"), 0u)
        << outcome.out;
    EXPECT_EQ(asInts(read(path("sums"))),
              (std::vector<int32_t>{66, 6, 3600, 8, 0, 0}));
    std::vector<int32_t> doubled = asInts(read(path("doubled")));
    ASSERT_EQ(doubled.size(), 20u);
    EXPECT_EQ(doubled[19], 8);
    nlohmann::json stats =
        nlohmann::json::parse(outcome.out.substr(outcome.out.find('\n')));
    EXPECT_EQ(stats["submits"], 1) << "for each chunk";
    EXPECT_EQ(stats["stream"]["chunks"], 3);
    EXPECT_EQ(stats["stream"]["rows"], 20);
    EXPECT_EQ(stats["stream"]["bytes_in"], 80);
    EXPECT_EQ(stats["stream"]["bytes_out"], 80 + 24);
    EXPECT_EQ(stats["stream"]["ended_by_program"], false);
  }
  nlohmann::json trace = nlohmann::json::parse(read(path("trace.json")));
  EXPECT_EQ(nestedSpans(trace, 2).size(), 3u * 4) << "each chunk";
}

TEST_F(GpuvmRunTest, StreamsPipes) {
  std::string plan = save(makeStreamProgram(8));
  writeInts(path("x.bin"), kReadings);
  ASSERT_EQ(mkfifo(path("in").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string command = "cat " + path("x.bin") + " >" + path("in") + " & cat " +
                        path("pipe") + " >" + path("doubled") + " & true";
  ASSERT_EQ(std::system(command.c_str()), 0);
  Outcome outcome = run(plan + " --stream=x=" + path("in") +
                        " --stream-output=doubled=" + path("pipe") +
                        " --watch --output=state");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "state: 6xi32=3666 14 20 3 1 0\n")
      << "the last chunk is known to be the last";
  EXPECT_EQ(outcome.err.find("3 executions, "), 0u) << outcome.err;
  for (int i = 0; i < 100 && read(path("doubled")).size() < 80; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(asInts(read(path("doubled")))[15], 1600);

  // Seven elements and a half.
  std::ofstream(path("torn"), std::ios::binary) << std::string(30, '\1');
  command = "cat " + path("torn") + " >" + path("in") + " &";
  ASSERT_EQ(std::system(command.c_str()), 0);
  expectError(plan + " --stream=x=" + path("in"), 3,
              "The file ends after 30 bytes, which is not a multiple of a row "
              "(4 bytes) - while streaming \"" +
                  path("in") + "\" into input \"x\".");
}

TEST_F(GpuvmRunTest, RefusesBadStreams) {
  std::string plan = save(makeStreamProgram(8));
  std::string file = path("x.bin");
  std::string stream = plan + " --stream=x=" + file;
  std::string context = " - while streaming \"" + file + "\" into input \"x\".";
  expectError(stream, 3,
              "The file cannot be opened (No such file or directory)" +
                  context);
  std::ofstream(file, std::ios::binary) << std::string(30, '\1');
  expectError(stream, 3,
              "The file has 30 bytes, which is not a multiple of a row (4 "
              "bytes)" +
                  context);
  fs::remove(file);
  fs::create_directory(file);
  expectError(stream, 3, "The file cannot be read (Is a directory)" + context);
  fs::remove(file);
  HostTensor tensor;
  tensor.dtype = DType::F32;
  tensor.shape = {2, 3};
  tensor.bytes.resize(24);
  ASSERT_TRUE(writeNpy(file, tensor).ok());
  expectError(stream, 3,
              "The file has 2x3xf32, but the rows of 8xi32 are wanted" +
                  context);
  tensor.dtype = DType::I32;
  tensor.shape = {6};
  ASSERT_TRUE(writeNpy(file, tensor).ok());
  std::ofstream(file, std::ios::binary | std::ios::app) << "more";
  expectError(stream, 3,
              "The file has 28 bytes of data, but its header says 24" +
                  context);
  writeInts(file, kReadings);
  expectError(stream + " --stream-output=doubled=/dev/full", 2,
              "Output \"/dev/full\" cannot be written (No space left on "
              "device).");
  expectError(stream + " --stream-output=doubled=/nonexistent/y", 2,
              "Output \"/nonexistent/y\" cannot be created (No such file or "
              "directory).");
  expectError(stream + " --input=x=8xi32=0", 2,
              "Input \"x\" is given more than once.");
  expectError(plan + " --stream=q=" + file, 3,
              "The program has no input named \"q\" (known: x).");
  expectError(plan + " --stream=x", 2,
              "The argument \"x\" of --stream is not of the form name=<file>.");
  EXPECT_EQ(run(stream + " --iterations=2").exitCode, 2);
  EXPECT_EQ(run(plan + " --stream-output=doubled=y").exitCode, 2);
  EXPECT_FALSE(fs::exists("y"));
}

TEST_F(GpuvmRunTest, DescribesItself) {
  Outcome outcome = run("--list-devices");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.out.find("0: "), 0u);
  outcome = run("--version");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.out.find("gpuvm-run "), 0u);
  outcome = run("--help");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_NE(outcome.out.find("Example:"), std::string::npos);
  outcome = run("--measure-copy-speed=1048576");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" GB/s\n"), std::string::npos);
}

TEST_F(GpuvmRunTest, RefusesBadInputs) {
  std::string plan = save(makeScaleProgram());
  std::string parameters = plan + " --input=parameters=2xf32=3,0";
  expectError(parameters, 2,
              "Input \"x\" is not given (8xf32; --input=x=<tensor>).");
  expectError(plan + kInputs + " --input=x=8xf32=0", 2,
              "Input \"x\" is given more than once.");
  expectError(plan + kInputs + " --input=z=8xf32=0", 3,
              "The program has no input named \"z\" (known: x, parameters).");
  expectError(
      parameters + " --input=x=7xf32=0", 3,
      "Input \"x\" has the wrong shape: 7xf32 is given, but the program "
      "takes 8xf32.");
  expectError(parameters + " --input=x=8xi32=0", 3,
              "Input \"x\" has the wrong type: 8xi32 is given, but the program "
              "takes 8xf32 (NumPy converts: astype(\"float32\")).");
  expectError(parameters + " --input=x", 2,
              "The argument \"x\" of --input is not of the form "
              "name=<tensor>.");
  expectError(plan + kInputs + " --output=q", 3,
              "The program has no output, metric, global or control word named "
              "\"q\" (known: y, parameters).");
  expectError(plan + kInputs + " --output=y=y.npy", 2,
              "The argument \"y=y.npy\" of --output is not of the form name or "
              "name=@file.npy.");
}

TEST_F(GpuvmRunTest, RefusesBadFiles) {
  Outcome outcome = run("/nonexistent/x.gvplan");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_NE(outcome.err.find("/nonexistent/x.gvplan"), std::string::npos);
  std::string plan = save(makeScaleProgram());
  outcome = run(plan + " --input=x=@/nonexistent/x.npy");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_NE(outcome.err.find("/nonexistent/x.npy"), std::string::npos);
  std::ofstream(path("text.gvplan")) << "hello";
  EXPECT_EQ(run(path("text.gvplan")).exitCode, 3);
  outcome = run(plan + kInputs + " --output=y=@/nonexistent/y.npy");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_NE(outcome.err.find("/nonexistent/y.npy"), std::string::npos);
}

TEST_F(GpuvmRunTest, RefusesBadUsage) {
  EXPECT_EQ(run("").exitCode, 2);
  EXPECT_EQ(run("--no-such-flag").exitCode, 2);
  EXPECT_EQ(run(save(makeScaleProgram()) + " --iterations=0").exitCode, 2);
}

TEST_F(GpuvmRunTest, RefusesNumbersOutOfRange) {
  std::string plan = save(makeScaleProgram()) + kInputs;
  for (const char *flag :
       {"--warmup=-1", "--warmup=99999999999999999999", "--warmup=1e3",
        "--iterations=-1", "--vram-budget=-1", "--vram-budget=0",
        "--output_max_element_count=-1", "--measure-copy-speed=-1",
        "--timeout=nan", "--timeout=0", "--watch=-1", "--watch=nan",
        "--expected_f32_threshold=-1", "--expected_f32_threshold=nan"}) {
    Outcome outcome = run(plan + " " + flag);
    EXPECT_EQ(outcome.exitCode, 2) << flag;
    EXPECT_EQ(outcome.err.find("gpuvm-run: error: --"), 0u) << outcome.err;
  }
}

TEST_F(GpuvmRunTest, RefusesATypeBeforeItTakesItsMemory) {
  std::string plan = save(makeScaleProgram());
  // A machine with as much memory would fill it.
  double start = childrenSeconds();
  expectError(plan + " --input=x=4294967296xf32=0", 3,
              "Input \"x\" has the wrong shape: 4294967296xf32 is given, but "
              "the program takes 8xf32.");
  expectError(plan + kInputs + " --set=parameters=4294967296xf32=0", 3,
              "Symbol \"parameters\" has the wrong shape: 4294967296xf32 is "
              "given, but the program takes 2xf32.");
  expectError(plan + kInputs + " --expected_output=y=4294967296xi1=0", 3,
              "Expected output \"y\" is larger than the output: 4294967296xi1 "
              "is given, but that is 8xf32.");
  EXPECT_LT(childrenSeconds() - start, 3);
}

TEST_F(GpuvmRunTest, KnowsWhatWasMeant) {
  std::string plan = save(makeScaleProgram());
  expectError(plan + " --input=paramters=2xf32=0", 3,
              "The program has no input named \"paramters\" (known: x, "
              "parameters; did you mean \"parameters\"?).");
  Outcome outcome = run(plan + kInputs + " --iteratoins=3");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_NE(outcome.err.find("(did you mean \"--iterations\"?)"),
            std::string::npos)
      << outcome.err;
}

TEST_F(GpuvmRunTest, SetsAndGetsSymbols) {
  std::string plan = save(makeAffineProgram(8)) + " --input=x=8xf32=2";
  Outcome outcome = run(plan + " --set=parameters=2xf32=3,1 --output=y " +
                        "--output=parameters=@" + path("p.npy"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "y: 8xf32=7 7 7 7 7 7 7 7\n");
  outcome = run(plan + " --set=parameters=@" + path("p.npy") +
                " --output=parameters");
  EXPECT_EQ(outcome.out, "parameters: 2xf32=3 1\n") << outcome.err;
  expectError(plan + " --set=parameter=2xf32=0", 3,
              "The program has no symbol named \"parameter\" (known: "
              "parameters; did you mean \"parameters\"?).");
  expectError(plan + " --set=parameters", 2,
              "The argument \"parameters\" of --set is not of the form "
              "name=<tensor>.");
}

/// Copies 4 bytes from "x" to "y".
Plan makeCopyProgram() {
  ProgramBuilder builder("copy");
  Window x = builder.allocate(Region::Registers, 4);
  Window y = builder.allocate(Region::Registers, 4);
  builder.input("x", DType::I8, {4}, x);
  builder.output("y", DType::I8, {4}, y);
  builder.copy(x, y);
  return builder.finish();
}

TEST_F(GpuvmRunTest, UnsignedStaysUnsigned) {
  std::string plan = save(makeCopyProgram());
  std::string unsignedFile = path("u.npy"), signedFile = path("s.npy");
  HostTensor x{DType::I8, {4}, {1, 200, 3, 255}, /*isUnsigned=*/true};
  ASSERT_TRUE(writeNpy(unsignedFile, x).ok());
  EXPECT_NE(read(unsignedFile).find("'descr': '|u1'"), std::string::npos);
  std::string output = path("y.npy");
  Outcome outcome = run(plan + " --input=x=@" + unsignedFile +
                        " --output=y --output=y=@" + output);
  EXPECT_EQ(outcome.out, "y: 4xi8=1 200 3 255\n") << outcome.err;
  EXPECT_EQ(read(output), read(unsignedFile));
  x.isUnsigned = false;
  ASSERT_TRUE(writeNpy(signedFile, x).ok());
  outcome = run(plan + " --input=x=@" + signedFile +
                " --output=y --output=y=@" + output);
  EXPECT_EQ(outcome.out, "y: 4xi8=1 -56 3 -1\n") << outcome.err;
  EXPECT_EQ(read(output), read(signedFile));
}

TEST_F(GpuvmRunTest, RefusesDevicesThatCannotRunThePlan) {
  Outcome outcome =
      run(save(makeScaleProgram()) + kInputs + " --device=nobody");
  EXPECT_EQ(outcome.exitCode, 4);
  EXPECT_NE(outcome.err.find("No device matches \"nobody\" (there are: 0: "),
            std::string::npos)
      << outcome.err;
  Plan large = makeScaleProgram();
  large.regionBytes[static_cast<unsigned>(Region::Heap)] = uint64_t(1) << 47;
  outcome = run(save(large) + kInputs);
  EXPECT_EQ(outcome.exitCode, 4);
  EXPECT_NE(outcome.err.find("Region heap takes 140737488355328 bytes"),
            std::string::npos)
      << outcome.err;
}

TEST_F(GpuvmRunTest, WorksWithoutVulkanInstalledUpToASentence) {
  // A loader that finds no driver is as good as no loader.
  Outcome outcome = run(save(makeScaleProgram()) + kInputs,
                        "VK_ICD_FILENAMES=/nonexistent VK_DRIVER_FILES="
                        "/nonexistent GPUVM_VALIDATE=0");
  EXPECT_EQ(outcome.exitCode, 4);
  EXPECT_EQ(outcome.err.find("gpuvm-run: error: "), 0u) << outcome.err;
}

// AddressSanitizer takes more address space than these leave.
#ifndef __SANITIZE_ADDRESS__

/// Starts `gpuvm-run --help` with so little address space that no driver could
/// work, and with `out` for its standard output.
pid_t helpWithLittleMemory(int out) {
  pid_t child = fork();
  if (child != 0)
    return child;
  rlimit space = {90'000'000, 90'000'000}, core = {0, 0};
  setrlimit(RLIMIT_AS, &space);
  setrlimit(RLIMIT_CORE, &core);
  dup2(out, STDOUT_FILENO);
  execl(GPUVM_RUN, GPUVM_RUN, "--help", nullptr);
  _exit(127);
}

/// The state letter of a process (proc(5)): S if it waits for something.
char stateOf(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name;
  char state = '?';
  file >> number >> name >> state;
  return state;
}

TEST_F(GpuvmRunTest, DoesNotTakeACrashOfItsOwnForTheDrivers) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  int size = fcntl(ends[1], F_SETPIPE_SZ, 4096);
  std::string full(static_cast<size_t>(size), ' ');
  ASSERT_EQ(write(ends[1], full.data(), full.size()), size);
  pid_t child = helpWithLittleMemory(ends[1]);
  ASSERT_GE(child, 0);
  // It waits to print.
  while (stateOf(child) != 'S' && stateOf(child) != 'Z')
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(child, SIGSEGV);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  close(ends[0]);
  close(ends[1]);
}

TEST_F(GpuvmRunTest, AsksForLavapipesMemoryWhereThereIsLavapipe) {
  std::string plan = save(makeScaleProgram());
  auto run = [&](const char *drivers) {
    return this->run(plan + kInputs,
                     std::string("ulimit -v 150000; ") +
                         "GPUVM_VALIDATE=0 VK_ICD_FILENAMES=" + drivers +
                         " VK_DRIVER_FILES=" + drivers);
  };
  EXPECT_EQ(run("/nonexistent").exitCode, 4);
  std::ofstream(path("lvp.json")) << R"({"file_format_version": "1.0.0",
      "ICD": {"library_path": "libvulkan_lvp.so", "api_version": "1.3.230"}})";
  Outcome outcome = run(path("lvp.json").c_str());
  EXPECT_EQ(outcome.exitCode, 6);
  EXPECT_NE(outcome.err.find("address space to load the Vulkan drivers"),
            std::string::npos)
      << outcome.err;
}

#endif

TEST_F(GpuvmRunTest, FailsOnAValidationMessage) {
  // Best-practice checks complain about validation itself.
  Outcome outcome = run(save(makeScaleProgram()) + kInputs + " --validate",
                        "VK_LAYER_ENABLES="
                        "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.find("Validation Warning: "), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find("gpuvm-run: error: Vulkan validation reports "),
            std::string::npos)
      << outcome.err;
}

TEST_F(GpuvmRunTest, TimesOut) {
  Outcome outcome =
      run(save(makeSpinProgram()) + " --timeout=0.3 --breadcrumbs");
  EXPECT_EQ(outcome.exitCode, 5);
  EXPECT_NE(outcome.err.find("is not done within the timeout (300 ms) - while "
                             "running command 0 of 1 (stage \"spin\")."),
            std::string::npos)
      << outcome.err;
}

TEST_F(GpuvmRunTest, LeavesNoFileBehindWhenKilled) {
  ProgramBuilder builder("killed");
  Window go = builder.allocate(Region::Control, 4);
  builder.output("go", DType::I32, {}, go);
  builder.dispatch("spin", TestKernel::Spin, {go}, 65535);
  std::string plan = save(builder.finish());
  std::string output = "--output=go=@" + path("go.npy");
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    execl(GPUVM_RUN, GPUVM_RUN, plan.c_str(), output.c_str(), nullptr);
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it must still have been running";
  for (const fs::directory_entry &entry : fs::directory_iterator(folder_))
    EXPECT_EQ(entry.path().extension(), ".gvplan") << entry.path();
}

} // namespace
