//===- Stream.cpp - data larger than all regions, chunk by chunk ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One execution is in flight at a time. So between two of them the host can
// read statuses and write Control without a race, and nothing has to be known
// about the program to stop exactly where it stops asking.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Stream.h"

#include "runtime/base/DriverCalls.h"
#include "runtime/base/HostEvents.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/plan/PlanNames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <optional>
#include <string_view>
#include <tuple>

namespace vm {

/// The status NEED_IO of a message.
static constexpr uint32_t kNeedIo = 4;

namespace {
/// One pass of data through a program.
class Streamer {
public:
  Streamer(Executor &executor, const std::vector<StreamInput> &inputs,
           const std::vector<StreamOutput> &outputs,
           const StreamOptions &options)
      : executor_(executor), plan_(executor.plan()), inputs_(inputs),
        outputs_(outputs), options_(options) {}

  Status prepare();
  Status run();
  const StreamTotals &totals() const { return totals_; }

private:
  struct Chunk {
    uint64_t number = 0;
    uint64_t rows = 0;
    bool last = false;
    std::vector<std::optional<int64_t>> outputRows; ///< Counted by the device.
  };
  Status checkInput(const Input &input) const;
  Status findProgram();
  Status findWord(const char *name, std::optional<uint64_t> &offset) const;
  Result<Chunk> fill(uint64_t number);
  Result<Refill> fillInput(const StreamInput &input, uint64_t number);
  Status start(const Chunk &chunk);
  Status writeWord(std::optional<uint64_t> offset, uint64_t value);
  Status wait(Chunk &chunk);
  Result<bool> asks() const;
  enum class Half { Idle, Last };
  Status drain(const Chunk &chunk, Half half);
  uint64_t bytesOf(const Chunk &chunk, size_t output) const;
  Status execute(Chunk &running, Chunk &next, const Chunk *done);

  Executor &executor_;
  const Plan &plan_;
  const std::vector<StreamInput> &inputs_;
  const std::vector<StreamOutput> &outputs_;
  const StreamOptions &options_;
  /// Where in Control the program wants to know about its stream.
  std::optional<uint64_t> rowsWord_, chunkWord_, lastWord_;
  uint32_t program_ = 0;
  bool asked_ = false;
  StreamTotals totals_;
};

/// Adds the time of a scope to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double &us) : us_(us), beginNs_(hostNowNs()) {}
  Stopwatch(const Stopwatch &) = delete;
  ~Stopwatch() { us_ += double(hostNowNs() - beginNs_) / 1000; }

private:
  double &us_;
  uint64_t beginNs_;
};
} // namespace

//===--- What can be streamed ---------------------------------------------===//

Status Streamer::checkInput(const Input &input) const {
  if (input.residency != Residency::Execution)
    return Status(
        Code::BadInput,
        fmt::format("Input \"{}\" cannot be streamed: it is copied to "
                    "the device once, when it is bound.",
                    input.name));
  if (input.shape.empty() || byteSizeOf(input) == 0)
    return Status(Code::BadInput,
                  fmt::format("Input \"{}\" cannot be streamed: it has no rows "
                              "({}).",
                              input.name, typeString(input)));
  return {};
}

Status Streamer::findWord(const char *name,
                          std::optional<uint64_t> &offset) const {
  const Symbol *symbol = findSymbolOf(plan_, plan_.programs[program_], name);
  if (!symbol)
    return {};
  if (symbol->window.region != Region::Control || symbol->dtype != DType::I32 ||
      !symbol->shape.empty())
    return Status(Code::BadInput,
                  fmt::format("Symbol \"{}\" has to be an i32 of region "
                              "control (it is {} of region {}).",
                              name, typeString(*symbol),
                              toString(symbol->window.region)));
  offset = symbol->window.offset;
  return {};
}

/// All of them are of one program.
Status Streamer::findProgram() {
  program_ = executor_.programOfInput(inputs_[0].input);
  auto check = [&](const Slot &slot, uint32_t program) {
    if (program == program_)
      return Status();
    return Status(Code::BadInput,
                  fmt::format("\"{}\" is of program \"{}\", and \"{}\" of "
                              "\"{}\": a stream goes through one program.",
                              plan_.inputs[inputs_[0].input].name,
                              plan_.programs[program_].name, slot.name,
                              plan_.programs[program].name));
  };
  for (const StreamInput &input : inputs_)
    VM_RETURN_IF_ERROR(check(plan_.inputs[input.input],
                             executor_.programOfInput(input.input)));
  for (const StreamOutput &output : outputs_)
    VM_RETURN_IF_ERROR(check(plan_.outputs[output.output],
                             executor_.programOfOutput(output.output)));
  return {};
}

Status Streamer::prepare() {
  if (inputs_.empty())
    return Status(Code::Usage, "A stream needs at least one input.");
  for (const StreamInput &input : inputs_)
    VM_RETURN_IF_ERROR(checkInput(plan_.inputs[input.input]));
  VM_RETURN_IF_ERROR(findProgram());
  VM_RETURN_IF_ERROR(findWord("stream.rows", rowsWord_));
  VM_RETURN_IF_ERROR(findWord("stream.chunk", chunkWord_));
  VM_RETURN_IF_ERROR(findWord("stream.last", lastWord_));
  return executor_.openHalves(program_);
}

//===--- One chunk --------------------------------------------------------===//

Result<Refill> Streamer::fillInput(const StreamInput &input, uint64_t number) {
  const Input &slot = plan_.inputs[input.input];
  auto capacity = static_cast<uint64_t>(slot.shape[0]);
  std::span<uint8_t> bytes = executor_.idleInput(input.input);
  Result<Refill> refill = input.refill(number, bytes);
  if (!refill.ok())
    return refill.status();
  if (refill->rows > capacity)
    return Status(Code::Usage,
                  fmt::format("Chunk {} of input \"{}\" has {} rows, but there "
                              "is room for {}.",
                              number, slot.name, refill->rows, capacity));
  uint64_t filled = bytes.size() / capacity * refill->rows;
  std::fill(bytes.begin() + ptrdiff_t(filled), bytes.end(), uint8_t(0));
  executor_.setIdleRows(input.input, refill->rows);
  totals_.bytesIn += filled;
  return refill;
}

/// Brings chunk `number` into the idle half; no rows: there is none.
Result<Streamer::Chunk> Streamer::fill(uint64_t number) {
  Stopwatch stopwatch(totals_.refillUs);
  Chunk chunk;
  chunk.number = number;
  chunk.last = true;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Result<Refill> refill = fillInput(inputs_[i], number);
    if (!refill.ok())
      return refill.status();
    if (i == 0)
      chunk.rows = refill->rows;
    else if ((refill->rows == 0) != (chunk.rows == 0))
      return Status(
          Code::BadInput,
          fmt::format("The streams of inputs \"{}\" and \"{}\" have different "
                      "lengths: only one of them has chunk {}.",
                      plan_.inputs[inputs_[0].input].name,
                      plan_.inputs[inputs_[i].input].name, number));
    chunk.last &= refill->last;
  }
  return chunk;
}

Status Streamer::writeWord(std::optional<uint64_t> offset, uint64_t value) {
  if (!offset)
    return {};
  auto word = static_cast<uint32_t>(value);
  uint8_t bytes[sizeof(word)];
  std::memcpy(bytes, &word, sizeof(word));
  return executor_.writeRegion(Region::Control, *offset, bytes);
}

Status Streamer::start(const Chunk &chunk) {
  VM_RETURN_IF_ERROR(writeWord(rowsWord_, chunk.rows));
  VM_RETURN_IF_ERROR(writeWord(chunkWord_, chunk.number));
  VM_RETURN_IF_ERROR(writeWord(lastWord_, chunk.last));
  return executor_.submitIdle(program_);
}

Status Streamer::wait(Chunk &chunk) {
  {
    Stopwatch stopwatch(totals_.waitUs);
    VM_RETURN_IF_ERROR(options_.wait ? options_.wait() : executor_.wait());
  }
  const ExecutionTimes &times = executor_.lastTimes();
  totals_.deviceUs += times.uploadUs + times.deviceUs + times.downloadUs;
  ++totals_.chunks;
  totals_.rows += chunk.rows;
  for (const StreamOutput &output : outputs_) {
    Result<std::optional<int64_t>> rows = executor_.readRows(output.output);
    if (!rows.ok())
      return rows.status();
    chunk.outputRows.push_back(*rows);
  }
  return options_.executed ? options_.executed() : Status();
}

/// Whether a message of the last execution asks for more.
Result<bool> Streamer::asks() const {
  for (uint32_t i : executor_.lastProgram().symbols) {
    const Symbol &symbol = plan_.symbols[i];
    if (!std::string_view(symbol.name).ends_with(".metadata") ||
        symbol.window.region != Region::Metrics)
      continue;
    uint32_t status = 0;
    uint8_t word[sizeof(status)];
    VM_RETURN_IF_ERROR(executor_.readRegion(
        Region::Metrics, symbol.window.offset + 3 * sizeof(status), word));
    std::memcpy(&status, word, sizeof(status));
    if (status == kNeedIo)
      return true;
  }
  return false;
}

/// The bytes of an output that are real.
uint64_t Streamer::bytesOf(const Chunk &chunk, size_t output) const {
  const Output &slot = plan_.outputs[outputs_[output].output];
  uint64_t bytes = byteSizeOf(slot);
  if (slot.shape.empty() || slot.shape[0] == 0)
    return bytes;
  uint64_t rowBytes = bytes / static_cast<uint64_t>(slot.shape[0]);
  if (chunk.outputRows[output])
    return rowBytes * static_cast<uint64_t>(*chunk.outputRows[output]);
  const Input &first = plan_.inputs[inputs_[0].input];
  return slot.shape[0] == first.shape[0] ? rowBytes * chunk.rows : bytes;
}

/// Takes away the outputs of `chunk`, which are in the idle half or in that of
/// the last execution.
Status Streamer::drain(const Chunk &chunk, Half half) {
  Stopwatch stopwatch(totals_.drainUs);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    uint32_t index = outputs_[i].output;
    std::span<const uint8_t> bytes = half == Half::Idle
                                         ? executor_.idleOutput(index)
                                         : executor_.lastOutput(index);
    bytes = bytes.first(bytesOf(chunk, i));
    VM_RETURN_IF_ERROR(outputs_[i].drain(chunk.number, bytes));
    totals_.bytesOut += bytes.size();
  }
  return {};
}

//===--- All of them ------------------------------------------------------===//

/// Executes `running`; meanwhile takes away `done` and brings `next`.
Status Streamer::execute(Chunk &running, Chunk &next, const Chunk *done) {
  VM_RETURN_IF_ERROR(start(running));
  std::future<Status> drained; // Waits for its thread when it goes.
  auto drainDone = [&] { return done ? drain(*done, Half::Idle) : Status(); };
  if (options_.drainBesides && done)
    drained = std::async([&] {
      DriverCall::isOurThread();
      return drainDone();
    });
  else
    VM_RETURN_IF_ERROR(drainDone());
  next = {};
  if (!running.last) {
    Result<Chunk> filled = fill(running.number + 1);
    if (!filled.ok())
      return filled.status();
    next = std::move(*filled);
  }
  if (drained.valid())
    VM_RETURN_IF_ERROR(drained.get());
  return wait(running);
}

Status Streamer::run() {
  Stopwatch stopwatch(totals_.wallUs);
  Result<Chunk> first = fill(0);
  if (!first.ok())
    return first.status();
  Chunk next = std::move(*first), running, done;
  while (next.rows > 0) {
    running = std::move(next);
    VM_RETURN_IF_ERROR(
        execute(running, next, running.number ? &done : nullptr));
    done = std::move(running);
    Result<bool> asks = this->asks();
    if (!asks.ok())
      return asks.status();
    if (asked_ && !*asks) {
      totals_.endedByProgram = true;
      break;
    }
    asked_ |= *asks;
  }
  return totals_.chunks ? drain(done, Half::Last) : Status();
}

Result<StreamTotals> runStream(Executor &executor,
                               const std::vector<StreamInput> &inputs,
                               const std::vector<StreamOutput> &outputs,
                               const StreamOptions &options) {
  Streamer streamer(executor, inputs, outputs, options);
  VM_RETURN_IF_ERROR(streamer.prepare());
  Status status = streamer.run();
  if (!status.ok()) {
    // What failed may have been the host's part, with the device at work.
    if (status.code() != Code::DeviceLost)
      std::ignore = options.wait ? options.wait() : executor.wait();
    return status;
  }
  return streamer.totals();
}

} // namespace vm
