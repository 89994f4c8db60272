//===- Resolver.cpp - answers the streams that wait -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Resolver.h"

#include "frontends/token/ground/TextCodec.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

class Resolver {
public:
  Resolver(Engine &engine, ToolSet &tools, const TextCodec &codec)
      : engine_(engine), tools_(tools), codec_(codec),
        isAsked_(engine.streams()) {
    outcome_.requests.resize(engine.streams());
  }

  Status run(const std::function<bool()> &goesOn);
  RunOutcome takeOutcome() { return std::move(outcome_); }

private:
  void askForWaiting();
  void ask(int32_t stream);
  Status resolve(const ToolReplies::Reply &reply);
  Resolution toResolution(const ToolReply &reply) const;

  Engine &engine_;
  ToolSet &tools_;
  const TextCodec &codec_;
  RunOutcome outcome_;
  std::vector<bool> isAsked_; ///< A reply to the stream is to come.
  int32_t outstanding_ = 0;
  bool isAnyRunning_ = true;
};

} // namespace

/// The most that is waited for further replies.
static constexpr std::chrono::milliseconds kLongestGathering(50);

Status Resolver::run(const std::function<bool()> &goesOn) {
  while (true) {
    auto start = ToolClock::now();
    VM_RETURN_IF_ERROR(engine_.advance());
    askForWaiting();
    if ((!isAnyRunning_ && outstanding_ == 0) || (goesOn && !goesOn()))
      return Status();
    // Replies that come one by one would be an execution each: as long as one
    // takes, more of them are waited for.
    auto elapsed = std::min<ToolClock::duration>(ToolClock::now() - start,
                                                 kLongestGathering);
    ToolReplies &replies = tools_.replies();
    for (const ToolReplies::Reply &reply :
         isAnyRunning_ ? replies.take() : replies.wait(outstanding_, elapsed))
      VM_RETURN_IF_ERROR(resolve(reply));
  }
}

void Resolver::askForWaiting() {
  isAnyRunning_ = false;
  for (int32_t stream = 0; stream < engine_.streams(); ++stream) {
    StreamStatus status = engine_.status(stream);
    isAnyRunning_ |= status == StreamStatus::Running;
    if (status == StreamStatus::Waiting && !isAsked_[stream])
      ask(stream);
  }
}

void Resolver::ask(int32_t stream) {
  const std::vector<std::string> &names =
      engine_.machine().workflows[engine_.workflowOf(stream)].tools;
  ToolRequest request = {names[engine_.pending(stream)],
                         codec_.decode(engine_.capture(stream))};
  isAsked_[stream] = true;
  ++outstanding_;
  tools_.ask(request.tool, stream, request.text);
  outcome_.requests[stream].push_back(std::move(request));
}

Resolution Resolver::toResolution(const ToolReply &reply) const {
  switch (reply.kind) {
  case ToolReply::Kind::Answer:
    return {Resolution::Kind::Answer, codec_.encodeAnswer(reply.text)};
  case ToolReply::Kind::Error:
    return {Resolution::Kind::Failed, {}};
  case ToolReply::Kind::TimedOut:
    break;
  }
  return {Resolution::Kind::TimedOut, {}};
}

Status Resolver::resolve(const ToolReplies::Reply &reply) {
  isAsked_[reply.stream] = false;
  --outstanding_;
  bool isFailure = reply.reply.kind == ToolReply::Kind::Error;
  if (isFailure && outcome_.failures.size() < kMaxFailures)
    outcome_.failures.push_back(
        fmt::format("Stream {}: {}", reply.stream,
                    printableLine(reply.reply.text, kMaxFailureBytes)));
  return engine_.resolve(reply.stream, toResolution(reply.reply));
}

Result<RunOutcome> vm::token::runToEnd(Engine &engine, ToolSet &tools,
                                       const TextCodec &codec,
                                       const std::function<bool()> &goesOn) {
  Resolver resolver(engine, tools, codec);
  VM_RETURN_IF_ERROR(resolver.run(goesOn));
  return resolver.takeOutcome();
}
