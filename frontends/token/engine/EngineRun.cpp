//===- EngineRun.cpp - streams on a device --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineRun.h"

#include "frontends/token/engine/EngineTables.h"
#include "runtime/io/HostTensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

using namespace vm;
using namespace vm::token;

//===--- Making one -------------------------------------------------------===//

EngineRun::EngineRun(DevicePlan &plan, const Machine &machine,
                     PatternAutomaton automaton,
                     const EngineRunOptions &options)
    : plan_(plan), machine_(machine), automaton_(std::move(automaton)),
      options_(options) {}

/// Any plan may be named: what its sizes say must be what its inputs are.
Status EngineRun::readRoom() {
  Status isNone(Code::BadInput, "The plan is none of the token-stream VM, "
                                "which gpuvm-compile makes of workflows.");
  std::vector<int32_t> sizes(allEngineSizes().size());
  Result<std::vector<int64_t>> tables = plan_.inputShape("token.tables");
  Result<std::vector<int64_t>> streams = plan_.inputShape("kind");
  if (!tables.ok() || !streams.ok() ||
      !plan_
           .readSymbol("token.sizes", sizes.data(),
                       sizes.size() * sizeof(int32_t))
           .ok())
    return isNone;
  for (size_t i = 0; i < sizes.size(); ++i)
    room_.*allEngineSizes()[i].value = sizes[i];
  EngineSizes least = room_; // These may be 0, and no other.
  least.records = least.modules = least.numbers = least.triggers = 1;
  least.textStates = least.textColumns = 1;
  bool isRight =
      room_.triggers * int64_t(room_.classWords) <= kMaxModuleClasses / 32 &&
      std::ranges::all_of(sizes, [](int32_t size) { return size >= 0; }) &&
      std::ranges::all_of(
          allEngineSizes(),
          [&](const EngineSize &size) { return least.*size.value > 0; }) &&
      *streams == std::vector<int64_t>{room_.streams} &&
      *tables == std::vector<int64_t>{tableWords(room_)};
  return isRight ? Status() : isNone;
}

/// The sidecar of a plan may be of another one.
Status EngineRun::checkModules() const {
  EngineSizes told;
  addModules(options_.modules, told);
  if (told.modules == room_.modules && told.numbers == room_.numbers &&
      told.triggers == room_.triggers)
    return token::checkModules(machine_, options_.modules);
  return {Code::BadInput,
          fmt::format("The plan has {} modules, of which {} record a number, "
                      "and what stands beside it says {} and {}.",
                      room_.modules, room_.numbers, told.modules,
                      told.numbers)};
}

std::vector<int32_t> EngineRun::tables() const {
  return buildEngineTables(machine_, automaton_, room_, options_.streams,
                           options_.limits, options_.modelSeed);
}

Status EngineRun::start() {
  VM_RETURN_IF_ERROR(checkContext(options_.limits));
  VM_RETURN_IF_ERROR(readRoom());
  VM_RETURN_IF_ERROR(checkModules());
  EngineSizes needed =
      neededSizes(machine_, automaton_, options_.streams, options_.limits);
  VM_RETURN_IF_ERROR(checkRecords(machine_, room_));
  VM_RETURN_IF_ERROR(checkFits(needed, room_));
  VM_RETURN_IF_ERROR(plan_.bind("token.tables", tables()));
  kind_.assign(room_.streams, 0);
  length_.assign(room_.streams, 0);
  answers_.assign(size_t(room_.answerRows) * room_.answerTokens, 0);
  return plan_.execute("start");
}

Result<std::unique_ptr<EngineRun>>
EngineRun::create(DevicePlan &plan, const Machine &machine,
                  const EngineRunOptions &options) {
  if (machine.workflows.empty())
    return Status(Code::BadInput, "The machine has no workflow.");
  Result<PatternAutomaton> automaton = buildAutomaton(machine);
  if (!automaton.ok())
    return automaton.status();
  std::unique_ptr<EngineRun> run(
      new EngineRun(plan, machine, std::move(*automaton), options));
  VM_RETURN_IF_ERROR(run->start());
  VM_RETURN_IF_ERROR(run->readStreams());
  for (int32_t b = 0; b < options.streams; ++b)
    run->cursors_.push_back({run->replayOf(b), 0});
  return run;
}

//===--- Running ----------------------------------------------------------===//

Status EngineRun::bindAnswers() {
  VM_RETURN_IF_ERROR(plan_.bind("kind", kind_));
  VM_RETURN_IF_ERROR(plan_.bind("length", length_));
  if (answersChanged_)
    VM_RETURN_IF_ERROR(plan_.bind("answer", answers_));
  answersChanged_ = false;
  return {};
}

Status EngineRun::execute() {
  auto start = std::chrono::steady_clock::now();
  VM_RETURN_IF_ERROR(plan_.execute("run"));
  std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  microseconds_ += elapsed.count();
  ++submits_;
  return {};
}

/// One of each stream.
Status EngineRun::readNumbers(const std::string &name,
                              std::vector<int32_t> &numbers) {
  numbers.resize(options_.streams);
  return plan_.readSymbol(name, numbers.data(),
                          numbers.size() * sizeof(int32_t));
}

Status EngineRun::readStreams() {
  for (auto [name, values] :
       {std::pair("token.pc", &zone_), std::pair("token.number", &tokenNumber_),
        std::pair("token.depth", &depth_), std::pair("token.status", &status_),
        std::pair("token.pending", &pending_)})
    VM_RETURN_IF_ERROR(readNumbers(name, *values));
  moduleStates_.resize(room_.modules);
  for (int32_t i = 0; i < room_.modules; ++i)
    VM_RETURN_IF_ERROR(
        readNumbers(fmt::format("token.module{}", i), moduleStates_[i]));
  return {};
}

/// Keeps all columns, or only those of streams that were running where these
/// are few.
void EngineRun::keep(Block block) {
  size_t all = room_.streams;
  std::vector<int32_t> running;
  for (size_t b = 0; b < all; ++b)
    if (StepWord{block.words[b]}.isStep())
      running.push_back(int32_t(b));
  if (running.empty())
    return;
  if (running.size() < all / 2) {
    size_t rows = block.turns * room_.steps * wordsOfStep();
    Block part{
        running, block.turns,
        std::make_unique_for_overwrite<uint32_t[]>(rows * running.size())};
    uint32_t *next = part.words.get();
    for (size_t row = 0; row < rows; ++row)
      for (int32_t b : running)
        *next++ = block.words[row * all + b];
    block = std::move(part);
  }
  blocks_.push_back(std::move(block));
}

Status EngineRun::countSteps() {
  std::vector<int32_t> clocks;
  VM_RETURN_IF_ERROR(readNumbers("token.clock", clocks));
  steps_ = std::accumulate(clocks.begin(), clocks.end(), int64_t(0));
  return {};
}

Status EngineRun::readRecords() {
  Result<std::vector<int32_t>> turns = plan_.read<int32_t>("turns");
  if (!turns.ok())
    return turns.status();
  if (turns->front() < 1 || turns->front() > room_.turns)
    return {Code::WrongResult,
            fmt::format("The plan says that it took {} turns (1 to {} are "
                        "possible).",
                        turns->front(), room_.turns)};
  size_t turnCount = size_t(turns->front()), size = turnCount * room_.streams;
  Block block{{},
              turnCount,
              std::make_unique_for_overwrite<uint32_t[]>(size * room_.steps *
                                                         wordsOfStep())};
  uint32_t *next = block.words.get();
  auto read = [&](const std::string &name) {
    Status status = plan_.readSymbol(name, next, size * sizeof(uint32_t));
    next += size;
    return status;
  };
  for (int32_t step = 0; step < room_.steps; ++step) {
    VM_RETURN_IF_ERROR(read(fmt::format("token.records{}", step)));
    for (int32_t word = 0; word < room_.extraWords(); ++word)
      VM_RETURN_IF_ERROR(read(fmt::format("token.extra{}_{}", step, word)));
  }
  keep(std::move(block));
  return {};
}

Status EngineRun::advance() try {
  bool isResolved =
      std::ranges::any_of(kind_, [](int32_t k) { return k != 0; });
  bool isRunning = std::ranges::any_of(status_, [](int32_t s) {
    return StreamStatus(s) == StreamStatus::Running;
  });
  if (!isResolved && !isRunning)
    return {};
  VM_RETURN_IF_ERROR(bindAnswers());
  VM_RETURN_IF_ERROR(execute());
  std::ranges::fill(kind_, 0);
  VM_RETURN_IF_ERROR(readStreams());
  VM_RETURN_IF_ERROR(countSteps());
  return room_.records ? readRecords() : Status();
} catch (const std::bad_alloc &) {
  return {Code::OutOfMemory, "The host has no memory for what streams record."};
}

Status EngineRun::resolve(int32_t stream, Resolution resolution) {
  if (status(stream) != StreamStatus::Waiting || kind_[stream] != 0)
    return {Code::Usage, fmt::format("Stream {} is {} and waits for no answer.",
                                     stream, toString(status(stream)))};
  kind_[stream] = int32_t(resolution.kind) + 1;
  if (resolution.kind != Resolution::Kind::Answer)
    return {};
  capture(stream); // Words so far are of the last one.
  cursors_[stream].replay.clearCapture();
  size_t tokens = resolution.answer.size();
  length_[stream] = int32_t(std::min<size_t>(tokens, INT32_MAX));
  bool isFed = room_.answerRows == room_.streams;
  if (!isFed || tokens > size_t(options_.limits.answerTokens) ||
      tokens > size_t(room_.answerTokens))
    return {};
  std::ranges::copy(resolution.answer,
                    answers_.begin() + size_t(stream) * room_.answerTokens);
  answersChanged_ = true;
  return {};
}

//===--- Reading ----------------------------------------------------------===//

int64_t EngineRun::Block::columnOf(int32_t stream) const {
  if (streams.empty())
    return stream;
  auto found = std::ranges::lower_bound(streams, stream);
  return found != streams.end() && *found == stream ? found - streams.begin()
                                                    : -1;
}

template <typename Take>
void EngineRun::forEachStep(int32_t stream, size_t firstBlock,
                            Take take) const {
  std::vector<uint32_t> extra(room_.extraWords());
  for (size_t i = firstBlock; i < blocks_.size(); ++i) {
    const Block &block = blocks_[i];
    int64_t column = block.columnOf(stream);
    if (column < 0)
      continue;
    size_t columns = block.columns(room_.streams), steps = room_.steps;
    auto wordAt = [&](size_t turn, size_t step, size_t word) {
      size_t row = (step * wordsOfStep() + word) * block.turns + turn;
      return block.words[row * columns + column];
    };
    auto stepAt = [&](size_t turn, size_t step) {
      return StepWord{wordAt(turn, step, 0)};
    };
    // An iteration may end early, or be empty, for the model.
    for (size_t turn = 0; turn < block.turns; ++turn)
      for (size_t step = 0; step < steps && stepAt(turn, step).isStep();
           ++step) {
        for (size_t word = 0; word < extra.size(); ++word)
          extra[word] = wordAt(turn, step, 1 + word);
        take(stepAt(turn, step), extra);
      }
  }
}

/// Bits of classes, where modules change them; then what they record.
void EngineRun::addExtra(TokenRecord &record,
                         std::span<const uint32_t> words) const {
  if (room_.triggers) {
    record.triggers.clear();
    for (int32_t c = 0; c < machine_.classes; ++c)
      if ((words[c / 32] >> (c % 32)) & 1)
        record.triggers.push_back(c);
    words = words.subspan(room_.classWords);
  }
  for (uint32_t word : words)
    record.extra.push_back(int32_t(word));
}

Engine::States EngineRun::moduleStates(int32_t stream) const {
  States states;
  for (size_t i = 0; i < options_.modules.size(); ++i)
    if (const std::string &name = options_.modules[i].state; !name.empty())
      states.emplace_back(name, moduleStates_[i][stream]);
  return states;
}

const StreamRecord &EngineRun::record(int32_t stream) const {
  record_.clear();
  StreamReplay replay = replayOf(stream);
  forEachStep(stream, 0, [&](StepWord word, std::span<const uint32_t> extra) {
    record_.push_back(
        replay.take(word, machine_, automaton_, options_.limits.captureTokens));
    addExtra(record_.back(), extra);
  });
  return record_;
}

std::vector<TokenPart> EngineRun::capture(int32_t stream) const {
  Cursor &cursor = cursors_[stream];
  forEachStep(stream, cursor.block, [&](StepWord word, auto &&) {
    cursor.replay.take(word, machine_, automaton_,
                       options_.limits.captureTokens);
  });
  cursor.block = blocks_.size();
  return cursor.replay.capture();
}

//===--- The inputs -------------------------------------------------------===//

Status EngineRun::writeInputs(const std::string &folder) const {
  std::vector<int32_t> zeros(room_.streams),
      answers(size_t(room_.answerRows) * room_.answerTokens);
  auto write = [&](const char *name, const std::vector<int32_t> &words) {
    Result<std::vector<int64_t>> shape = plan_.inputShape(name);
    if (!shape.ok())
      return shape.status();
    HostTensor tensor{.dtype = DType::I32, .shape = *shape};
    tensor.bytes.resize(words.size() * sizeof(int32_t));
    std::memcpy(tensor.bytes.data(), words.data(), tensor.bytes.size());
    return writeNpy(fmt::format("{}/{}.npy", folder, name), tensor);
  };
  VM_RETURN_IF_ERROR(write("token.tables", tables()));
  VM_RETURN_IF_ERROR(write("kind", zeros));
  VM_RETURN_IF_ERROR(write("length", zeros));
  return write("answer", answers);
}
