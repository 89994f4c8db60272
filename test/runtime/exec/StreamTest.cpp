//===- StreamTest.cpp - data chunk by chunk -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance case 9: batches of which the elements above 5 are summed up and
// counted.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include "runtime/exec/Stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>

using namespace vm;
using namespace vm::test;

namespace {

constexpr uint32_t kRows = 8;
const std::vector<int32_t> kBatches = {2,   4,   6,   8,   10,  12,  14,
                                       16,  100, 200, 300, 400, 500, 600,
                                       700, 800, 1,   2,   3,   4};

/// Gives `data` chunk by chunk, and keeps what the program makes of it.
struct Feed {
  std::vector<int32_t> data = kBatches;
  size_t position = 0;
  bool saysLast = true;
  std::vector<int32_t> sums, doubled;

  StreamInput input() {
    return {0, [this](uint64_t, std::span<uint8_t> bytes) -> Result<Refill> {
              size_t rows = std::min(bytes.size() / sizeof(int32_t),
                                     data.size() - position);
              std::memcpy(bytes.data(), data.data() + position,
                          rows * sizeof(int32_t));
              position += rows;
              return Refill{rows, saysLast && position == data.size()};
            }};
  }
  static StreamOutput append(uint32_t index, std::vector<int32_t> &to) {
    return {index, [&to](uint64_t, std::span<const uint8_t> bytes) {
              size_t count = to.size();
              to.resize(count + bytes.size() / sizeof(int32_t));
              std::memcpy(to.data() + count, bytes.data(), bytes.size());
              return Status();
            }};
  }
  std::vector<StreamOutput> outputs() {
    return {append(0, sums), append(1, doubled)};
  }
};

class StreamTest : public DeviceTest {
protected:
  void TearDown() override {
    executor_.reset();
    DeviceTest::TearDown();
  }
  void open(const Plan &plan = makeStreamProgram(kRows)) {
    executor_ = load(plan);
    ASSERT_TRUE(executor_);
  }
  std::vector<int32_t> state() {
    std::vector<int32_t> values(6);
    EXPECT_OK(
        executor_->readRegion(Region::Globals, 0, asWritableBytes(values)));
    return values;
  }
  void setLimit(int32_t limit) {
    std::vector<int32_t> value = {limit};
    EXPECT_OK(executor_->writeRegion(Region::Globals, 20, asBytes(value)));
  }
  StreamTotals stream(Feed &feed, const StreamOptions &options = {}) {
    Result<StreamTotals> totals =
        runStream(*executor_, {feed.input()}, feed.outputs(), options);
    EXPECT_OK(totals.status());
    return totals.ok() ? *totals : StreamTotals();
  }
  void expectFailure(const std::vector<StreamInput> &inputs,
                     const std::vector<StreamOutput> &outputs, Code code,
                     const std::string &sentence) {
    Status status = runStream(*executor_, inputs, outputs).status();
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message(), sentence);
    EXPECT_FALSE(executor_->inFlight());
  }

  std::unique_ptr<Executor> executor_;
};

std::vector<int32_t> twice(std::vector<int32_t> values) {
  for (int32_t &value : values)
    value *= 2;
  return values;
}

TEST_F(StreamTest, PassesBatchesThroughOneProgram) {
  open();
  Feed feed;
  uint64_t submits = executor_->counters().executionSubmits;
  uint64_t hostSubmits = executor_->counters().hostAccessSubmits;
  StreamTotals totals = stream(feed);
  EXPECT_EQ(totals.chunks, 3u);
  EXPECT_EQ(totals.rows, 20u);
  EXPECT_EQ(totals.bytesIn, 80u);
  EXPECT_EQ(totals.bytesOut, 80u + 3 * 8);
  EXPECT_FALSE(totals.endedByProgram);
  EXPECT_EQ(executor_->counters().executionSubmits - submits, 3u);
  EXPECT_EQ(executor_->counters().hostAccessSubmits, hostSubmits);
  EXPECT_EQ(feed.sums, (std::vector<int32_t>{66, 6, 3600, 8, 0, 0}));
  EXPECT_EQ(feed.doubled, twice(kBatches)) << "the padding is not drained";
  EXPECT_EQ(state(), (std::vector<int32_t>{3666, 14, 20, 0 + 1 + 2, 1, 0}));
  EXPECT_GT(totals.wallUs, 0);
  EXPECT_GT(totals.deviceUs, 0);
}

TEST_F(StreamTest, CanFollowAnother) {
  open();
  for (int i = 0; i < 2; ++i) {
    Feed feed;
    stream(feed);
    EXPECT_EQ(feed.doubled, twice(kBatches));
  }
  EXPECT_EQ(state()[0], 2 * 3666);
  EXPECT_EQ(executor_->counters().recordings, 2u) << "one for each half";
  // An execution by itself works as well, with what the last chunk had.
  run(*executor_);
  std::vector<int32_t> doubled(kRows);
  EXPECT_OK(executor_->readOutput(1, asWritableBytes(doubled)));
  EXPECT_EQ(doubled, (std::vector<int32_t>{2, 4, 6, 8, 0, 0, 0, 0}));
}

TEST_F(StreamTest, DrainsBesidesReading) {
  open();
  StreamOptions options;
  options.drainBesides = true;
  Feed feed;
  // The first output is not taken before the third chunk is asked for: on one
  // thread this would never end.
  std::atomic<int> refills = 0;
  std::vector<StreamOutput> outputs = feed.outputs();
  auto drain = outputs[1].drain;
  outputs[1].drain = [&](uint64_t chunk, std::span<const uint8_t> bytes) {
    while (chunk == 0 && refills < 3)
      std::this_thread::yield();
    return drain(chunk, bytes);
  };
  StreamInput input = feed.input();
  auto refill = input.refill;
  input.refill = [&](uint64_t chunk, std::span<uint8_t> bytes) {
    ++refills;
    return refill(chunk, bytes);
  };
  Result<StreamTotals> totals =
      runStream(*executor_, {input}, outputs, options);
  EXPECT_OK(totals.status());
  EXPECT_EQ(feed.doubled, twice(kBatches));
  EXPECT_EQ(feed.sums, (std::vector<int32_t>{66, 6, 3600, 8, 0, 0}));

  outputs[1].drain = [](uint64_t, std::span<const uint8_t>) {
    return Status(Code::Usage, "The disk is full.");
  };
  feed.position = 0;
  EXPECT_EQ(runStream(*executor_, {feed.input()}, outputs, options)
                .status()
                .message(),
            "The disk is full.");
}

TEST_F(StreamTest, FindsTheEndByReading) {
  open();
  Feed feed;
  feed.data.resize(16);
  feed.saysLast = false;
  StreamTotals totals = stream(feed);
  EXPECT_EQ(totals.chunks, 2u);
  EXPECT_EQ(state()[4], 0) << "nobody knew that it was the last one";
  Feed empty;
  empty.data.clear();
  EXPECT_EQ(stream(empty).chunks, 0u);
  EXPECT_TRUE(empty.sums.empty());
}

TEST_F(StreamTest, EndsWhenTheProgramNoLongerAsks) {
  open();
  setLimit(10);
  Feed feed;
  StreamTotals totals = stream(feed);
  EXPECT_EQ(totals.chunks, 2u) << "14 are counted after the second one";
  EXPECT_TRUE(totals.endedByProgram);
  EXPECT_EQ(feed.sums, (std::vector<int32_t>{66, 6, 3600, 8}));
  EXPECT_EQ(state()[2], 16) << "the third one was never executed";
}

TEST_F(StreamTest, RefusesWhatCannotBeStreamed) {
  Plan plan = makeStreamProgram(kRows);
  plan.inputs.push_back(plan.inputs[0]);
  plan.inputs[1].name = "once";
  plan.inputs[1].residency = Residency::Load;
  plan.inputs.push_back(plan.inputs[0]);
  plan.inputs[2].name = "scalar";
  plan.inputs[2].shape = {};
  plan.inputs[2].window = plan.outputs[1].window;
  open(plan);
  Feed feed;
  StreamInput input = feed.input();
  expectFailure({}, {}, Code::Usage, "A stream needs at least one input.");
  input.input = 1;
  expectFailure({input}, {}, Code::BadInput,
                "Input \"once\" cannot be streamed: it is copied to the device "
                "once, when it is bound.");
  input.input = 2;
  expectFailure({input}, {}, Code::BadInput,
                "Input \"scalar\" cannot be streamed: it has no rows (i32).");
  expectFailure({feed.input()}, {}, Code::Usage,
                "Input \"once\" is not given.");
  plan = makeStreamProgram(kRows);
  plan.symbols[2].dtype = DType::F32;
  open(plan);
  expectFailure({feed.input()}, {}, Code::BadInput,
                "Symbol \"stream.rows\" has to be an i32 of region control (it "
                "is f32 of region control).");
}

TEST_F(StreamTest, StopsWhereTheHostFails) {
  open();
  Feed feed;
  Status failure(Code::BadInput, "The disk is on fire.");
  StreamInput input = feed.input();
  auto refill = input.refill;
  input.refill = [&](uint64_t chunk, std::span<uint8_t> bytes) {
    return chunk == 1 ? failure : refill(chunk, bytes);
  };
  expectFailure({input}, {}, Code::BadInput, failure.message());
  StreamOutput output = {
      0, [&](uint64_t, std::span<const uint8_t>) { return failure; }};
  feed.position = 0;
  expectFailure({feed.input()}, {output}, Code::BadInput, failure.message());
  StreamInput tooMany = {0, [](uint64_t, std::span<uint8_t>) -> Result<Refill> {
                           return Refill{9, true};
                         }};
  expectFailure({tooMany}, {}, Code::Usage,
                "Chunk 0 of input \"x\" has 9 rows, but there is room for 8.");
  feed.position = 0;
  EXPECT_EQ(stream(feed).chunks, 3u) << "it can go on afterwards";
}

TEST_F(StreamTest, InputsEndTogether) {
  Plan plan = makeStreamProgram(kRows);
  plan.inputs.push_back(plan.inputs[0]);
  plan.inputs[1].name = "z";
  plan.inputs[1].window = plan.outputs[1].window;
  open(plan);
  Feed x, z;
  z.data.resize(8);
  StreamInput second = z.input();
  second.input = 1;
  expectFailure({x.input(), second}, {}, Code::BadInput,
                "The streams of inputs \"x\" and \"z\" have different lengths: "
                "only one of them has chunk 1.");
  // An input that is not streamed is the same for all chunks.
  EXPECT_OK(executor_->bindInput(1, asBytes(std::vector<int32_t>(kRows, 7))));
  x.position = 0;
  EXPECT_EQ(stream(x).chunks, 3u);
}

//===--- Through the C ABI ------------------------------------------------===//

class StreamApiTest : public VmTest {};

struct Counting {
  int32_t next = 0;
  int stopAt = -1;
  std::vector<int32_t> sums;
};

int refillCounting(void *user, const char *input, uint64_t chunk, void *data,
                   size_t size, uint64_t *rows, int *last) {
  auto *counting = static_cast<Counting *>(user);
  EXPECT_STREQ(input, "x");
  EXPECT_EQ(size, kRows * sizeof(int32_t));
  EXPECT_EQ(*rows, kRows);
  EXPECT_EQ(*last, 0);
  auto *elements = static_cast<int32_t *>(data);
  for (uint32_t i = 0; i < kRows; ++i)
    elements[i] = counting->next++;
  *last = chunk == 99;
  return int(chunk) == counting->stopAt ? 7 : 0;
}

int drainCounting(void *user, const char *output, uint64_t, const void *data,
                  size_t size) {
  EXPECT_STREQ(output, "sums");
  EXPECT_EQ(size, 8u);
  int32_t sum = 0;
  std::memcpy(&sum, data, sizeof(sum));
  static_cast<Counting *>(user)->sums.push_back(sum);
  return 0;
}

TEST_F(StreamApiTest, StreamsThroughCallbacks) {
  gpuvm::Vm &vm = program(makeStreamProgram(kRows));
  Counting counting;
  const char *inputs[] = {"x"}, *outputs[] = {"sums"};
  gpuvm_stream stream = {sizeof(stream), &counting, inputs, 1,
                         refillCounting, outputs,   1,      drainCounting};
  uint64_t chunks = 0;
  EXPECT_VM_OK(vm, stream(stream, &chunks));
  EXPECT_EQ(chunks, 100u);
  EXPECT_EQ(counting.sums.size(), 100u);
  EXPECT_EQ(std::accumulate(counting.sums.begin(), counting.sums.end(), 0),
            799 * 800 / 2 - 15);
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.submits, 100u);

  counting.stopAt = 4;
  EXPECT_EQ(vm.stream(stream, &chunks), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The refill callback of \"x\" stopped the stream at "
                        "chunk 4 (it returned 7).");
  EXPECT_EQ(chunks, 3u);
}

TEST_F(StreamApiTest, RefusesBadStreams) {
  gpuvm::Vm &vm = program(makeStreamProgram(kRows));
  EXPECT_EQ(vm_stream(vm.get(), nullptr, nullptr), GPUVM_ERROR_USAGE);
  gpuvm_stream stream = {};
  EXPECT_EQ(vm.stream(stream), GPUVM_ERROR_USAGE);
  EXPECT_NE(vm.error().find("struct_bytes"), std::string::npos) << vm.error();
  stream.struct_bytes = sizeof(stream);
  stream.num_inputs = 1;
  EXPECT_EQ(vm.stream(stream), GPUVM_ERROR_USAGE);
  const char *unknown[] = {"q"};
  stream.inputs = unknown;
  EXPECT_EQ(vm.stream(stream), GPUVM_ERROR_USAGE) << "no callback";
  stream.refill = refillCounting;
  EXPECT_EQ(vm.stream(stream), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm.error(), "The program has no input named \"q\" (known: x).");
}

} // namespace
