//===- ExchangesTest.cpp - plans that exchange bytes between ranks --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads here, each with a device of its own. What they must get is
// computed from what all of them have, as docs/plan-format.md says it.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"
#include "test/runtime/ranks/ThreadRanks.h"

#include "runtime/plan/Hazards.h"
#include "runtime/plan/PlanVerifier.h"

#include <csignal>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vm;
using namespace vm::test;

namespace {

using Bytes = std::vector<uint8_t>;

class ExchangesTest : public DeviceTest {
protected:
  using Body = std::function<void(Executor &, uint32_t rank)>;

  /// Calls `body` for each rank, on a thread of its own.
  void onRanks(const Plan &plan, const Body &body,
               const ExecutorOptions &common = {}) {
    ASSERT_OK(verifyPlan(plan));
    ASSERT_OK(checkHazards(plan));
    // As in processes: the validation layer fails with devices of one instance
    // on several threads.
    std::vector<std::unique_ptr<TestDevice>> devices(plan.ranks);
    for (std::unique_ptr<TestDevice> &device : devices)
      ASSERT_OK(TestDevice::open(device));
    runRanks(
        plan.ranks,
        [&](Communicator &ranks) {
          ExecutorOptions options = common;
          options.ranks = &ranks;
          Result<std::unique_ptr<Executor>> executor =
              Executor::create(*devices[ranks.rank()]->device, plan, options);
          ASSERT_OK(executor.status());
          body(**executor, ranks.rank());
        },
        hosts_);
    for (const std::unique_ptr<TestDevice> &device : devices)
      for (const std::string &message :
           device->instance->validation()->messages())
        ADD_FAILURE() << message;
  }

  /// The same through messages, through memory that all ranks share, and where
  /// each shares some with every second one.
  void onHosts(const Plan &plan, const Body &body) {
    ExecutorOptions options;
    options.sharedBytes = 0;
    for (hosts_ = 0; hosts_ < 3; ++hosts_) {
      SCOPED_TRACE(testing::Message() << "on " << hosts_ << " hosts");
      onRanks(plan, body, options);
    }
    hosts_ = 0;
  }

  uint32_t hosts_ = 0; ///< See runRanks.
};

Bytes randomBytes(uint64_t seed, size_t size) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  return bytes;
}

Bytes output(Executor &executor, uint32_t index) {
  const Output &slot = executor.plan().outputs[index];
  Bytes bytes(slot.window.length);
  EXPECT_OK(executor.readOutput(index, bytes));
  return bytes;
}

void input(ProgramBuilder &builder, const char *name, Window window) {
  builder.input(name, DType::I8, {int64_t(window.length)}, window);
}
void output(ProgramBuilder &builder, const char *name, Window window) {
  builder.output(name, DType::I8, {int64_t(window.length)}, window);
}

/// All kinds in one exchange, of blocks of `block` bytes.
Plan makeKindsProgram(uint32_t ranks, uint64_t block) {
  ProgramBuilder builder("kinds");
  auto allocate = [&](uint64_t bytes) {
    return builder.allocate(Region::Registers, bytes);
  };
  Window one = allocate(block), all = allocate(ranks * block);
  Window gathered = allocate(ranks * block), swapped = allocate(ranks * block);
  Window up = allocate(block), down = allocate(block);
  input(builder, "one", one);
  input(builder, "all", all);
  output(builder, "gathered", gathered);
  output(builder, "swapped", swapped);
  output(builder, "up", up);
  output(builder, "down", down);
  builder.exchange({{TransferKind::AllGather, one, gathered},
                    {TransferKind::AllToAll, all, swapped},
                    {TransferKind::ShiftUp, one, up, 1},
                    {TransferKind::ShiftDown, one, down, 2, true}});
  builder.await();
  Plan plan = builder.finish();
  plan.ranks = ranks;
  return plan;
}

/// Runs that program on all ranks, several times, and compares.
class KindsTest : public ExchangesTest {
protected:
  void check(uint32_t ranks, uint64_t block,
             const ExecutorOptions &options = {}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks, " << block);
    auto one = [&](uint32_t rank) { return randomBytes(rank, block); };
    auto all = [&](uint32_t rank) {
      return randomBytes(100 + rank, ranks * block);
    };
    auto body = [&](Executor &executor, uint32_t rank) {
      EXPECT_OK(executor.bindInput(0, one(rank)));
      EXPECT_OK(executor.bindInput(1, all(rank)));
      Bytes gathered, swapped;
      for (uint32_t r = 0; r < ranks; ++r) {
        Bytes part = one(r), other = all(r);
        gathered.insert(gathered.end(), part.begin(), part.end());
        auto begin = other.begin() + int64_t(rank * block);
        swapped.insert(swapped.end(), begin, begin + int64_t(block));
      }
      for (int i = 0; i < 2; ++i) {
        run(executor);
        EXPECT_EQ(output(executor, 0), gathered);
        EXPECT_EQ(output(executor, 1), swapped);
        EXPECT_EQ(output(executor, 2), rank ? one(rank - 1) : Bytes(block));
        EXPECT_EQ(output(executor, 3), one((rank + 2) % ranks));
      }
      EXPECT_EQ(executor.exchanges().whyNoLink(),
                ranks == 1 || 2 * ranks * block < options.linkBytes ||
                        options.openLink
                    ? ""
                    : "Rank 0: NCCL is for devices of NVIDIA.");
      bool isLinked =
          options.openLink && 2 * ranks * block >= options.linkBytes;
      bool isShared = !isLinked && hosts_ && ranks > hosts_ &&
                      2 * ranks * block >= options.sharedBytes;
      EXPECT_EQ(executor.exchanges().carrierNames(),
                isLinked   ? "threads and mappings"
                : isShared ? "shared memory and threads"
                           : "threads");
      EXPECT_EQ(executor.counters().recorded.exchanges, 1u);
      EXPECT_EQ(executor.counters().executionSubmits, 4u);
    };
    onRanks(makeKindsProgram(ranks, block), body, options);
  }
};

TEST_F(KindsTest, ThroughTheHost) {
  for (uint32_t ranks : {1, 2, 3, 4})
    for (uint64_t block : {1, 4, 7, 8192, (1 << 20) + 4})
      check(ranks, block);
}

/// Small blocks that all gather go in rounds.
TEST_F(KindsTest, OnManyRanks) {
  for (auto [ranks, block] : {std::pair{5u, 4u}, {6u, 8192u}, {9u, 7u}})
    check(ranks, block);
}

TEST_F(KindsTest, ThroughSharedMemory) {
  ExecutorOptions options;
  options.sharedBytes = 0;
  for (hosts_ = 1; hosts_ < 3; ++hosts_)
    for (uint32_t ranks : {1, 2, 3, 4})
      for (uint64_t block : {1, 4, 7, 8192, (1 << 20) + 4})
        check(ranks, block, options);
}

TEST_F(KindsTest, ThroughSharedMemoryIfTheyAreLarge) {
  hosts_ = 1;
  ExecutorOptions options;
  options.sharedBytes = 2 * 3 * 100;
  for (uint64_t block : {99, 100})
    check(3, block, options);
}

TEST_F(ExchangesTest, WithoutMemoryToShare) {
  struct rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit none = {1024, before.rlim_max};
  // A driver that stores kernels in files meanwhile would end the process.
  auto *handler = std::signal(SIGXFSZ, SIG_IGN);
  hosts_ = 1;
  ExecutorOptions options;
  options.sharedBytes = 0;
  setrlimit(RLIMIT_FSIZE, &none);
  onRanks(
      makeKindsProgram(2, 64),
      [&](Executor &executor, uint32_t) {
        EXPECT_EQ(executor.exchanges().carrierNames(), "threads");
        EXPECT_EQ(executor.exchanges().whyNotShared(),
                  "Rank 0: 131072 bytes of shared memory cannot be made (File "
                  "too large).");
      },
      options);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
}

/// A link for llvmpipe: finds the memory that it has exported in a mapping of
/// the file, and sends the bytes as any others.
class MappedLink final : public DeviceLink {
public:
  explicit MappedLink(Communicator &ranks) : ranks_(ranks) {}
  ~MappedLink() override {
    for (auto [start, bytes] : mappings_)
      munmap(start, bytes);
  }
  std::string name() const override { return "mappings"; }
  Result<uint8_t *> import(int descriptor, uint64_t bytes) override {
    // As Mesa's os_malloc_aligned_fd has it: a header with the size and where
    // the memory begins.
    struct Header {
      size_t bytes, offset;
    };
    struct stat file = {};
    fstat(descriptor, &file);
    auto size = static_cast<size_t>(file.st_size);
    void *start =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (start == MAP_FAILED)
      return Status(Code::NoDevice, "The descriptor cannot be mapped.");
    mappings_.emplace_back(start, size);
    size_t offset = static_cast<Header *>(start)->offset;
    if (offset == 0 || offset > size || bytes > size - offset)
      return Status(Code::NoDevice, "The file is laid out otherwise.");
    return static_cast<uint8_t *>(start) + offset;
  }
  Status start(std::span<const LinkMessage> sends,
               std::span<const LinkMessage> receives) override {
    std::vector<RankSend> from;
    std::vector<RankReceive> to;
    for (const LinkMessage &send : sends)
      from.push_back({send.rank, bytesOf(send)});
    for (const LinkMessage &receive : receives)
      to.push_back({receive.rank, bytesOf(receive)});
    VM_RETURN_IF_ERROR(ranks_.start(from, to));
    return ranks_.finish(UINT64_MAX);
  }
  Status finish(uint64_t) override { return {}; }

private:
  static std::span<uint8_t> bytesOf(const LinkMessage &message) {
    return {message.address, message.bytes};
  }

  Communicator &ranks_;
  std::vector<std::pair<void *, size_t>> mappings_;
};

TEST_F(KindsTest, ThroughALink) {
  ExecutorOptions options;
  options.openLink = [](Communicator &ranks) -> Result<OpenedLink> {
    return OpenedLink{std::make_unique<MappedLink>(ranks), ""};
  };
  for (uint32_t ranks : {2, 3})
    for (uint64_t linkBytes : {1, 1000}) {
      options.linkBytes = linkBytes;
      check(ranks, 100, options);
    }
}

/// Rows of `rowBytes`, at most `room` for each rank.
Plan makeRowsProgram(uint32_t ranks, uint32_t rowBytes, uint32_t room) {
  ProgramBuilder builder("rows");
  auto allocate = [&](uint64_t bytes) {
    return builder.allocate(Region::Registers, bytes);
  };
  uint64_t bytes = uint64_t(ranks) * room * rowBytes;
  Window rows = allocate(bytes), counts = allocate(ranks * 4),
         result = allocate(bytes), received = allocate(ranks * 4);
  input(builder, "rows", rows);
  input(builder, "counts", counts);
  output(builder, "result", result);
  output(builder, "received", received);
  builder.exchange({{TransferKind::AllToAll, rows, result, 0, false, rowBytes,
                     counts, received}});
  builder.await();
  Plan plan = builder.finish();
  plan.ranks = ranks;
  return plan;
}

Bytes bytesOfWords(const std::vector<uint32_t> &words) {
  std::span<const uint8_t> bytes = asBytes(words);
  return {bytes.begin(), bytes.end()};
}

TEST_F(ExchangesTest, CountedRows) {
  constexpr uint32_t kRanks = 3, kRowBytes = 5, kRoom = 40;
  constexpr uint64_t kBlock = kRowBytes * kRoom;
  auto rows = [&](uint32_t rank) { return randomBytes(rank, kRanks * kBlock); };
  auto count = [](uint32_t from, uint32_t to) {
    return from == 1 ? 0 : from == to ? kRoom : 7 * from + to;
  };
  onHosts(makeRowsProgram(kRanks, kRowBytes, kRoom),
          [&](Executor &executor, uint32_t rank) {
            std::vector<uint32_t> counts, received;
            for (uint32_t r = 0; r < kRanks; ++r) {
              counts.push_back(count(rank, r));
              received.push_back(count(r, rank));
            }
            EXPECT_OK(executor.bindInput(0, rows(rank)));
            EXPECT_OK(executor.bindInput(1, asBytes(counts)));
            run(executor);
            EXPECT_EQ(output(executor, 1), bytesOfWords(received));
            Bytes result = output(executor, 0);
            for (uint32_t r = 0; r < kRanks; ++r) {
              Bytes sent = rows(r);
              EXPECT_EQ(std::memcmp(&result[r * kBlock], &sent[rank * kBlock],
                                    received[r] * kRowBytes),
                        0);
            }
          });
}

TEST_F(ExchangesTest, MoreRowsThanThereIsRoomFor) {
  onHosts(makeRowsProgram(3, 4, 10), [&](Executor &executor, uint32_t rank) {
    std::vector<uint32_t> counts = {1, 2, 10};
    if (rank == 2)
      counts[1] = 11;
    EXPECT_OK(executor.bindInput(0, randomBytes(rank, 120)));
    EXPECT_OK(executor.bindInput(1, asBytes(counts)));
    EXPECT_OK(executor.submit());
    Status status = executor.wait();
    EXPECT_EQ(status.code(), Code::Excess);
    EXPECT_EQ(status.message(), "Rank 2 has 11 rows for rank 1 in an exchange "
                                "that has room for 10 - while running program "
                                "\"rows\".");
  });
}

/// Shifts of several lengths in one exchange, some of them alike.
TEST_F(ExchangesTest, ManyShifts) {
  struct Shift {
    uint64_t bytes;
    uint32_t offset;
    bool up, rotate;
  };
  const std::vector<Shift> kShifts = {
      {5, 1, true, true},   {96, 1, false, true}, {64, 1, true, true},
      {7, 2, true, true},   {300, 1, true, true}, {9, 1, false, false},
      {33, 1, true, false}, {1, 1, false, true}};
  ProgramBuilder builder("shifts");
  std::vector<RankTransfer> transfers;
  for (size_t i = 0; i < kShifts.size(); ++i) {
    const Shift &shift = kShifts[i];
    Window from = builder.allocate(Region::Registers, shift.bytes);
    Window to = builder.allocate(Region::Registers, shift.bytes);
    input(builder, ("x" + std::to_string(i)).c_str(), from);
    output(builder, ("y" + std::to_string(i)).c_str(), to);
    transfers.push_back(
        {shift.up ? TransferKind::ShiftUp : TransferKind::ShiftDown, from, to,
         shift.offset, shift.rotate});
  }
  builder.exchange(transfers);
  builder.await();
  Plan plan = builder.finish();
  for (uint32_t ranks : {2, 3, 4}) {
    plan.ranks = ranks;
    onHosts(plan, [&](Executor &executor, uint32_t rank) {
      auto bytes = [&](size_t i, uint32_t r) {
        return randomBytes(10 * i + r, kShifts[i].bytes);
      };
      for (uint32_t i = 0; i < kShifts.size(); ++i)
        EXPECT_OK(executor.bindInput(i, bytes(i, rank)));
      run(executor);
      for (uint32_t i = 0; i < kShifts.size(); ++i) {
        const Shift &shift = kShifts[i];
        int64_t from =
            int64_t(rank) + (shift.up ? -1 : 1) * int64_t(shift.offset);
        if (shift.rotate)
          from = (from + 2 * ranks) % ranks;
        bool has = from >= 0 && from < ranks;
        EXPECT_EQ(output(executor, i),
                  has ? bytes(i, uint32_t(from)) : Bytes(shift.bytes))
            << i;
      }
    });
  }
}

/// `times` iterations, each of which shifts x by a rank and adds to y, which is
/// in no transfer, meanwhile.
Plan makeLoopProgram(uint32_t ranks, uint32_t times) {
  ProgramBuilder builder("loop");
  Window x = builder.allocate(Region::Registers, 32);
  Window next = builder.allocate(Region::Registers, 32);
  Window y = builder.allocate(Region::Registers, 32);
  Window parameters = builder.allocate(Region::Globals, 2 * sizeof(float));
  builder.input("x", DType::F32, {8}, x);
  builder.input("parameters", DType::F32, {2}, parameters);
  builder.output("x", DType::F32, {8}, x);
  builder.output("y", DType::F32, {8}, y);
  builder.repeat(6, times);
  builder.exchange({{TransferKind::ShiftUp, x, next, 1, true}});
  builder.dispatch("affine", TestKernel::Affine, {y, parameters, y});
  builder.await();
  builder.barrier();
  builder.copy(next, x);
  builder.barrier();
  Plan plan = builder.finish();
  plan.ranks = ranks;
  return plan;
}

TEST_F(ExchangesTest, InALoopWithWorkMeanwhile) {
  constexpr uint32_t kRanks = 3;
  for (uint32_t times : {1, 2, 100}) {
    SCOPED_TRACE(times);
    onHosts(makeLoopProgram(kRanks, times),
            [&](Executor &executor, uint32_t rank) {
              auto values = [](uint32_t r) {
                return std::vector<float>(8, float(r + 1));
              };
              std::vector<float> parameters = {1, float(rank)}, x(8), y(8);
              EXPECT_OK(executor.bindInput(0, asBytes(values(rank))));
              EXPECT_OK(executor.bindInput(1, asBytes(parameters)));
              for (int i = 1; i < 3; ++i) {
                run(executor);
                EXPECT_OK(executor.readOutput(0, asWritableBytes(x)));
                EXPECT_OK(executor.readOutput(1, asWritableBytes(y)));
                EXPECT_EQ(x, values((rank + kRanks * times - times) % kRanks));
                EXPECT_EQ(y, std::vector<float>(8, float(i * times * rank)));
              }
              EXPECT_EQ(executor.counters().recordings, 1u);
              EXPECT_EQ(executor.counters().recorded.exchanges, times);
            });
  }
}

/// A rank that only sends is not told that it was read by the exchange itself:
/// what it sends next must not meet a reader that is late.
TEST_F(ExchangesTest, ReadersAreLate) {
  constexpr uint32_t kTimes = 9, kBytes = 1 << 16;
  ProgramBuilder builder("late");
  Window cancel = builder.allocate(Region::Control, 4);
  Window rounds = builder.allocate(Region::Control, 4);
  for (uint32_t i = 0; i < kTimes; ++i) {
    Window x = builder.allocate(Region::Registers, kBytes);
    Window y = builder.allocate(Region::Registers, kBytes);
    input(builder, ("x" + std::to_string(i)).c_str(), x);
    output(builder, ("y" + std::to_string(i)).c_str(), y);
    builder.exchange({{TransferKind::ShiftUp, x, y, 1}});
    builder.dispatch("burn", TestKernel::Burn, {cancel, rounds});
    builder.await();
    builder.barrier();
  }
  Plan plan = builder.finish();
  plan.ranks = 3;
  auto sent = [](uint32_t rank, uint32_t time, uint32_t i) {
    return randomBytes(100 * time + 10 * i + rank, kBytes);
  };
  onHosts(plan, [&](Executor &executor, uint32_t rank) {
    std::vector<uint32_t> late = {rank == 1 ? 3000u : 0u};
    EXPECT_OK(
        executor.writeRegion(Region::Control, rounds.offset, asBytes(late)));
    for (uint32_t time = 0; time < 3; ++time) {
      for (uint32_t i = 0; i < kTimes; ++i)
        EXPECT_OK(executor.bindInput(i, sent(rank, time, i)));
      run(executor);
      for (uint32_t i = 0; rank && i < kTimes; ++i)
        EXPECT_TRUE(output(executor, i) == sent(rank - 1, time, i)) << i;
    }
  });
}

TEST_F(ExchangesTest, OnAnotherNumberOfRanks) {
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*device_, makeKindsProgram(4, 8), {});
  ASSERT_FALSE(executor.ok());
  EXPECT_EQ(executor.status().code(), Code::BadInput);
  EXPECT_EQ(
      executor.status().message(),
      "The plan \"kinds\" is compiled for 4 ranks and 1 runs it (mpirun -n 4 "
      "starts as many).");
}

} // namespace
