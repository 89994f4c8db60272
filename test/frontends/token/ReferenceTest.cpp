//===- ReferenceTest.cpp - many streams, and random machines --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/token/TokenTesting.h"

#include <algorithm>
#include <map>
#include <random>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

//===--- Many streams -----------------------------------------------------===//

MachineBuilder speaking(const std::string &prompt, const std::string &name) {
  MachineBuilder builder;
  builder.zone(prompt, builder.pattern("]"));
  builder.names().name = name;
  return builder;
}

/// Two workflows of one zone each.
Machine twoWorkflows() {
  Machine machine = speaking("first ", "one").build();
  Machine second = speaking("second ", "two").build();
  machine.zones.push_back(second.zones[0]);
  machine.zones[1].tokenStart += 6;
  machine.zones[1].tokenEnd += 6;
  machine.zones[0].nextAddress = machine.zones[1].nextAddress = 2;
  machine.tokenData.insert(machine.tokenData.end(), second.tokenData.begin(),
                           second.tokenData.end());
  machine.workflows.push_back(second.workflows[0]);
  machine.workflows[1].entry = 1;
  machine.testModels.push_back(second.testModels[0]);
  return machine;
}

TEST(TokenReference, StreamsTakeWorkflowsInTurn) {
  ReferenceOptions options = withLimits(100);
  options.streams = 5;
  Streams streams(twoWorkflows(), {"a]", "b]", "c]", "d]", "e]"}, options);
  streams.advance();
  std::string texts;
  for (int32_t b = 0; b < 5; ++b)
    texts += streams.text(b) + '|';
  EXPECT_EQ(texts, "first a]|second b]|first c]|second d]|first e]|");
  EXPECT_EQ(streams.zones(1), "111111111");
  EXPECT_EQ(streams->workflowOf(3), 1);
}

TEST(TokenReference, AStreamThatStandsEmitsPadding) {
  ReferenceOptions options = withLimits(4);
  options.streams = 3;
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  builder.output(0);
  builder.zone("", 0);
  Streams streams(builder.build(), {"a]c]", "abcdef", "]"}, options);
  std::vector<std::vector<int32_t>> steps;
  for (int i = 0; i < 5; ++i)
    steps.push_back(streams->step());
  using Step = std::vector<int32_t>;
  EXPECT_EQ(steps[0], (Step{'a', 'a', ']'}));
  EXPECT_EQ(steps[1], (Step{']', 'b', 256})); // 2 waits.
  EXPECT_EQ(steps[2], (Step{256, 'c', 256}));
  EXPECT_EQ(steps[3], (Step{256, 'd', 256}));
  EXPECT_EQ(steps[4], (Step{256, 256, 256})); // 1 has no budget left.
  EXPECT_EQ(streams.text(0), "a]");           // Nothing in its own record.
  EXPECT_EQ(streams.log(2).observed, "]");
  EXPECT_EQ(streams.status(1), StreamStatus::Budget);
}

TEST(TokenReference, AFailedStreamDisturbsNoOther) {
  ReferenceOptions options = withLimits(100);
  options.streams = 2;
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  builder.output(0);
  builder.zone("", 0);
  Streams streams(builder.build(), {"a]", "b]c]"}, options);
  streams.advance();
  ASSERT_TRUE(streams->resolve(0, {Resolution::Kind::Failed, {}}).ok());
  streams.answer("x", 1);
  EXPECT_EQ(streams.status(0), StreamStatus::ToolFailed);
  EXPECT_EQ(streams.status(1), StreamStatus::Done);
  EXPECT_EQ(streams.text(1), "b]c]");
}

TEST(TokenReference, OnlyAStreamThatWaitsIsResolved) {
  Streams streams(speaking("", "chat").build(), {"]"});
  Status status = streams->resolve(0, {});
  EXPECT_EQ(status.code(), Code::Usage);
  EXPECT_EQ(status.message(), "Stream 0 is RUNNING and waits for no answer.");
}

TEST(TokenReference, OptionsOutOfRangeAreRefused) {
  Machine machine = speaking("", "chat").build();
  ScriptModel model({""});
  auto refuse = [&](auto change) {
    ReferenceOptions options;
    change(options);
    Result<std::unique_ptr<Reference>> made =
        Reference::create(machine, model, options);
    EXPECT_FALSE(made.ok());
    return made.ok() ? "" : made.status().message();
  };
  EXPECT_EQ(refuse([](ReferenceOptions &o) { o.streams = 0; }),
            "The number of streams is 0 (1 to 1048576 is allowed).");
  EXPECT_EQ(refuse([](ReferenceOptions &o) { o.threads = 257; }),
            "The number of threads is 257 (1 to 256 is allowed).");
  EXPECT_EQ(refuse([](ReferenceOptions &o) { o.limits.budget = -1; }),
            "The budget is -1 (0 to 2147483647 is allowed).");
  machine.workflows.clear();
  EXPECT_EQ(refuse([](ReferenceOptions &) {}), "The machine has no workflow.");
}

//===--- Random machines --------------------------------------------------===//

/// As the tensor form allows them, with escapes, loops, tools and limits.
class RandomMachine {
public:
  explicit RandomMachine(uint32_t seed) : random_(seed) {}

  Machine make() {
    const char *texts[] = {"]", "!", "ab", "(", ")", "c]d"};
    for (const char *text : texts)
      builder_.pattern(text);
    builder_.alternative(2, "pq]");
    int count = 2 + pick(5);
    for (int z = 0; z < count; ++z)
      addZone(z, count);
    return builder_.build();
  }

private:
  int pick(int below) { return int(random_() % uint32_t(below)); }

  std::string prompt() {
    std::string text;
    for (int left = pick(3) ? pick(6) : 0; left > 0; --left)
      text += "abcx(]!)"[pick(8)];
    return text;
  }

  void addZone(int z, int count) {
    int32_t row = std::array{0, 2, 5}[pick(3)];
    Zone &zone = builder_.zone(prompt(), row);
    zone.nextAddress = pick(3) ? z + 1 : pick(count + 1);
    zone.escapeOpen = {3};
    zone.escapeClose = {4};
    zone.timeout = pick(2) ? 3 + pick(12) : 0;
    zone.inert = pick(2);
    zone.tags = pick(2) ? IndexSet{0} : IndexSet{1, 2};
    if (pick(2))
      builder_.jump(1, pick(count + 1));
    if (pick(3) == 0)
      builder_.output(pick(2));
    if (pick(4) == 0)
      builder_.input(pick(2));
  }

  std::mt19937 random_;
  MachineBuilder builder_;
};

/// What became of a stream.
struct Life {
  StreamRecord record;
  StreamState state;
  std::vector<std::string> requests;
  bool operator==(const Life &) const = default;
};

/// Answers each request with a text that depends on it alone.
std::vector<Life> live(const Machine &machine, const ReferenceOptions &options,
                       bool stepwise = false) {
  Result<std::unique_ptr<Model>> model = makeTestModel(machine, 5);
  std::unique_ptr<Reference> reference =
      std::move(*Reference::create(machine, **model, options));
  std::vector<Life> lives(options.streams);
  for (bool waits = true; waits;) {
    waits = false;
    if (stepwise)
      for (int i = 0; i < options.limits.budget; ++i)
        reference->step();
    else
      EXPECT_TRUE(reference->advance().ok());
    for (int32_t b = options.streams; b-- > 0;) {
      if (reference->status(b) != StreamStatus::Waiting)
        continue;
      waits = true;
      std::string text = ByteCodec().decode(reference->capture(b));
      lives[b].requests.push_back(text);
      std::reverse(text.begin(), text.end());
      EXPECT_TRUE(reference->resolve(b, {{}, ids(text + "](!")}).ok());
    }
  }
  for (int32_t b = 0; b < options.streams; ++b) {
    lives[b].record = reference->record(b);
    lives[b].state = reference->state(b);
  }
  return lives;
}

/// All that holds for every machine.
void checkLife(const Machine &machine, const Life &life, int32_t budget) {
  const StreamRecord &record = life.record;
  EXPECT_EQ(life.state.clock, int32_t(record.size()));
  EXPECT_LE(life.state.clock, budget);
  for (size_t i = 0; i < record.size(); ++i) {
    const TokenRecord &token = record[i];
    const Zone &zone = machine.zones[token.zone];
    EXPECT_TRUE(zone.timeout == 0 || token.tokenNumber < zone.timeout);
    EXPECT_EQ(token.closing > 0, token.event != Event::None);
    EXPECT_LE(token.closing, token.tokenNumber + 1);
    int32_t next = token.event == Event::Jump      ? zone.jumpAddress
                   : token.event == Event::Advance ? zone.nextAddress
                                                   : token.zone;
    bool isLast = i + 1 == record.size();
    EXPECT_EQ(isLast ? life.state.pc : record[i + 1].zone, next);
    int32_t number = token.event == Event::None ? token.tokenNumber + 1 : 0;
    EXPECT_EQ(isLast ? life.state.tokenNumber : record[i + 1].tokenNumber,
              number);
  }
}

TEST(TokenReference, AResultDependsNeitherOnTheBatchNorOnThreadsNorOnSteps) {
  std::map<StreamStatus, int> statuses;
  size_t requests = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Machine machine = RandomMachine(seed).make();
    ReferenceOptions options = withLimits(200, 20, 12);
    options.streams = 24;
    std::vector<Life> lives = live(machine, options);
    options.threads = 3;
    EXPECT_EQ(live(machine, options), lives) << seed;
    EXPECT_EQ(live(machine, options, /*stepwise=*/true), lives) << seed;
    options.streams = 5;
    std::vector<Life> few = live(machine, options);
    for (int32_t b = 0; b < 5; ++b)
      EXPECT_EQ(few[b], lives[b]) << seed << ' ' << b;
    for (const Life &life : lives) {
      checkLife(machine, life, 200);
      ++statuses[life.state.status];
      requests += life.requests.size();
    }
  }
  // The machines are worth something.
  EXPECT_GT(requests, 100u);
  for (StreamStatus status : {StreamStatus::Done, StreamStatus::AnswerTooLong,
                              StreamStatus::CaptureFull, StreamStatus::Budget})
    EXPECT_GT(statuses[status], 5) << toString(status);
}

} // namespace
