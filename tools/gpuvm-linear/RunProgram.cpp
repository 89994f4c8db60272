//===- RunProgram.cpp - runs a program on the reference or an engine ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line's tensors are matched with the program as if it were a plan,
// so that this is said in gpuvm-run's words.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/device/EngineRun.h"
#include "frontends/linear/reference/Reference.h"
#include "runtime/base/Printable.h"
#include "tools/common/DeviceFlags.h"
#include "tools/common/LowMemory.h"
#include "tools/gpuvm-linear/Commands.h"
#include "tools/gpuvm-run/Bindings.h"
#include "tools/gpuvm-run/Report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>

namespace vm::linear_tool {

using linear::BufferKind;
using linear::Outcome;
using linear::Program;
using linear::Race;

//===--- The program as a plan --------------------------------------------===//

static bool isInput(const linear::Buffer &buffer) {
  return buffer.kind == BufferKind::In || buffer.kind == BufferKind::InOut;
}

static bool isOutput(const linear::Buffer &buffer) {
  return buffer.kind == BufferKind::Out || buffer.kind == BufferKind::InOut;
}

template <typename Slot>
static Slot makeSlot(const std::string &name, DType dtype,
                     std::vector<int64_t> shape) {
  Slot slot;
  slot.name = name;
  slot.dtype = dtype;
  slot.shape = std::move(shape);
  return slot;
}

/// Inputs and outputs by name and type; outputs in the order of `listOutputs`.
static Plan describe(const Program &program) {
  Plan plan;
  plan.program = program.name;
  for (const linear::Buffer &buffer : program.buffers) {
    if (isInput(buffer))
      plan.inputs.push_back(
          makeSlot<Input>(buffer.name, DType::F32, {buffer.size}));
    if (isOutput(buffer))
      plan.outputs.push_back(
          makeSlot<Output>(buffer.name, DType::F32, {buffer.size}));
  }
  int64_t machines = program.maxMachines();
  auto phases = static_cast<int64_t>(program.phases.size());
  plan.outputs.push_back(
      makeSlot<Output>("state", DType::F32, {machines, linear::kElements}));
  plan.outputs.push_back(makeSlot<Output>("status", DType::I32, {machines}));
  plan.outputs.push_back(makeSlot<Output>("fault", DType::I32, {machines}));
  plan.outputs.push_back(
      makeSlot<Output>("counts", DType::I64, {phases, linear::kCounts}));
  return plan;
}

//===--- Data -------------------------------------------------------------===//

/// By the program's buffers; empty where there is no input.
static std::vector<std::vector<float>> takeInputs(const Program &program,
                                                  run::Bindings &bindings) {
  std::vector<std::vector<float>> inputs(program.buffers.size());
  size_t next = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!isInput(program.buffers[i]))
      continue;
    HostTensor tensor = std::move(*bindings.inputs[next++]);
    inputs[i].resize(program.buffers[i].size);
    std::memcpy(inputs[i].data(), tensor.bytes.data(), tensor.bytes.size());
  }
  return inputs;
}

using Bytes = std::span<const uint8_t>;

template <typename T> static Bytes bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()),
          values.size() * sizeof(T)};
}

/// By the plan's outputs.
static std::vector<Bytes> listOutputs(const Program &program,
                                      const Outcome &outcome) {
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (isOutput(program.buffers[i]))
      outputs.push_back(bytesOf(outcome.buffers[i]));
  outputs.push_back(bytesOf(outcome.state));
  outputs.push_back(bytesOf(outcome.status));
  outputs.push_back(bytesOf(outcome.fault));
  outputs.push_back(bytesOf(outcome.counts));
  return outputs;
}

static run::RunResult collect(const Plan &plan,
                              const std::vector<Bytes> &outputs,
                              const run::Bindings &bindings) {
  auto read = [&](const run::Source &source) {
    HostTensor tensor;
    tensor.dtype = plan.outputs[source.index].dtype;
    tensor.shape = plan.outputs[source.index].shape;
    Bytes bytes = outputs[source.index];
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return tensor;
  };
  run::RunResult result;
  for (const run::OutputRequest &request : bindings.outputs)
    result.outputs.push_back(read(request.source));
  for (const run::ExpectedOutput &expected : bindings.expected)
    result.expected.push_back(read(expected.source));
  return result;
}

//===--- Races ------------------------------------------------------------===//

/// `address 12 (x[2])`.
static std::string placeOf(const Program &program, uint32_t address) {
  for (const linear::Buffer &buffer : program.buffers)
    if (address >= buffer.base && address - buffer.base < buffer.size)
      return fmt::format("address {} ({}[{}])", address, buffer.name,
                         address - buffer.base);
  return fmt::format("address {}", address);
}

static std::string explain(const Program &program, const Race &race) {
  std::string where = placeOf(program, race.address);
  switch (race.kind) {
  case linear::RaceKind::Collision:
    return fmt::format("machines {} and {} collide at {}", race.machines[0],
                       race.machines[1], where);
  case linear::RaceKind::Wait:
    return fmt::format("machines {} and {} end and await a condition at {}",
                       race.machines[0], race.machines[1], where);
  case linear::RaceKind::Slot:
    break;
  }
  return fmt::format("which slot a SPAWN gets can be seen by machines {} and "
                     "{}",
                     race.machines[0], race.machines[1]);
}

/// Prints the first of them, where they are.
static void report(const Program &program, const std::vector<Race> &races,
                   const char *severity, const char *what) {
  constexpr size_t kMost = 20;
  for (size_t i = 0; i < std::min(races.size(), kMost); ++i)
    fmt::print(stderr, "{}:{}: {}: {}: phase \"{}\", lines {} and {}: {}.\n",
               printableLines(program.file), races[i].lines[1], severity, what,
               program.phases[races[i].phase].name, races[i].lines[0],
               races[i].lines[1], explain(program, races[i]));
  if (races.size() > kMost)
    fmt::print(stderr, "gpuvm-linear: {}: {} more of {}.\n", severity,
               races.size() - kMost, races.size());
}

//===--- run --------------------------------------------------------------===//

static linear::RunOptions runOptions(const Options &options,
                                     const Program &program) {
  linear::RunOptions result;
  result.budget = options.budget;
  result.maxSteps = options.maxSteps;
  result.jitterSeed = options.jitter;
  result.checkRaces = options.check;
  result.direct = !options.format && options.threshold.empty();
  result.format = options.formatOr(linear::Format::Hybrid);
  result.threshold = thresholdOf(options, program);
  result.threads = options.threads.value_or(
      std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads));
  return result;
}

/// What a run took. The words are those of gpuvm-run.
struct RunStats {
  unsigned threads = 1;
  int64_t instructions = 0; ///< That all machines executed.
  double wallUs = 0;
};

/// On the engine that the options name.
static Result<Outcome>
runOnEngine(Program program, const std::vector<std::vector<float>> &inputs,
            const Options &options) {
  prepareForLowMemory("gpuvm-linear");
  if (options.budget)
    for (linear::Phase &phase : program.phases)
      phase.budget = options.budget;
  DeviceOptions device{.device = options.run.device,
                       .timeoutMs = millisecondsOf(options.timeoutSeconds),
                       .vramBudgetBytes = options.run.vramBudgetBytes,
                       .validate = options.run.validate};
  device.hostMemory = [](uint64_t bytes) {
    warnOfHostMemory("gpuvm-linear", bytes);
  };
  Result<linear::EngineRun> engine =
      linear::EngineRun::open(options.enginePath, device);
  return engine.ok() ? engine->run(program, inputs) : engine.status();
}

static Result<Outcome> runTimed(const Program &program, run::Bindings &bindings,
                                const Options &toolOptions, RunStats &stats) {
  std::vector<std::vector<float>> inputs = takeInputs(program, bindings);
  if (!toolOptions.enginePath.empty())
    return runOnEngine(program, inputs, toolOptions);
  linear::RunOptions options = runOptions(toolOptions, program);
  auto start = std::chrono::steady_clock::now();
  Result<Outcome> outcome = linear::run(program, inputs, options);
  std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  stats.wallUs = elapsed.count();
  stats.threads = options.threads;
  if (outcome.ok())
    for (size_t i = 0; i < outcome->counts.size(); ++i)
      if (size_t k = i % linear::kCounts;
          k >= linear::kLinearCount && k <= linear::kIoCount)
        stats.instructions += outcome->counts[i];
  return outcome;
}

static void printStats(const Program &program, const RunStats &stats,
                       run::StatsFormat format) {
  if (format == run::StatsFormat::Json) {
    // Names are words.
    std::string us = fmt::format("{:.2f}", stats.wallUs);
    fmt::print("{{\"program\":\"{}\",\"threads\":{},\"machines\":{},"
               "\"instructions\":{},\"iterations\":1,\"wall_us\":"
               "{{\"median\":{},\"p10\":{},\"p90\":{}}}}}\n",
               program.name, stats.threads, program.maxMachines(),
               stats.instructions, us, us, us);
  } else if (format == run::StatsFormat::Text) {
    fmt::print("{:<15} {}\n{:<15} {}\n{:<15} {}\n", "threads", stats.threads,
               "machines", program.maxMachines(), "instructions",
               stats.instructions);
    fmt::print("{:<15} {:.2f} us\n", "wall_us", stats.wallUs);
  }
}

/// Compares, prints and writes what was asked for.
static int deliver(const run::Bindings &bindings, const run::RunResult &result,
                   const Options &options) {
  if (!run::compareOutputs(bindings, result, options.run))
    return static_cast<int>(Code::WrongResult);
  Status status = run::deliverOutputs(bindings, result, options.run);
  return status.ok() ? 0 : fail(status);
}

int runProgram(const Options &options) {
  std::optional<Program> program = load(options.path);
  if (!program)
    return static_cast<int>(Code::BadInput);
  Plan plan = describe(*program);
  Result<run::Bindings> bindings = run::bindTensors(plan, options.run);
  if (!bindings.ok())
    return fail(bindings.status());
  if (Status status = run::readFiles(plan, *bindings); !status.ok())
    return fail(status);
  RunStats stats;
  Result<Outcome> outcome = runTimed(*program, *bindings, options, stats);
  if (!outcome.ok())
    return fail(outcome.status());
  run::RunResult result =
      collect(plan, listOutputs(*program, *outcome), *bindings);
  report(*program, outcome->races, "error", "race");
  report(*program, outcome->unordered, "warning", "depends on the schedule");
  int code = deliver(*bindings, result, options);
  if (code != 0)
    return code;
  printStats(*program, stats, options.run.stats);
  code = print("");
  bool isRacing = code == 0 && !outcome->races.empty();
  return isRacing ? static_cast<int>(Code::WrongResult) : code;
}

} // namespace vm::linear_tool
