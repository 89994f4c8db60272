//===- Recorder.cpp - a plan as command buffers ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each kind of command, and the two I/O phases around them.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Recorder.h"

#include "runtime/plan/CommandWords.h"
#include "runtime/plan/Repeats.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace vm {

namespace {
/// Records the commands of one program, in order.
class CommandRecorder {
public:
  CommandRecorder(const Recording &recording, Replay &replay)
      : r_(recording), replay_(replay), vk_(recording.device.vk()) {}

  Status recordAll();

private:
  // Parts of the replay.
  void openPart(PartSequence &sequence);
  void closePart();
  Status createTimer(CommandTimer &timer) const;
  void recordRange(CommandRange range, PartSequence &sequence);
  void recordTurns(size_t repeat, uint32_t first, uint32_t count,
                   PartSequence &sequence);
  void recordLoop(size_t repeat, const LoopShape &shape,
                  PartSequence &sequence);
  void recordTurn(size_t repeat, uint32_t number, bool begins);
  void recordTurnTime(size_t repeat);
  void recordExchange(size_t index, PartSequence &sequence);
  void recordAwait(PartSequence &sequence);
  void recordCopies(std::vector<DeviceCopy> copies);
  template <typename Record>
  void recordByBank(bool begins, PartSequence &sequence, Record record);

  void recordQuestion(const Repeat &repeat, Loop &loop);
  void endPredicate();
  bool canBePredicated(CommandRange range) const;

  // Commands.
  void recordBeginning();
  void recordRowUploads();
  void recordUpload(size_t slot, std::optional<uint64_t> rows);
  void recordUploads();
  void recordInTime(size_t index);
  void recordCommand(size_t index);
  void recordDownloads();
  void record(size_t index, const Dispatch &op);
  void record(size_t index, const DispatchIndirect &op);
  void record(size_t index, const Barrier &op);
  void record(size_t index, const Copy &op);
  void record(size_t index, const Fill &op);
  void record(size_t, const Repeat &) {} // See recordRange().
  void record(size_t, const Clock &op);
  void record(size_t, const Exchange &) {} // See recordRange().
  void record(size_t, const Await &) {}    // Likewise.
  void record(size_t, const LeftOut &) {}  // Not visited.

  /// Where the bytes that a command names are in this iteration.
  BufferRange locate(const Window &window) const {
    return r_.regions.locate(turns_.at(window));
  }
  BufferRange groupCounts(const DispatchIndirect &op) const;
  void bind(size_t index, uint32_t kernel);
  void copy(const BufferRange &source, const BufferRange &destination);
  Part &part() { return replay_.parts.back(); }

  const Recording &r_;
  Replay &replay_;
  DriverTable vk_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE; ///< Of the part that is open.
  Turns turns_;
  std::vector<size_t> open_; ///< The repeats around a command.
  bool inLoop_ = false;
  /// The loop whose end parts depend on that are opened now.
  std::optional<LoopQuestion> predicate_;
  bool isPredicated_ = false; ///< The part that is open.
  RankExchange *underWay_ = nullptr;
  size_t numRecorded_ = 0; ///< Commands.
  uint32_t numClocks_ = 0;
  Status status_;
  VkPipeline bound_ = VK_NULL_HANDLE;
};
} // namespace

Status CommandRecorder::recordAll() {
  Result<QuestionWords> words = QuestionWords::create(
      r_.device, countRecorded(r_.plan, r_.commands).questions);
  if (!words.ok())
    return words.status();
  replay_.questions = std::move(*words);
  recordRowUploads();
  openPart(replay_.sequence);
  VM_RETURN_IF_ERROR(status_);
  if (r_.rowGroups.empty())
    recordBeginning();
  recordUploads();
  r_.timestamps.record(commands_, kTimeUploaded);
  part().timer.recordStart(commands_);
  recordRange(r_.commands, replay_.sequence);
  if (!commands_)
    openPart(replay_.sequence);
  VM_RETURN_IF_ERROR(status_);
  recordDownloads();
  r_.timestamps.record(commands_, kTimeDownloaded);
  closePart();
  return status_;
}

//===--- Parts ------------------------------------------------------------===//

void CommandRecorder::openPart(PartSequence &sequence) {
  if (!status_.ok())
    return;
  Result<VkCommandBuffer> commands =
      replay_.submission().beginOther(r_.program.name.c_str(), inLoop_);
  status_ = commands.status();
  if (!status_.ok())
    return;
  bool isFirst = replay_.parts.empty();
  commands_ = *commands;
  bound_ = VK_NULL_HANDLE;
  sequence.steps.emplace_back(replay_.parts.size());
  replay_.parts.emplace_back().commands = commands_;
  status_ = createTimer(part().timer);
  r_.trace.recordReset(commands_);
  if (predicate_) {
    VkConditionalRenderingBeginInfoEXT info = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
    info.buffer = replay_.questions.buffer();
    info.offset = predicate_->nowOffset;
    info.flags = VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
    vk_->vkCmdBeginConditionalRenderingEXT(commands_, &info);
    isPredicated_ = true;
  }
  if (isFirst)
    return; // The uploads come first.
  part().timer.recordStart(commands_);
  for (size_t repeat : open_)
    recordTurnTime(repeat);
}

void CommandRecorder::closePart() {
  if (!commands_)
    return;
  endPredicate();
  if (status_.ok())
    status_ = replay_.submission().end(commands_);
  if (status_.ok())
    status_ = part().timer.status();
  commands_ = VK_NULL_HANDLE;
}

void CommandRecorder::endPredicate() {
  if (std::exchange(isPredicated_, false))
    vk_->vkCmdEndConditionalRenderingEXT(commands_);
}

Status CommandRecorder::createTimer(CommandTimer &timer) const {
  if (!r_.timesCommands)
    return {};
  Result<CommandTimer> created = CommandTimer::create(r_.device);
  if (created.ok())
    timer = std::move(*created);
  return created.status();
}

void CommandRecorder::recordRange(CommandRange range, PartSequence &sequence) {
  for (size_t i = range.begin; i < range.end && status_.ok(); ++i) {
    const auto &op = r_.plan.commands[i].op;
    if (auto *repeat = std::get_if<Repeat>(&op)) {
      LoopShape shape = shapeOf(r_.plan, i);
      if (shape.isShort)
        recordTurns(i, 0, shape.first, sequence);
      else
        recordLoop(i, shape, sequence);
      i += repeat->commands;
    } else if (std::holds_alternative<Exchange>(op)) {
      recordExchange(i, sequence);
    } else if (std::holds_alternative<Await>(op)) {
      recordAwait(sequence);
    } else if (!std::holds_alternative<LeftOut>(op)) {
      if (!commands_)
        openPart(sequence);
      recordInTime(i);
    }
  }
}

void CommandRecorder::recordTurns(size_t repeat, uint32_t first, uint32_t count,
                                  PartSequence &sequence) {
  CommandRange body = {
      repeat + 1,
      repeat + 1 + std::get<Repeat>(r_.plan.commands[repeat].op).commands};
  for (uint32_t t = first; t < first + count; ++t) {
    recordTurn(repeat, t, /*begins=*/true);
    recordRange(body, sequence);
    recordTurn(repeat, t, /*begins=*/false);
  }
}

void CommandRecorder::recordLoop(size_t repeat, const LoopShape &shape,
                                 PartSequence &sequence) {
  closePart();
  auto loop = std::make_unique<Loop>();
  bool wasInLoop = std::exchange(inLoop_, true);
  recordTurns(repeat, 0, shape.first, loop->first);
  closePart();
  recordTurns(repeat, shape.first, shape.cycle, loop->cycle);
  closePart();
  loop->cycles = shape.cycles;
  loop->hasExchange = shape.hasExchange;
  inLoop_ = wasInLoop;
  if (loop->first.steps.empty() && loop->cycle.steps.empty())
    return; // This device does without all of it.
  const Repeat &op = std::get<Repeat>(r_.plan.commands[repeat].op);
  if (op.condition && status_.ok())
    recordQuestion(op, *loop);
  CommandRange after = {repeat + 1 + op.commands, r_.commands.end};
  if (loop->question && &sequence == &replay_.sequence) {
    bool isInWord = !predicate_ || loop->question->numLoops > 1;
    loop->isFollowed = isInWord && canBePredicated(after);
    predicate_.reset();
    if (loop->isFollowed)
      predicate_ = loop->question;
  }
  sequence.steps.emplace_back(std::move(loop));
}

/// Records the copies of an exchange in command buffers of their own, one for
/// each bank: which one it is depends on how many exchanges came before it.
template <typename Record>
void CommandRecorder::recordByBank(bool begins, PartSequence &sequence,
                                   Record record) {
  closePart();
  ExchangeCopies copies{underWay_, begins, {}};
  for (uint32_t bank = 0; bank < underWay_->numBanks() && status_.ok();
       ++bank) {
    Result<VkCommandBuffer> commands =
        replay_.submission().beginOther(r_.program.name.c_str(), inLoop_);
    status_ = commands.status();
    if (!status_.ok())
      return;
    commands_ = *commands;
    record(bank);
    status_ = replay_.submission().end(commands_);
    copies.commands.push_back(std::exchange(commands_, VK_NULL_HANDLE));
  }
  sequence.steps.emplace_back(std::move(copies));
}

/// What comes before it is complete then, for the host and for what the device
/// does meanwhile.
void CommandRecorder::recordExchange(size_t index, PartSequence &sequence) {
  underWay_ = &r_.exchanges.of(index);
  Locate here = [&](const Window &window) { return locate(window); };
  BarrierScope scope = r_.scopes.aroundExchange;
  scope.destinationStages |= r_.scopes.toHost.destinationStages;
  scope.destinationAccess |= r_.scopes.toHost.destinationAccess;
  auto record = [&](uint32_t bank) {
    recordBarrier(r_.device, commands_, r_.scopes.beforeDownloads);
    recordCopies(underWay_->copiesBefore(here, bank));
    recordBarrier(r_.device, commands_, scope);
  };
  bool isInPart = underWay_->numBanks() == 1;
  if (isInPart && !commands_)
    openPart(sequence);
  if (!status_.ok())
    return;
  if (commands_)
    part().timer.recordBeforeBarrier(commands_);
  if (isInPart) {
    record(0);
    closePart();
  } else {
    recordByBank(/*begins=*/true, sequence, record);
  }
  Result<std::vector<RankExchange::Linked>> linked =
      r_.exchanges.link(*underWay_, here);
  if (status_.ok())
    status_ = linked.status();
  if (status_.ok())
    sequence.steps.emplace_back(
        ExchangeStep{underWay_, /*begins=*/true, std::move(*linked)});
}

void CommandRecorder::recordAwait(PartSequence &sequence) {
  closePart();
  if (!status_.ok())
    return;
  sequence.steps.emplace_back(ExchangeStep{underWay_, /*begins=*/false});
  auto record = [&](uint32_t bank) {
    recordCopies(underWay_->copiesAfter(
        [&](const Window &window) { return locate(window); }, bank));
    recordBarrier(r_.device, commands_, r_.scopes.aroundExchange);
  };
  if (underWay_->numBanks() > 1)
    return recordByBank(/*begins=*/false, sequence, record);
  openPart(sequence);
  if (status_.ok())
    record(0);
}

/// No two of them write the same bytes, so their order does not matter.
void CommandRecorder::recordCopies(std::vector<DeviceCopy> copies) {
  r_.device.beginLabel(commands_, "exchange");
  // Those between the same buffers are one command: each takes its time.
  auto buffers = [](const DeviceCopy &copy) {
    return std::pair(copy.source.buffer, copy.destination.buffer);
  };
  std::ranges::stable_sort(copies, std::less<>(), buffers);
  for (size_t i = 0; i < copies.size();) {
    auto [source, destination] = buffers(copies[i]);
    std::vector<VkBufferCopy> regions;
    for (; i < copies.size() &&
           buffers(copies[i]) == std::pair(source, destination);
         ++i) {
      const auto &[from, to] = copies[i];
      VkBufferCopy *last = regions.empty() ? nullptr : &regions.back();
      if (last && last->srcOffset + last->size == from.offset &&
          last->dstOffset + last->size == to.offset)
        last->size += from.length;
      else
        regions.push_back({from.offset, to.offset, from.length});
    }
    vk_->vkCmdCopyBuffer(commands_, source, destination,
                         static_cast<uint32_t>(regions.size()), regions.data());
  }
  r_.device.endLabel(commands_);
}

void CommandRecorder::recordQuestion(const Repeat &repeat, Loop &loop) {
  Result<LoopQuestion> question = replay_.questions.record(
      replay_.submission(), r_.regions.locate(*repeat.condition), predicate_);
  status_ = question.status();
  if (status_.ok())
    loop.question = *question;
}

void CommandRecorder::recordTurn(size_t repeat, uint32_t number, bool begins) {
  turns_.rotate(std::get<Repeat>(r_.plan.commands[repeat].op), number, begins);
  if (begins)
    open_.push_back(repeat);
  else
    open_.pop_back();
  if (!commands_ || !r_.timesCommands)
    return; // What opens a part next does it.
  if (begins)
    recordTurnTime(repeat);
  else
    part().timer.endTurn();
}

void CommandRecorder::recordTurnTime(size_t repeat) {
  const Repeat &op = std::get<Repeat>(r_.plan.commands[repeat].op);
  std::optional<BufferRange> word;
  if (op.condition)
    word = r_.regions.locate(*op.condition);
  part().timer.recordTurn(commands_, word);
}

/// Copies and times do not depend on a predicate.
bool CommandRecorder::canBePredicated(CommandRange range) const {
  if (!r_.device.predicates() || r_.timesCommands)
    return false;
  size_t outerEnd = range.begin;
  for (size_t i = range.begin; i < range.end; ++i) {
    const auto &op = r_.plan.commands[i].op;
    if (std::holds_alternative<Copy>(op) || std::holds_alternative<Fill>(op) ||
        std::holds_alternative<Clock>(op) ||
        std::holds_alternative<Exchange>(op))
      return false;
    auto *repeat = std::get_if<Repeat>(&op);
    if (!repeat)
      continue;
    // The host is asked about loops that stand in no other one.
    bool isInner = i < outerEnd;
    if (isInner && repeat->condition && !shapeOf(r_.plan, i).isShort)
      return false;
    if (!isInner)
      outerEnd = i + 1 + repeat->commands;
  }
  return true;
}

//===--- Commands ---------------------------------------------------------===//

/// Asks for the time now and then: asking takes as long as recording.
void CommandRecorder::recordInTime(size_t index) {
  constexpr size_t kCommands = 1024;
  if (numRecorded_ % kCommands == 0 && status_.ok())
    status_ = r_.deadline.check("Recording the commands of an execution");
  if (status_.ok())
    recordCommand(index);
}

void CommandRecorder::recordBeginning() {
  r_.timestamps.recordReset(commands_);
  r_.timestamps.record(commands_, kTimeStart);
}

/// What an execution begins with where the host counts rows.
void CommandRecorder::recordRowUploads() {
  auto recordAlone = [&](auto record) -> VkCommandBuffer {
    Result<VkCommandBuffer> commands = replay_.submission().beginOther(
        r_.program.name.c_str(), /*repeatedly=*/false);
    status_ = commands.status();
    if (!status_.ok())
      return VK_NULL_HANDLE;
    commands_ = *commands;
    record();
    status_ = replay_.submission().end(commands_);
    return std::exchange(commands_, VK_NULL_HANDLE);
  };
  if (!r_.rowGroups.empty())
    replay_.beginning = recordAlone([&] { recordBeginning(); });
  for (const RowGroup &group : r_.rowGroups) {
    RowUpload &upload = replay_.rowUploads.emplace_back();
    uint64_t bound = r_.plan.symbols[group.symbol].bound;
    for (uint64_t rows : uploadSteps(group, bound)) {
      if (status_.ok())
        status_ = r_.deadline.check("Recording the uploads of an execution");
      if (!status_.ok())
        return;
      upload.steps.push_back({rows, recordAlone([&] {
                                for (uint32_t slot : group.slots)
                                  recordUpload(slot, rows);
                              })});
    }
  }
}

/// Copies the first `rows` of an input, or all of it.
void CommandRecorder::recordUpload(size_t slot, std::optional<uint64_t> rows) {
  BufferRange source = r_.uploads.slot(slot);
  if (!source.length)
    return;
  const Input &input = r_.plan.inputs[r_.program.inputs[slot]];
  if (rows)
    source.length = *rows * rowBytesOf(input);
  copy(source, r_.regions.locate(input.window));
}

void CommandRecorder::recordUploads() {
  r_.device.beginLabel(commands_, "uploads");
  for (size_t i = 0; i < r_.uploads.numSlots(); ++i)
    if (r_.plan.inputs[r_.program.inputs[i]].rows.empty())
      recordUpload(i, std::nullopt);
  // The trace's fills come after its reset.
  BarrierScope scope = r_.scopes.afterUploads;
  scope.destinationStages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
  scope.destinationAccess |=
      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  recordBarrier(r_.device, commands_, scope);
  r_.device.endLabel(commands_);
}

void CommandRecorder::recordDownloads() {
  part().timer.recordBeforeBarrier(commands_);
  endPredicate();
  // The part may run again without the first one, which has reset them all.
  if (replay_.parts.size() > 1)
    r_.timestamps.recordReset(commands_, kTimeComputed,
                              kNumTimestamps - kTimeComputed);
  if (r_.downloads.numSlots())
    recordBarrier(r_.device, commands_, r_.scopes.beforeDownloads);
  r_.timestamps.record(commands_, kTimeComputed);
  r_.device.beginLabel(commands_, "downloads");
  size_t slot = 0;
  for (uint32_t i : r_.program.outputs)
    if (const BufferRange &to = r_.downloads.slot(slot++); to.length)
      copy(r_.regions.locate(r_.plan.outputs[i].window), to);
  for (const LoopWord &word : r_.loopWords)
    copy(r_.regions.locate(word.window), r_.downloads.slot(slot++));
  recordBarrier(r_.device, commands_, r_.scopes.toHost);
  r_.device.endLabel(commands_);
}

void CommandRecorder::recordCommand(size_t index) {
  const Command &command = r_.plan.commands[index];
  size_t at = numRecorded_++;
  if (std::holds_alternative<Barrier>(command.op))
    part().timer.recordBeforeBarrier(commands_);
  else
    r_.trace.recordStart(commands_, at, index);
  if (r_.device.hasLabels())
    r_.device.beginLabel(commands_, labelOf(r_.plan, uint32_t(index)));
  std::visit([&](const auto &op) { record(index, op); }, command.op);
  r_.device.endLabel(commands_);
  std::optional<BufferRange> counts;
  if (auto *op = std::get_if<DispatchIndirect>(&command.op))
    counts = groupCounts(*op);
  part().timer.recordEnd(commands_, static_cast<uint32_t>(index), counts);
}

void CommandRecorder::bind(size_t index, uint32_t kernel) {
  const Pipeline &pipeline = r_.pipelines[kernel];
  if (bound_ != pipeline.pipeline.get()) {
    bound_ = pipeline.pipeline.get();
    vk_->vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, bound_);
  }
  VkDescriptorSet set = r_.descriptors.forCommand(index, turns_.state());
  vk_->vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                               pipeline.layout.get(), 0, 1, &set, 0, nullptr);
}

void CommandRecorder::record(size_t index, const Dispatch &op) {
  bind(index, op.kernel);
  vk_->vkCmdDispatch(commands_, op.groups[0], op.groups[1], op.groups[2]);
  ++part().counts.dispatches;
}

BufferRange CommandRecorder::groupCounts(const DispatchIndirect &op) const {
  return r_.regions.locate(
      {Region::Control, op.controlOffset, 3 * sizeof(uint32_t)});
}

void CommandRecorder::record(size_t index, const DispatchIndirect &op) {
  bind(index, op.kernel);
  BufferRange counts = groupCounts(op);
  vk_->vkCmdDispatchIndirect(commands_, counts.buffer, counts.offset);
  ++part().counts.dispatches;
}

void CommandRecorder::record(size_t index, const Barrier &) {
  recordBarrier(r_.device, commands_, r_.scopes.commands[index]);
  ++part().counts.barriers;
}

void CommandRecorder::record(size_t, const Copy &op) {
  copy(locate(op.source), locate(op.destination));
  ++part().counts.copies;
}

void CommandRecorder::record(size_t, const Fill &op) {
  BufferRange range = locate(op.window);
  vk_->vkCmdFillBuffer(commands_, range.buffer, range.offset, range.length,
                       op.value);
  ++part().counts.fills;
}

void CommandRecorder::record(size_t, const Clock &op) {
  BufferRange range = locate(op.window);
  r_.clocks.recordTo(commands_, numClocks_++, range.buffer, range.offset);
}

void CommandRecorder::copy(const BufferRange &source,
                           const BufferRange &destination) {
  // A slot of staging holds a tensor, whose window may be longer.
  VkDeviceSize bytes = std::min(source.length, destination.length);
  VkBufferCopy region = {source.offset, destination.offset, bytes};
  vk_->vkCmdCopyBuffer(commands_, source.buffer, destination.buffer, 1,
                       &region);
}

Status recordExecution(const Recording &recording, Replay &replay) {
  return CommandRecorder(recording, replay).recordAll();
}

} // namespace vm
