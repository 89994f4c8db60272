//===- Scheduler.cpp - answers for several threads at once ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/Scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace vm::llm {

namespace {
/// Tokens of a prompt that are read while others wait for tokens, on a GPU (a
/// chunk of a plan, a few milliseconds) and on a processor.
constexpr size_t kPieceTokens = 512, kProcessorPieceTokens = 64;
/// Tokens that others get between two of these pieces.
constexpr uint32_t kStepsBetween = 4;
/// How often a waiting thread asks whether its request is still wanted.
constexpr std::chrono::milliseconds kAskAgain(20);
/// What a prompt counts for at least: a short one takes as long.
constexpr size_t kLeastTokens = 32;

using Clock = std::chrono::steady_clock;
} // namespace

/// On the stack of the thread that waits for it. All but `wanted` belongs to
/// the mutex, from when it waits.
struct Scheduler::Request {
  const Continuation &wanted;
  std::vector<float> *vector = nullptr; ///< Wanted instead of tokens.
  Clock::time_point start = Clock::now();
  std::condition_variable hasNews;
  uint32_t place = 0;
  bool isRead = false; ///< Its prompt is.
  size_t made = 0;     ///< Tokens, of which these are not taken:
  std::deque<DrawnToken> tokens;
  bool isAbandoned = false, isOver = false;
  Continued result;
  Status status;
};

Scheduler::Scheduler(ModelRun run)
    : run_(std::move(run)), places_(run_.places()),
      thread_([this] { work(); }) {}

Scheduler::~Scheduler() {
  {
    std::lock_guard lock(mutex_);
    isEnding_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::vector<Scheduler::Place> Scheduler::places() const {
  std::lock_guard lock(mutex_);
  return places_;
}

size_t Scheduler::waiting() const {
  std::lock_guard lock(mutex_);
  return waiting_.size();
}

//===----------------------------------------------------------------------===//
// Threads that ask
//===----------------------------------------------------------------------===//

/// Without a place it is over at once, otherwise when the thread that answers
/// comes to it.
void Scheduler::abandon(Request &request) {
  request.isAbandoned = true;
  request.tokens.clear();
  if (std::erase(waiting_, &request) > 0)
    request.isOver = true;
}

/// Until it is over.
void Scheduler::wait(Request &request,
                     const std::function<bool(const DrawnToken &)> &take) {
  const std::function<bool()> &isWanted = request.wanted.isWanted;
  std::unique_lock lock(mutex_);
  waiting_.push_back(&request);
  changed_.notify_one();
  while (true) {
    bool hasNews = request.hasNews.wait_for(lock, kAskAgain, [&] {
      return request.isOver || !request.tokens.empty();
    });
    if (hasNews && request.tokens.empty())
      return;
    DrawnToken token;
    if (hasNews) {
      token = std::move(request.tokens.front());
      request.tokens.pop_front();
    }
    lock.unlock();
    bool goesOn = hasNews ? take(token) : !isWanted || isWanted();
    lock.lock();
    if (!goesOn)
      abandon(request);
  }
}

Result<Continued>
Scheduler::answer(const Continuation &wanted,
                  const std::function<bool(const DrawnToken &)> &take) {
  Request request = {.wanted = wanted};
  wait(request, take);
  if (!request.status.ok())
    return request.status;
  if (request.isAbandoned)
    request.result.end = End::Cancelled;
  return request.result;
}

Result<std::vector<float>>
Scheduler::embed(std::span<const int32_t> tokens,
                 const std::function<bool()> &isWanted) {
  std::vector<float> vector;
  Continuation text = {.prompt = tokens, .isWanted = isWanted};
  Request request = {.wanted = text, .vector = &vector};
  wait(request, {});
  if (!request.status.ok())
    return request.status;
  return vector;
}

//===----------------------------------------------------------------------===//
// The thread that answers
//===----------------------------------------------------------------------===//

void Scheduler::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] {
      return isEnding_ || !waiting_.empty() || !active_.empty();
    });
    if (isEnding_)
      return;
    dropAbandoned();
    admit();
    lock.unlock();
    readPrompts();
    generate();
    lock.lock();
  }
}

/// The request is its thread's again, and its place is free.
void Scheduler::finish(Request &request, End end, Status status) {
  std::erase(active_, &request);
  size_t tokens = request.wanted.prompt.size() + request.made;
  places_[request.place] = {/*isBusy=*/false, tokens};
  run_.end(request.place);
  request.result.end = end;
  if (auto norms = run_.attentionNorms(); norms.ok())
    request.result.norms = std::move(*norms);
  request.status = std::move(status);
  request.isOver = true;
  request.hasNews.notify_one();
}

void Scheduler::dropAbandoned() {
  for (Request *request : std::vector(active_))
    if (request->isAbandoned)
      finish(*request, End::Cancelled);
}

/// Gives requests that wait the places that are free, in the order in which
/// they came, as long as there is room for all of their tokens.
void Scheduler::admit() {
  while (!waiting_.empty() && active_.size() < places_.size()) {
    Request &request = *waiting_.front();
    std::span<const int32_t> prompt = request.wanted.prompt;
    auto free = std::ranges::find(places_, false, &Place::isBusy);
    request.place = static_cast<uint32_t>(free - places_.begin());
    Result<bool> hasRoom = true; // A vector's is taken when it is made.
    if (!request.vector)
      hasRoom = run_.begin(request.place, prompt,
                           prompt.size() + size_t(request.wanted.most));
    if (hasRoom.ok() && !*hasRoom && !active_.empty())
      return; // When another one ends, it is asked again.
    waiting_.pop_front();
    active_.push_back(&request);
    *free = {/*isBusy=*/true, prompt.size()};
    if (!hasRoom.ok())
      finish(request, End::Running, hasRoom.status());
    else if (!*hasRoom)
      finish(request, End::Running,
             {Code::OutOfMemory, fmt::format("The caches have no room for {} "
                                             "tokens and their continuation.",
                                             prompt.size())});
    else if (!request.vector)
      request.result.computedTokens = run_.unread(request.place) + 1;
  }
}

/// As many tokens of prompts as do not keep others waiting for long.
void Scheduler::readPrompts() {
  std::vector<Request *> unread;
  {
    std::lock_guard lock(mutex_);
    for (Request *request : active_)
      if (!request->isRead)
        unread.push_back(request);
  }
  size_t left = run_.isOnProcessor() ? kProcessorPieceTokens : kPieceTokens;
  for (Request *request : unread) {
    size_t count = request->wanted.prompt.size();
    if (request->vector)
      embed(*request);
    else
      count = read(*request, left);
    left -= std::min(left, std::max(count, kLeastTokens));
    if (left == 0)
      break;
  }
}

void Scheduler::embed(Request &request) {
  auto vector = run_.embed(request.place, request.wanted.prompt);
  if (vector.ok())
    *request.vector = std::move(*vector);
  std::lock_guard lock(mutex_);
  finish(request, End::Running, vector.status());
}

/// Returns how many tokens were read.
size_t Scheduler::read(Request &request, size_t most) {
  Result<size_t> count = run_.prefill(request.place, most);
  std::lock_guard lock(mutex_);
  if (!count.ok()) {
    finish(request, End::Running, count.status());
    return 0;
  }
  request.isRead = run_.unread(request.place) == 0;
  request.result.promptSeconds =
      std::chrono::duration<double>(Clock::now() - request.start).count();
  if (request.isRead && request.wanted.most == 0)
    finish(request, End::Limit);
  return *count;
}

/// Tokens for all whose prompt is read, until a request leaves or could join.
void Scheduler::generate() {
  std::vector<Request *> requests; // Null once they are finished.
  std::vector<Generation> all;
  {
    std::lock_guard lock(mutex_);
    std::ranges::copy_if(active_, std::back_inserter(requests),
                         [](Request *request) { return request->isRead; });
    bool othersRead = requests.size() < active_.size();
    for (Request *request : requests) {
      const Continuation &wanted = request->wanted;
      size_t most = wanted.most - request->made;
      if (othersRead)
        most = std::min<size_t>(most, kStepsBetween);
      all.push_back({.place = request->place,
                     .most = static_cast<uint32_t>(most),
                     .sampling = wanted.sampling,
                     .ends = wanted.ends});
    }
  }
  if (all.empty())
    return;
  Status status = run_.generate(
      all,
      [&](size_t i, const DrawnToken &token) {
        std::lock_guard lock(mutex_);
        Request &request = *requests[i];
        ++request.made;
        if (request.isAbandoned)
          return;
        request.tokens.push_back(token);
        request.hasNews.notify_one();
      },
      [&] {
        std::lock_guard lock(mutex_);
        return settle(all, requests);
      });
  if (status.ok())
    return;
  std::lock_guard lock(mutex_);
  for (Request *request : requests)
    if (request)
      finish(*request, End::Running, status);
}

/// Finishes those that have all their tokens. Whether the others can go on: no
/// request has left, and none that waits could join.
bool Scheduler::settle(std::span<const Generation> all,
                       std::span<Request *> requests) {
  bool hasLeft = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!requests[i])
      continue;
    End end = all[i].end;
    hasLeft |= requests[i]->isAbandoned;
    bool isLast =
        end == End::EndToken || end == End::Context ||
        (end == End::Limit && requests[i]->made >= requests[i]->wanted.most);
    if (isLast || !all[i].status.ok())
      finish(*std::exchange(requests[i], nullptr), end, all[i].status);
  }
  bool canJoin = !waiting_.empty() && active_.size() < places_.size();
  return !isEnding_ && !hasLeft && !canJoin;
}

} // namespace vm::llm
