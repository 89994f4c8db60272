//===- Recorder.cpp - a plan as one command buffer ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each kind of command, and the two I/O phases around them.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Recorder.h"

#include "runtime/exec/BarrierScopes.h"
#include "runtime/plan/CommandWords.h"
#include "runtime/plan/Repeats.h"

#include <algorithm>

namespace vm {

namespace {
/// Records the commands of one plan, in order.
class CommandRecorder {
public:
  CommandRecorder(const Recording &recording, VkCommandBuffer commands)
      : r_(recording), vk_(recording.device.vk()), commands_(commands),
        scopes_(barrierScopesOf(recording.plan)), stages_(recording.plan) {
    if (recording.timer.enabled())
      endWords_ = endWordsOf(recording.plan);
  }

  Status recordAll();
  const RecordCounts &counts() const { return counts_; }

private:
  void recordUploads();
  void recordCommand(size_t index);
  void recordInTime(size_t index);
  void recordTurn(size_t repeat, uint32_t number, bool begins);
  void recordDownloads();

  void record(size_t index, const Dispatch &op);
  void record(size_t index, const DispatchIndirect &op);
  void record(size_t index, const Barrier &op);
  void record(size_t index, const Copy &op);
  void record(size_t index, const Fill &op);
  void record(size_t, const Repeat &) {} // Its commands are visited.
  void record(size_t, const Clock &op);
  void record(size_t, const LeftOut &) {} // Not visited either.

  /// Where the bytes that a command names are in this turn.
  BufferRange locate(const Window &window) const {
    return r_.regions.locate(turns_.at(window));
  }
  BufferRange groupCounts(const DispatchIndirect &op) const;
  void bind(size_t index, uint32_t kernel);
  void copy(const BufferRange &source, const BufferRange &destination);

  const Recording &r_;
  DriverTable vk_;
  VkCommandBuffer commands_;
  BarrierScopes scopes_;
  StageIndex stages_;
  Turns turns_;
  std::vector<std::optional<Window>> endWords_; ///< If commands are timed.
  RecordCounts counts_;
  size_t numRun_ = 0; ///< Commands, those of repeats each time.
  Status status_;
  uint32_t numClocks_ = 0;
  VkPipeline bound_ = VK_NULL_HANDLE;
};
} // namespace

Status CommandRecorder::recordAll() {
  r_.timestamps.recordReset(commands_);
  r_.clocks.recordReset(commands_);
  r_.timestamps.record(commands_, kTimeStart);
  recordUploads();
  r_.timestamps.record(commands_, kTimeUploaded);
  r_.timer.recordStart(commands_);
  forEachExecuted(
      r_.plan, UINT32_MAX, [&](size_t i) { recordInTime(i); },
      [&](size_t i, uint32_t number, bool begins) {
        recordTurn(i, number, begins);
      });
  recordDownloads();
  r_.timestamps.record(commands_, kTimeDownloaded);
  return status_;
}

/// Asks for the time now and then: asking takes as long as recording.
void CommandRecorder::recordInTime(size_t index) {
  constexpr size_t kCommands = 1024;
  if (numRun_ % kCommands == 0 && status_.ok())
    status_ = r_.deadline.check("Recording the commands of an execution");
  if (status_.ok())
    recordCommand(index);
}

void CommandRecorder::recordTurn(size_t repeat, uint32_t number, bool begins) {
  turns_.turn(std::get<Repeat>(r_.plan.commands[repeat].op), number, begins);
  if (!r_.timer.enabled())
    return;
  if (!begins)
    return r_.timer.endTurn();
  std::optional<BufferRange> word;
  if (endWords_[repeat])
    word = r_.regions.locate(*endWords_[repeat]);
  r_.timer.recordTurn(commands_, word);
}

void CommandRecorder::recordUploads() {
  r_.device.beginLabel(commands_, "uploads");
  r_.trace.recordReset(commands_);
  for (size_t i = 0; i < r_.uploads.numSlots(); ++i)
    if (const BufferRange &slot = r_.uploads.slot(i); slot.length)
      copy(slot, r_.regions.locate(r_.plan.inputs[i].window));
  // The trace's fills come after its reset.
  BarrierScope scope = scopes_.afterUploads;
  scope.destinationStages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
  scope.destinationAccess |=
      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  recordBarrier(r_.device, commands_, scope);
  r_.device.endLabel(commands_);
}

void CommandRecorder::recordDownloads() {
  r_.timer.recordBeforeBarrier(commands_);
  if (r_.downloads.numSlots())
    recordBarrier(r_.device, commands_, scopes_.beforeDownloads);
  r_.timestamps.record(commands_, kTimeComputed);
  r_.device.beginLabel(commands_, "downloads");
  size_t slot = 0;
  for (const Output &output : r_.plan.outputs)
    copy(r_.regions.locate(output.window), r_.downloads.slot(slot++));
  for (const LoopWord &word : r_.loopWords)
    copy(r_.regions.locate(word.window), r_.downloads.slot(slot++));
  recordBarrier(r_.device, commands_, scopes_.toHost);
  r_.device.endLabel(commands_);
}

void CommandRecorder::recordCommand(size_t index) {
  const Command &command = r_.plan.commands[index];
  size_t at = numRun_++;
  if (std::holds_alternative<Barrier>(command.op))
    r_.timer.recordBeforeBarrier(commands_);
  else
    r_.trace.recordStart(commands_, at);
  if (r_.device.hasLabels())
    r_.device.beginLabel(commands_, labelOf(r_.plan, stages_, uint32_t(index)));
  std::visit([&](const auto &op) { record(index, op); }, command.op);
  r_.device.endLabel(commands_);
  std::optional<BufferRange> counts;
  if (auto *op = std::get_if<DispatchIndirect>(&command.op))
    counts = groupCounts(*op);
  r_.timer.recordEnd(commands_, static_cast<uint32_t>(index), counts);
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
  ++counts_.dispatches;
}

BufferRange CommandRecorder::groupCounts(const DispatchIndirect &op) const {
  return r_.regions.locate(
      {Region::Control, op.controlOffset, 3 * sizeof(uint32_t)});
}

void CommandRecorder::record(size_t index, const DispatchIndirect &op) {
  bind(index, op.kernel);
  BufferRange counts = groupCounts(op);
  vk_->vkCmdDispatchIndirect(commands_, counts.buffer, counts.offset);
  ++counts_.dispatches;
}

void CommandRecorder::record(size_t index, const Barrier &) {
  recordBarrier(r_.device, commands_, scopes_.commands[index]);
  ++counts_.barriers;
}

void CommandRecorder::record(size_t, const Copy &op) {
  copy(locate(op.source), locate(op.destination));
  ++counts_.copies;
}

void CommandRecorder::record(size_t, const Fill &op) {
  BufferRange range = locate(op.window);
  vk_->vkCmdFillBuffer(commands_, range.buffer, range.offset, range.length,
                       op.value);
  ++counts_.fills;
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

Result<RecordCounts> recordExecution(const Recording &recording,
                                     Submission &submission) {
  VM_RETURN_IF_ERROR(submission.begin(/*reusable=*/true));
  CommandRecorder recorder(recording, submission.commands());
  VM_RETURN_IF_ERROR(recorder.recordAll());
  VM_RETURN_IF_ERROR(submission.end());
  VM_RETURN_IF_ERROR(recording.timer.status());
  return recorder.counts();
}

} // namespace vm
