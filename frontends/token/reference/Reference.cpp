//===- Reference.cpp - the plain interpreter of the token-stream VM -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Reference.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <numeric>
#include <system_error>
#include <thread>

using namespace vm;
using namespace vm::token;

//===--- Making one -------------------------------------------------------===//

static Status checkOptions(const ReferenceOptions &options) {
  auto check = [](const char *what, int64_t value, int64_t min, int64_t max) {
    if (value >= min && value <= max)
      return Status();
    return Status(Code::Usage, fmt::format("{} is {} ({} to {} is allowed).",
                                           what, value, min, max));
  };
  const Limits &limits = options.limits;
  VM_RETURN_IF_ERROR(
      check("The number of streams", options.streams, 1, kMaxStreams));
  VM_RETURN_IF_ERROR(
      check("The number of threads", options.threads, 1, kMaxThreads));
  VM_RETURN_IF_ERROR(check("The budget", limits.budget, 0, INT32_MAX));
  VM_RETURN_IF_ERROR(
      check("The tokens of a capture", limits.captureTokens, 0, INT32_MAX));
  return check("The tokens of an answer", limits.answerTokens, 0, INT32_MAX);
}

Reference::Reference(const Machine &machine, const ReferenceOptions &options)
    : machine_(machine), modules_(options.modules),
      stepper_(machine, options.limits, modules_), threads_(options.threads),
      maxSteps_(options.maxSteps) {}

void Reference::start(Model &model, int32_t streams) {
  streams_.resize(streams);
  for (int32_t b = 0; b < streams; ++b) {
    int32_t workflow = workflowOf(b);
    streams_[b].state = stepper_.start(machine_.workflows[workflow].entry);
    streams_[b].model = model.start(b, workflow);
  }
  running_.resize(streams);
  std::iota(running_.begin(), running_.end(), 0);
}

Result<std::unique_ptr<Reference>>
Reference::create(const Machine &machine, Model &model,
                  const ReferenceOptions &options) {
  VM_RETURN_IF_ERROR(checkOptions(options));
  if (machine.workflows.empty())
    return Status(Code::BadInput, "The machine has no workflow.");
  try {
    std::unique_ptr<Reference> reference(new Reference(machine, options));
    reference->start(model, options.streams);
    return reference;
  } catch (const std::bad_alloc &) {
    return Status(Code::OutOfMemory,
                  fmt::format("The host has no memory for the state of {} "
                              "streams.",
                              options.streams));
  }
}

//===--- Running ----------------------------------------------------------===//

bool Reference::mayStep() {
  return maxSteps_ == UINT64_MAX || numSteps_++ < maxSteps_;
}

void Reference::runToStop(Stream &stream) {
  while (stream.state.status == StreamStatus::Running && mayStep())
    stream.record.push_back(stepper_.step(stream.state, *stream.model));
}

/// False where the system has no thread left.
template <typename F>
static bool startThread(std::vector<std::jthread> &team, F work,
                        unsigned number) {
  try {
    team.emplace_back(work, number);
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

/// An exception of a model or of memory ends the thread's work, and is thrown
/// on from the calling one.
void Reference::runAll() {
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> failures(threads_);
  auto work = [&](unsigned thread) {
    try {
      for (size_t i; (i = next++) < running_.size();)
        runToStop(streams_[running_[i]]);
    } catch (...) {
      failures[thread] = std::current_exception();
    }
  };
  {
    size_t most = std::min<size_t>(threads_, running_.size());
    std::vector<std::jthread> team;
    unsigned thread = 1;
    while (thread < most && startThread(team, work, thread))
      ++thread;
    work(0); // Fewer threads do it too.
  }
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

Status Reference::advance() {
  try {
    runAll();
  } catch (const std::bad_alloc &) {
    return Status(Code::OutOfMemory,
                  "The host has no memory for what streams record.");
  } catch (const ModuleFailure &failure) {
    return Status(failure.code, failure.sentence);
  }
  running_.clear();
  if (numSteps_ > maxSteps_)
    return Status(Code::DeviceLost,
                  fmt::format("Streams still run after the {} steps that all "
                              "of them together may do.",
                              maxSteps_));
  return Status();
}

std::vector<int32_t> Reference::step() {
  std::vector<int32_t> tokens;
  for (Stream &stream : streams_) {
    if (stream.state.status != StreamStatus::Running) {
      tokens.push_back(machine_.padding);
      continue;
    }
    stream.record.push_back(stepper_.step(stream.state, *stream.model));
    tokens.push_back(stream.record.back().token);
  }
  return tokens;
}

Status Reference::resolve(int32_t stream, Resolution resolution) {
  StreamState &state = streams_[stream].state;
  if (state.status != StreamStatus::Waiting)
    return Status(Code::Usage,
                  fmt::format("Stream {} is {} and waits for no answer.",
                              stream, toString(state.status)));
  stepper_.resolve(state, resolution);
  if (state.status == StreamStatus::Running)
    running_.push_back(stream);
  return Status();
}

//===--- Reading ----------------------------------------------------------===//

Engine::Position Reference::position(int32_t stream) const {
  const StreamState &state = streams_[stream].state;
  return {state.pc, state.tokenNumber, state.depth};
}

Engine::States Reference::moduleStates(int32_t stream) const {
  States states;
  for (size_t i = 0; i < modules_.size(); ++i)
    if (!modules_[i].state.empty())
      states.emplace_back(modules_[i].state, streams_[stream].state.modules[i]);
  return states;
}

int32_t Reference::recordedNumbers() const {
  return int32_t(std::ranges::count_if(
      modules_, [](const Module &module) { return bool(module.post); }));
}

Result<int32_t> Reference::moduleState(int32_t stream,
                                       const std::string &name) const {
  auto found = std::ranges::find(modules_, name, &Module::state);
  if (name.empty() || found == modules_.end())
    return Status(Code::BadInput,
                  fmt::format("No module has a state \"{}\".", name));
  return streams_[stream].state.modules[found - modules_.begin()];
}
