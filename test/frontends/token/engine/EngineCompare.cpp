//===- EngineCompare.cpp - random workflows on one engine -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   gpuvm_token_engine_compare program STREAMS [MODULES]
//   gpuvm_token_engine_compare PLAN SEED COUNT STREAMS [DEVICE [MODULES]]
//
// The first prints a gpuvm program with room for all random machines and so
// many streams. The second runs COUNT machines of eight random workflows each
// on the reference and on that plan, which none of them is compiled for, and
// compares tokens, what they did, statuses and what tools are asked. Streams
// are answered in an order of chance. Exits with 1 if one of them differs.
//
// MODULES is a set of RandomModules.h, which both then have; a machine has no
// more classes than a transition module may be given, and two workflows. After
// "text", as "text" or "text+each", workflows match text.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineRun.h"
#include "frontends/token/engine/EngineText.h"
#include "frontends/token/reference/Reference.h"
#include "test/frontends/token/engine/RandomMachine.h"
#include "test/frontends/token/engine/RandomModules.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

using namespace vm;
using namespace vm::token;

static constexpr int kWorkflows = 8, kWorkflowsWithModules = 2;

/// What a plan and its machines have besides.
struct Variant {
  std::vector<RandomModule> modules;
  bool text = false;

  explicit Variant(std::string name) {
    constexpr std::string_view kText = "text";
    text = name.starts_with(kText);
    modules = randomModules(
        text ? name.substr(std::min(kText.size() + 1, name.size())) : name);
  }
};

static std::vector<ModuleInfo> infosOf(const Variant &variant) {
  std::vector<ModuleInfo> infos;
  for (const RandomModule &module : variant.modules)
    infos.push_back(module.engine.info);
  return infos;
}

static EngineSizes roomForAll(int32_t streams, const Variant &variant) {
  EngineSizes room;
  room.streams = room.answerRows = streams;
  room.turns = 16;
  room.steps = 8;
  room.workflows = kWorkflows;
  room.phrases = 2048;
  room.zones = 128;
  room.classWords = 32;
  room.tokens = 16384;
  room.vocabulary = 512;
  room.nodes = 8192;
  room.symbols = variant.text ? 64 : 16;
  room.hits = 16384;
  room.textStates = variant.text ? 4096 : 0;
  room.textColumns = variant.text ? 128 : 0;
  room.answerTokens = 16;
  if (variant.modules.empty())
    return room;
  room.classWords = 2;
  addModules(infosOf(variant), room);
  Limits limits;
  limits.budget = 128; // Fewer than streams have: records of several submits.
  return roomFor(room, limits);
}

static std::string programText(int32_t streams, const Variant &variant) {
  std::vector<EngineModule> own;
  for (const RandomModule &module : variant.modules)
    own.push_back(module.engine);
  return writeEngine(roomForAll(streams, variant), "", own);
}

/// What a tool said, or was asked.
struct Request {
  int32_t stream = 0, tool = 0;
  std::vector<TokenPart> capture;
  auto operator<=>(const Request &) const = default;
};

/// A stream's requests are in its order, whenever they are answered.
using Requests = std::vector<std::vector<Request>>;

/// Depends on what is asked alone.
static Resolution answerTo(const Request &request) {
  uint32_t hash = uint32_t(request.stream * 31 + request.tool);
  for (TokenPart part : request.capture)
    hash = (hash ^ uint32_t(part.token) ^ uint32_t(part.bytes)) * 16777619u;
  hash ^= hash >> 15;
  if (hash % 41 == 0)
    return {Resolution::Kind::Failed, {}};
  if (hash % 41 == 1)
    return {Resolution::Kind::TimedOut, {}};
  std::vector<int32_t> answer(hash % 41 == 2 ? 17 : (hash >> 8) % 12);
  for (int32_t &token : answer) {
    hash = hash * 1664525u + 1013904223u;
    token = 'a' + int32_t((hash >> 24) % 4);
  }
  return {Resolution::Kind::Answer, answer};
}

static Status runToEnd(Engine &engine, std::mt19937 &random,
                       Requests &requests) {
  requests.assign(engine.streams(), {});
  while (true) {
    VM_RETURN_IF_ERROR(engine.advance());
    bool isOver = true;
    for (int32_t b = 0; b < engine.streams(); ++b) {
      isOver &= engine.status(b) != StreamStatus::Running &&
                engine.status(b) != StreamStatus::Waiting;
      if (engine.status(b) != StreamStatus::Waiting || random() % 4 == 0)
        continue;
      Request request{b, engine.pending(b), engine.capture(b)};
      requests[b].push_back(request);
      VM_RETURN_IF_ERROR(engine.resolve(b, answerTo(request)));
    }
    if (isOver)
      return {};
  }
}

/// What differs; empty if nothing does.
static std::string difference(const Engine &expected, const Engine &found) {
  for (int32_t b = 0; b < expected.streams(); ++b) {
    const StreamRecord &one = expected.record(b), &other = found.record(b);
    for (size_t t = 0; t < std::max(one.size(), other.size()); ++t)
      if (t >= one.size() || t >= other.size() || !(one[t] == other[t]))
        return fmt::format("stream {}, token {} of {} and {}", b, t, one.size(),
                           other.size());
    if (expected.status(b) != found.status(b))
      return fmt::format("stream {}: {} and {}", b,
                         toString(expected.status(b)),
                         toString(found.status(b)));
    if (!(expected.position(b) == found.position(b)))
      return fmt::format("stream {}: where it ends", b);
    if (expected.capture(b) != found.capture(b))
      return fmt::format("stream {}: what is captured", b);
    if (expected.moduleStates(b) != found.moduleStates(b))
      return fmt::format("stream {}: the states of modules", b);
  }
  return {};
}

namespace {
/// The totals of all machines.
struct Totals {
  int64_t tokens = 0, requests = 0;
  std::array<int64_t, kStreamStatuses> statuses = {};
};
} // namespace

static Machine machineFor(std::mt19937 &random, const Variant &variant) {
  if (variant.modules.empty())
    return randomMachine(random, kWorkflows, variant.text);
  while (true) {
    Machine machine =
        randomMachine(random, kWorkflowsWithModules, variant.text);
    if (machine.classes <= kMaxModuleClasses)
      return machine;
  }
}

/// What differs, or why it did not run.
static std::string compare(DevicePlan &plan, uint32_t seed, int32_t streams,
                           const Variant &variant, Totals &totals) {
  std::mt19937 random(seed);
  Machine machine = machineFor(random, variant);
  Limits limits{int32_t(random() % 200), int32_t(random() % 24), 16};
  auto model = makeTestModel(machine, seed);
  if (!model.ok())
    return model.status().message();
  ReferenceOptions how{streams, limits};
  for (const RandomModule &module : variant.modules)
    how.modules.push_back(module.reference);
  auto reference = Reference::create(machine, **model, how);
  if (!reference.ok())
    return reference.status().message();
  auto engine = EngineRun::create(plan, machine,
                                  {streams, limits, seed, infosOf(variant)});
  if (!engine.ok())
    return engine.status().message();
  Requests one, other;
  if (Status status = runToEnd(**reference, random, one); !status.ok())
    return status.message();
  if (Status status = runToEnd(**engine, random, other); !status.ok())
    return status.message();
  if (one != other)
    return "what tools are asked";
  totals.tokens += (*engine)->steps();
  for (int32_t b = 0; b < streams; ++b) {
    totals.requests += int64_t(one[b].size());
    ++totals.statuses[size_t((*reference)->status(b))];
  }
  return difference(**reference, **engine);
}

static int32_t toNumber(const char *text) {
  return int32_t(std::strtol(text, nullptr, 10));
}

int main(int argc, char **argv) {
  if (argc > 2 && std::strcmp(argv[1], "program") == 0) {
    Variant variant(argc > 3 ? argv[3] : "");
    fmt::print("{}", programText(toNumber(argv[2]), variant));
    return 0;
  }
  if (argc < 5) {
    fmt::print(stderr, "usage: {} PLAN SEED COUNT STREAMS [DEVICE [MODULES]]\n",
               argv[0]);
    return 2;
  }
  uint32_t seed = uint32_t(toNumber(argv[2]));
  int count = toNumber(argv[3]), bad = 0;
  DeviceOptions device;
  if (argc > 5)
    device.device = argv[5];
  Result<DevicePlan> plan = DevicePlan::open(argv[1], device);
  if (!plan.ok()) {
    fmt::print(stderr, "{}\n", plan.status().message());
    return 2;
  }
  Variant variant(argc > 6 ? argv[6] : "");
  int workflows = variant.modules.empty() ? kWorkflows : kWorkflowsWithModules;
  Totals totals;
  for (int i = 0; i < count; ++i)
    if (std::string what =
            compare(*plan, seed + i, toNumber(argv[4]), variant, totals);
        !what.empty()) {
      fmt::print("seed {}: {}\n", seed + i, what);
      ++bad;
    }
  fmt::print("machines: {}, workflows: {}, tokens: {}, requests: {}, bad: {}\n",
             count, count * workflows, totals.tokens, totals.requests, bad);
  for (int status = 0; status < kStreamStatuses; ++status)
    fmt::print("{}: {}\n", toString(StreamStatus(status)),
               totals.statuses[status]);
  return bad != 0;
}
