//===- ToolProcess.cpp - a program as a tool ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ToolProcess.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <system_error>

#include <poll.h>

using namespace vm;
using namespace vm::token;

/// How long a program may take to end by itself.
static constexpr std::chrono::milliseconds kGrace(500);

/// The program has ended, or else what is said of it.
static Status atEnd(const char *orElse) {
  return Status(Code::DeviceLost, orElse);
}

//===--- For all threads --------------------------------------------------===//

Result<std::unique_ptr<ToolProcess>>
ToolProcess::start(const std::string &name, const std::string &command,
                   std::chrono::milliseconds timeout, ToolReplies &replies) {
  std::string where = fmt::format("starting the tool \"{}\"", name);
  WakeUp wakeUp;
  Result<ChildProcess> child = ChildProcess::start(command);
  if (!child.ok())
    return child.status().withContext(where);
  Status noRoom(Code::OutOfMemory, "The system has no room for a thread.");
  if (wakeUp.descriptor() < 0)
    return noRoom.withContext(where);
  try {
    return std::unique_ptr<ToolProcess>(new ToolProcess(
        name, timeout, replies, std::move(*child), std::move(wakeUp)));
  } catch (const std::system_error &) {
    return noRoom.withContext(where);
  }
}

ToolProcess::ToolProcess(std::string name, std::chrono::milliseconds timeout,
                         ToolReplies &replies, ChildProcess child,
                         WakeUp wakeUp)
    : name_(std::move(name)), timeout_(timeout), replies_(replies),
      child_(std::move(child)), pid_(child_.pid()), wakeUp_(std::move(wakeUp)),
      thread_([this] { serve(); }) {}

ToolProcess::~ToolProcess() {
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  wakeUp_.signal();
}

std::string ToolProcess::toError(const std::string &why) const {
  return fmt::format("The tool \"{}\" is broken: {}", name_, why);
}

void ToolProcess::ask(int32_t stream, const std::string &text) {
  std::lock_guard lock(mutex_);
  if (broken_) {
    replies_.put(stream, ToolReply::error(toError(*broken_)));
    return;
  }
  std::string line = toolRequestLine(nextId_, stream, name_, text);
  if (size_t bytes = line.size() - 1; bytes > kMaxToolLine) {
    replies_.put(stream, ToolReply::error(fmt::format(
                             "A request to the tool \"{}\" has {} bytes, more "
                             "than a line may have ({}).",
                             name_, bytes, kMaxToolLine)));
    return;
  }
  asked_.push_back({nextId_++, stream, std::move(line), ToolClock::now()});
  wakeUp_.signal();
}

//===--- The thread -------------------------------------------------------===//

/// A write to a program that has ended must fail, not end the host.
static void blockSignals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void ToolProcess::serve() {
  blockSignals();
  while (takeRequests()) {
    waitForEvent();
    if (Status status = exchange(); !status.ok()) {
      breakDown(status);
      return;
    }
    expire();
  }
  child_.finish(kGrace);
  child_.kill();
}

/// False at the end.
bool ToolProcess::takeRequests() {
  std::lock_guard lock(mutex_);
  std::ranges::move(asked_, std::back_inserter(unsent_));
  asked_.clear();
  return !isOver_;
}

/// The program may take bytes at any time while it reads.
ToolClock::time_point ToolProcess::deadlineOf(const Request &unsent) const {
  return std::max(unsent.asked, progress_) + timeout_;
}

void ToolProcess::waitForEvent() {
  auto first = ToolClock::time_point::max();
  if (!sent_.empty())
    first = sent_.begin()->second.deadline;
  auto open = std::ranges::find(unsent_, false, &Request::isOver);
  if (open != unsent_.end())
    first = std::min(first, deadlineOf(*open));
  int wait = -1;
  if (first != ToolClock::time_point::max()) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(first - ToolClock::now());
    wait = int(std::clamp<int64_t>(left.count(), 0, INT32_MAX));
  }
  std::array<pollfd, 4> events = {{
      {wakeUp_.descriptor(), POLLIN, 0},
      {child_.output(), POLLIN, 0},
      {child_.ended(), POLLIN, 0},
      {unsent_.empty() ? -1 : child_.input(), POLLOUT, 0},
  }};
  ::poll(events.data(), events.size(), wait);
  wakeUp_.clear();
  ended_ = events[2].revents != 0;
}

/// A failure breaks the tool: DeviceLost at its end, BadInput for what it
/// wrote. Answers come before what breaks it.
Status ToolProcess::exchange() {
  VM_RETURN_IF_ERROR(readAll());
  return ended_ ? atEnd("It has ended.") : writeAll();
}

Status ToolProcess::readAll() {
  std::array<char, 65536> bytes;
  while (true) {
    Transfer transfer = child_.read(bytes.data(), bytes.size());
    if (transfer.kind == Transfer::Kind::Nothing)
      return Status();
    if (transfer.kind == Transfer::Kind::Closed)
      return atEnd("It has closed its output.");
    reader_.append({bytes.data(), transfer.bytes});
    VM_RETURN_IF_ERROR(readLines());
  }
}

Status ToolProcess::readLines() {
  std::string_view line;
  while (reader_.next(line))
    VM_RETURN_IF_ERROR(accept(line));
  if (!reader_.isTooLong())
    return Status();
  return Status(
      Code::BadInput,
      fmt::format("It wrote a line of more than {} bytes.", kMaxToolLine));
}

Status ToolProcess::accept(std::string_view line) {
  Result<ToolAnswerLine> answer = readToolAnswer(line);
  if (!answer.ok())
    return answer.status();
  auto found = sent_.find(answer->id);
  if (found != sent_.end()) {
    Result<ToolReply> &reply = answer->reply;
    replies_.put(found->second.stream,
                 reply.ok() ? std::move(*reply)
                            : ToolReply::error(fmt::format(
                                  "The tool \"{}\" does not answer: {}", name_,
                                  reply.status().message())));
    sent_.erase(found);
    return Status();
  }
  if (late_.erase(answer->id) != 0)
    return Status();
  return Status(Code::BadInput,
                fmt::format("It answered request {}, which is not outstanding.",
                            answer->id));
}

Status ToolProcess::writeAll() {
  while (!unsent_.empty()) {
    const std::string &line = unsent_.front().line;
    Transfer transfer =
        child_.write(line.data() + written_, line.size() - written_);
    if (transfer.kind == Transfer::Kind::Nothing)
      return Status();
    if (transfer.kind == Transfer::Kind::Closed) {
      child_.finish(kGrace); // It ends, as a rule; then it has said all.
      VM_RETURN_IF_ERROR(readAll());
      return atEnd("It has closed its input.");
    }
    markWritten(transfer.bytes);
  }
  return Status();
}

void ToolProcess::markWritten(size_t bytes) {
  progress_ = ToolClock::now();
  written_ += bytes;
  const Request &request = unsent_.front();
  if (written_ < request.line.size())
    return;
  if (request.isOver)
    late_.insert(request.id);
  else
    sent_[request.id] = {request.stream, progress_ + timeout_};
  unsent_.pop_front();
  written_ = 0;
}

//===--- Failures ---------------------------------------------------------===//

void ToolProcess::expire() {
  ToolClock::time_point now = ToolClock::now();
  while (!sent_.empty() && sent_.begin()->second.deadline <= now) {
    auto first = sent_.begin();
    replies_.put(first->second.stream, {ToolReply::Kind::TimedOut, ""});
    late_.insert(first->first);
    sent_.erase(first);
  }
  expireUnsent(now);
}

/// Those that the program does not read. One of which a part is written stays,
/// for the rest of its line.
void ToolProcess::expireUnsent(ToolClock::time_point now) {
  auto isDue = [&](const Request &request) {
    return !request.isOver && deadlineOf(request) <= now;
  };
  for (Request &request : unsent_)
    if (isDue(request)) {
      replies_.put(request.stream, {ToolReply::Kind::TimedOut, ""});
      request.isOver = true;
    }
  bool isPartial = written_ > 0;
  auto rest = unsent_.begin() + (isPartial ? 1 : 0);
  unsent_.erase(std::remove_if(rest, unsent_.end(),
                               [](const Request &r) { return r.isOver; }),
                unsent_.end());
}

/// Nothing is said to the program and nothing heard of it any more.
void ToolProcess::breakDown(const Status &why) {
  bool isAtEnd = why.code() == Code::DeviceLost;
  if (isAtEnd) // It may have closed its pipes a moment before.
    child_.finish(kGrace);
  std::string ended = child_.kill();
  std::string reason =
      isAtEnd && !ended.empty() ? fmt::format("It {}.", ended) : why.message();
  std::lock_guard lock(mutex_);
  broken_ = reason;
  std::ranges::move(asked_, std::back_inserter(unsent_));
  asked_.clear();
  for (const auto &[id, sent] : sent_)
    replies_.put(sent.stream, ToolReply::error(toError(reason)));
  for (const Request &request : unsent_)
    if (!request.isOver)
      replies_.put(request.stream, ToolReply::error(toError(reason)));
  sent_.clear();
  unsent_.clear();
}
