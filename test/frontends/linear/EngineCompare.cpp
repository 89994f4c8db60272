//===- EngineCompare.cpp - random programs on one engine ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   gpuvm_linear_engine_compare ENGINE FOLDER
//
// Runs each program of a folder (generate.py) on the reference and on an
// engine, a plan that none of them is compiled for, and compares all that comes
// out, bit for bit (a NaN is a NaN). Exits with 1 if one of them differs.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/device/EngineRun.h"
#include "frontends/linear/reference/Reference.h"
#include "frontends/linear/text/Assembler.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>

using namespace vm;
using namespace vm::linear;

/// By the program's buffers, from the words of `path`.
static std::vector<std::vector<float>>
readInputs(const Program &program, const std::filesystem::path &path) {
  std::ifstream file(path);
  auto words = nlohmann::json::parse(file);
  std::vector<std::vector<float>> inputs;
  for (const Buffer &buffer : program.buffers) {
    std::vector<float> values;
    if (words.contains(buffer.name))
      for (uint32_t word : words[buffer.name])
        values.push_back(std::bit_cast<float>(word));
    inputs.push_back(std::move(values));
  }
  return inputs;
}

static bool areSame(const std::vector<float> &one,
                    const std::vector<float> &other) {
  return std::ranges::equal(one, other, [](float a, float b) {
    return (a != a && b != b) ||
           std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
  });
}

/// What differs; empty if nothing does.
static std::string difference(const Program &program, const Outcome &expected,
                              const Outcome &found) {
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (program.buffers[i].kind != BufferKind::In &&
        !areSame(expected.buffers[i], found.buffers[i]))
      return "buffer " + program.buffers[i].name;
  if (!areSame(expected.state, found.state))
    return "state";
  if (expected.status != found.status)
    return "status";
  if (expected.fault != found.fault)
    return "fault";
  return expected.counts != found.counts ? "counts" : "";
}

/// What is wrong with a program; empty if nothing is.
static std::string compare(EngineRun &engine,
                           const std::filesystem::path &path) {
  Result<Program> program = assembleFile(path.string());
  if (!program.ok())
    return program.status().message();
  auto inputs = readInputs(
      *program, std::filesystem::path(path).replace_extension(".json"));
  Result<Outcome> expected = run(*program, inputs, {.direct = true});
  if (!expected.ok())
    return expected.status().message();
  Result<Outcome> found = engine.run(*program, inputs);
  return found.ok() ? difference(*program, *expected, *found)
                    : found.status().message();
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: gpuvm_linear_engine_compare ENGINE FOLDER\n");
    return 2;
  }
  // With the time that the budgets of the programs may need.
  Result<EngineRun> engine = EngineRun::open(argv[1], {});
  if (!engine.ok()) {
    fmt::print(stderr, "{}\n", engine.status().message());
    return int(engine.status().code());
  }
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(argv[2]))
    if (entry.path().extension() == ".lvm")
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  size_t different = 0;
  for (const std::filesystem::path &path : paths)
    if (std::string what = compare(*engine, path); !what.empty()) {
      ++different;
      fmt::print("{}: {}\n", path.string(), what);
    }
  fmt::print("{} programs on one engine: {} differ\n", paths.size(), different);
  return different != 0;
}
