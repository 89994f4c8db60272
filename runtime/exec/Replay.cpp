//===- Replay.cpp - an execution that was recorded, submitted again -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the sequences and lists the parts, up to where only the host can say
// what comes next.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Replay.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <tuple>
#include <utility>

namespace vm {

/// Command buffers in one submit, more or less.
static constexpr size_t kMostListed = 16384;
/// Cycles of a loop that are submitted without asking.
static constexpr uint32_t kMostCycles = 1024;
/// Those of its first submit, if it did not run before.
static constexpr uint32_t kFirstCycles = 4;
static_assert(kMostCycles >> LoopQuestion::kNumEarly <= 1);

static RecordCounts times(RecordCounts counts, uint64_t number) {
  counts.dispatches *= number;
  counts.barriers *= number;
  counts.copies *= number;
  counts.fills *= number;
  counts.exchanges *= number;
  return counts;
}

RecordCounts &RecordCounts::operator+=(const RecordCounts &other) {
  dispatches += other.dispatches;
  barriers += other.barriers;
  copies += other.copies;
  fills += other.fills;
  exchanges += other.exchanges;
  return *this;
}

Result<Replay> Replay::create(const Device &device, const char *name) {
  Result<Submission> submission = Submission::create(device, name);
  if (!submission.ok())
    return submission.status();
  Replay replay;
  replay.submission_ = std::move(*submission);
  return replay;
}

/// Those of an execution that takes every iteration.
static RecordCounts countsOf(const std::vector<Part> &parts,
                             const PartSequence &sequence) {
  RecordCounts counts;
  for (const auto &step : sequence.steps) {
    if (auto *part = std::get_if<size_t>(&step)) {
      counts += parts[*part].counts;
      continue;
    }
    if (auto *exchange = std::get_if<ExchangeStep>(&step)) {
      counts.exchanges += exchange->begins;
      continue;
    }
    if (std::holds_alternative<ExchangeCopies>(step))
      continue;
    const Loop &loop = *std::get<std::unique_ptr<Loop>>(step);
    counts += countsOf(parts, loop.first);
    counts += times(countsOf(parts, loop.cycle), loop.cycles);
  }
  return counts;
}

RecordCounts Replay::counts() const {
  return hasRun_ ? counts_ : countsOf(parts, sequence);
}

//===--- Submitting -------------------------------------------------------===//

Status Replay::start(std::span<const uint64_t> rows) {
  frames_ = {{&sequence, nullptr}};
  asked_.clear();
  counts_ = {};
  hasRun_ = true;
  timed_.reset();
  next_.reset();
  exchangeNs_ = 0;
  times_ = {};
  list_.clear();
  collectUploads(rows);
  collect();
  return submit();
}

Status Replay::submit() {
  Status status = submission_.submit(list_);
  isRunning_ = status.ok();
  return status;
}

Result<bool> Replay::goOn(const Timestamps &timestamps, uint64_t timeoutNs) {
  if (!isRunning_)
    return false;
  readAnswers();
  VM_RETURN_IF_ERROR(readTimes(timestamps));
  do {
    VM_RETURN_IF_ERROR(exchange(timeoutNs));
    list_.clear();
    collect();
    if (list_.empty())
      continue;
    VM_RETURN_IF_ERROR(submit());
    // What has begun ends while the device works on that.
    if (next_ && !next_->begins)
      VM_RETURN_IF_ERROR(exchange(timeoutNs));
  } while (list_.empty() && next_);
  isRunning_ = !list_.empty();
  return isRunning_;
}

/// Begins or ends an exchange, if that is next.
Status Replay::exchange(uint64_t timeoutNs) {
  if (!next_)
    return {};
  auto start = std::chrono::steady_clock::now();
  ExchangeStep step = *std::exchange(next_, std::nullopt);
  Status status = step.begins
                      ? step.exchange->start(carriers, step.linked, timeoutNs)
                      : step.exchange->finish(carriers, timeoutNs);
  exchangeNs_ += static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start)
          .count());
  if (!status.ok()) // The device has no part in that.
    std::ignore = submission_.waitFor(timeoutNs);
  return status;
}

bool Replay::needsHost() {
  bool mayComeMore = !frames_.empty() || !asked_.empty();
  return isRunning_ && mayComeMore && !submission_.stillInFlight();
}

void Replay::giveUp() {
  frames_.clear();
  asked_.clear();
  isRunning_ = false;
}

//===--- What to submit ---------------------------------------------------===//

void Replay::collectUploads(std::span<const uint64_t> rows) {
  if (!rowUploads.empty())
    list_.push_back(beginning);
  for (size_t i = 0; i < rowUploads.size(); ++i)
    if (const RowUpload::Step *step = rowUploads[i].find(rows[i]))
      list_.push_back(step->commands);
}

/// Adds to the list, until the host has to look.
void Replay::collect() {
  while (!frames_.empty()) {
    Frame &frame = frames_.back();
    if (frame.at == frame.sequence->steps.size()) {
      if (endSequence(frame))
        return;
      continue;
    }
    const auto &step = frame.sequence->steps[frame.at++];
    if (auto *part = std::get_if<size_t>(&step)) {
      list_.push_back(parts[*part].commands);
      counts_ += parts[*part].counts;
      if (parts[*part].timer.enabled())
        timed_ = *part;
      if (timed_ || list_.size() >= kMostListed)
        return;
      continue;
    }
    if (auto *copies = std::get_if<ExchangeCopies>(&step)) {
      list_.push_back(
          copies->commands[copies->isBefore ? copies->exchange->nextBank()
                                            : copies->exchange->lastBank()]);
      continue;
    }
    if (auto *exchange = std::get_if<ExchangeStep>(&step)) {
      next_ = *exchange;
      counts_.exchanges += exchange->begins;
      return;
    }
    Loop &loop = *std::get<std::unique_ptr<Loop>>(step);
    frames_.push_back({&loop.first, &loop});
    frames_.back().left = loop.cycles;
    beginChunk(frames_.back(), loop.expected ? loop.expected : kFirstCycles);
  }
}

/// After `cycles` cycles the host has to look, or earlier if each takes long.
void Replay::beginChunk(Frame &frame, uint32_t cycles) {
  if (frame.loop->hasExchange)
    cycles = 1;
  constexpr uint64_t kSlow = 20; // So few of them are `mostInVainNs`.
  if (uint64_t each = frame.loop->cycleNs; each > mostInVainNs / kSlow)
    cycles = std::min<uint64_t>(cycles, mostInVainNs / each);
  cycles = std::clamp(cycles, 1u, kMostCycles);
  frame.chunk = std::min(cycles, std::max(frame.left, 1u));
  frame.full = frame.chunk;
}

/// How many of the `full` cycles of a chunk come after early question `i`; 0 if
/// that is not asked. The last ones are close together, so that an execution
/// that is like the one before finds the exact number.
static uint32_t cyclesAfter(unsigned i, uint32_t full) {
  return full >> (i + 1);
}

/// What comes when all parts of a sequence are listed; whether the host has to
/// look before.
bool Replay::endSequence(Frame &frame) {
  Loop *loop = frame.loop;
  if (!loop || frame.left == 0) {
    if (loop && loop->isFollowed)
      list_.push_back(loop->question->answerNo);
    if (loop && loop->question)
      ask(/*maySayYes=*/false);
    frames_.pop_back();
    return false;
  }
  if (loop->question) {
    if (frame.chunk == 0) {
      list_.push_back(loop->question->now);
      ask(/*maySayYes=*/true);
      frames_.pop_back();
      return !loop->isFollowed;
    }
    for (unsigned i = 0; i < LoopQuestion::kNumEarly; ++i)
      if (frame.chunk == cyclesAfter(i, frame.full))
        list_.push_back(loop->question->early[i].commands);
    --frame.chunk;
  }
  frame.sequence = &loop->cycle;
  frame.at = 0;
  --frame.left;
  ++frame.ran;
  return false;
}

static bool isNo(const uint32_t *word) {
  return std::atomic_ref(*const_cast<uint32_t *>(word)).load() == 0;
}

/// How many cycles a loop needed that took `ran`, of which the last chunk had
/// `full`, as far as the early questions tell.
static uint32_t neededCycles(const Loop &loop, uint32_t ran, uint32_t full) {
  for (unsigned i = 0; i < LoopQuestion::kNumEarly; ++i)
    if (uint32_t after = cyclesAfter(i, full);
        after && isNo(loop.question->early[i].word))
      return ran - after;
  return ran;
}

/// How many cycles a loop continues with. One that takes longer than the last
/// time is expected to end soon: a quarter is added, then a half. Cycles after
/// the end take more time than a submit, but a loop must not take many of
/// those.
uint32_t Replay::cyclesToAdd(Frame &frame) {
  constexpr uint32_t kHalvings = 2;
  if (!frame.loop->expected)
    return frame.ran;
  uint32_t halvings = kHalvings - std::min(frame.numAdded++, kHalvings);
  return std::max(frame.ran >> halvings, kFirstCycles);
}

/// The host looks at the loop when what is listed has completed.
void Replay::ask(bool maySayYes) {
  asked_.push_back({frames_, counts_, maySayYes});
}

/// Goes back to the first loop that is not over, if there is one: what was
/// listed after it has done nothing.
void Replay::readAnswers() {
  for (Asked &asked : asked_) {
    Frame &frame = asked.frames.back();
    Loop &loop = *frame.loop;
    // The first time drivers compile kernels, and what follows takes its time.
    if (uint64_t took = submission_.tookNs()) {
      uint64_t each = std::max<uint64_t>(took / std::max(frame.full, 1u), 1);
      loop.cycleNs = loop.cycleNs ? std::min(loop.cycleNs, each) : each;
    }
    if (asked.maySayYes && !isNo(loop.question->nowWord)) {
      beginChunk(frame, cyclesToAdd(frame));
      frames_ = std::move(asked.frames);
      counts_ = asked.counts;
      break;
    }
    loop.expected = neededCycles(loop, frame.ran, frame.full);
  }
  asked_.clear();
}

//===--- Times ------------------------------------------------------------===//

Status Replay::readTimes(const Timestamps &timestamps) {
  if (!timed_)
    return {};
  Result<std::vector<uint64_t>> start = timestamps.readTicks(1);
  if (!start.ok())
    return start.status();
  Result<CommandTimes> times = parts[*timed_].timer.read(start->front());
  if (!times.ok())
    return times.status();
  timed_.reset();
  times_.append(std::move(*times));
  return {};
}

Result<CommandTimes> Replay::commandTimes(const Timestamps &timestamps) {
  VM_RETURN_IF_ERROR(readTimes(timestamps));
  return times_;
}

} // namespace vm
