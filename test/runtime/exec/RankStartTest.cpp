//===- RankStartTest.cpp - ranks that begin together ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/RankStart.h"

#include "runtime/exec/StateFile.h"
#include "runtime/exec/Vm.h"
#include "runtime/include/gpuvm.hpp"
#include "runtime/plan/PlanFile.h"
#include "runtime/ranks/SelfCommunicator.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"
#include "test/runtime/ranks/ThreadRanks.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

using namespace vm;
using namespace vm::test;

namespace {

//===--- Devices ----------------------------------------------------------===//

RankDevice gpu(const std::string &name, const std::string &uuid,
               const std::string &host = "a", bool shared = false) {
  return {name, uuid, host, false, shared};
}

TEST(CheckDevices, TakesOneEach) {
  EXPECT_OK(checkDevices({gpu("H200", "1"), gpu("H200", "2")}));
  EXPECT_OK(checkDevices({gpu("H200", "1", "a"), gpu("H200", "1", "b")}));
}

TEST(CheckDevices, RefusesOneGpuForTwoRanks) {
  Status status =
      checkDevices({gpu("H200", "1"), gpu("H200", "2"), gpu("H200", "1")});
  EXPECT_EQ(status.code(), Code::Rank);
  EXPECT_EQ(status.message(), "Ranks 0 and 2 have the same device \"H200\" "
                              "(--share-device allows that).");
  EXPECT_FALSE(
      checkDevices({gpu("H200", "1", "a", true), gpu("H200", "1")}).ok());
  EXPECT_OK(
      checkDevices({gpu("H200", "1", "a", true), gpu("H200", "1", "a", true)}));
}

TEST(CheckDevices, RefusesOtherKinds) {
  RankDevice cpu{"llvmpipe 256", "9", "a", true, false}, other = cpu;
  other.name = "llvmpipe 512";
  EXPECT_OK(checkDevices({cpu, other, cpu}));
  EXPECT_EQ(checkDevices({gpu("H200", "1"), cpu}).message(),
            "Rank 1 has the device \"llvmpipe 256\" and rank 0 has \"H200\" "
            "(all ranks need devices of one kind).");
  EXPECT_FALSE(checkDevices({gpu("H200", "1"), gpu("A100", "2")}).ok());
}

TEST(CheckRankCount, RefusesAnother) {
  Plan plan = makeAffineProgram(8);
  SelfCommunicator alone;
  EXPECT_OK(checkRankCount(alone, plan));
  plan.ranks = 3;
  EXPECT_EQ(checkRankCount(alone, plan).message(),
            "The plan \"affine\" is compiled for 3 ranks and 1 runs it "
            "(mpirun -n 3 starts as many).");
}

//===--- Loading ----------------------------------------------------------===//

/// With words for the rank and the number of ranks.
Plan makePlan() {
  Plan plan = makeAffineProgram(8);
  uint64_t at = plan.regionBytes[size_t(Region::Control)];
  for (const char *name : {"%rank", "%ranks"}) {
    Symbol symbol;
    symbol.name = name;
    symbol.dtype = DType::I32;
    symbol.window = {Region::Control, at, 4};
    plan.symbols.push_back(symbol);
    at += 256;
  }
  plan.regionBytes[size_t(Region::Control)] = at;
  return plan;
}

std::unique_ptr<Vm> boot(Communicator &ranks) {
  VmOptions options;
  options.cacheDirectory = "";
  options.ranks = std::shared_ptr<Communicator>(&ranks, [](Communicator *) {});
  Result<std::unique_ptr<Vm>> vm = Vm::boot(options);
  EXPECT_OK(vm.status());
  return vm.ok() ? std::move(*vm) : nullptr;
}

uint32_t wordOf(Vm &vm, const char *name) {
  uint8_t bytes[4] = {};
  EXPECT_OK(vm.readSymbol(name, bytes));
  uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

TEST(RankStart, ProgramsKnowTheirRank) {
  runRanks(3, [](Communicator &ranks) {
    std::unique_ptr<Vm> vm = boot(ranks);
    ASSERT_TRUE(vm);
    ASSERT_OK(vm->program(makePlan()));
    EXPECT_EQ(wordOf(*vm, "%rank"), ranks.rank());
    EXPECT_EQ(wordOf(*vm, "%ranks"), 3u);
  });
}

TEST(RankStart, OneRankIsNumber0Of1) {
  Result<std::unique_ptr<Vm>> vm = Vm::boot({});
  ASSERT_OK(vm.status());
  ASSERT_OK((*vm)->program(makePlan()));
  EXPECT_EQ(wordOf(**vm, "%rank"), 0u);
  EXPECT_EQ(wordOf(**vm, "%ranks"), 1u);
}

TEST(RankStart, RefusesAnotherPlanOnAllRanks) {
  runRanks(2, [](Communicator &ranks) {
    std::unique_ptr<Vm> vm = boot(ranks);
    ASSERT_TRUE(vm);
    Plan plan = makePlan();
    plan.identity = 0xa0 + ranks.rank();
    Status status = vm->program(std::move(plan));
    EXPECT_EQ(status.code(), Code::Rank);
    EXPECT_EQ(status.message(),
              "Rank 1 has the plan \"affine\" (00000000000000a1) and rank 0 "
              "has \"affine\" (00000000000000a0).");
    EXPECT_FALSE(vm->executor());
  });
}

TEST(RankStart, RefusesOtherLimits) {
  runRanks(2, [](Communicator &ranks) {
    Status status =
        checkSamePlan(ranks, makePlan(), 100 + ranks.rank(), 0, UINT64_MAX);
    EXPECT_EQ(status.code(), Code::Rank);
    EXPECT_EQ(status.message(), "Rank 1 has a link for exchanges of 101 bytes "
                                "and rank 0 has 100 bytes.");
    status = checkSamePlan(ranks, makePlan(), 0, 7 + ranks.rank(), UINT64_MAX);
    EXPECT_EQ(status.message(), "Rank 1 has shared memory for exchanges of 8 "
                                "bytes and rank 0 has 7 bytes.");
  });
}

TEST(RankStart, NoRankHasAProgramThatOneCannotLoad) {
  runRanks(2, [](Communicator &ranks) {
    std::unique_ptr<Vm> vm = boot(ranks);
    ASSERT_TRUE(vm);
    Plan plan = makePlan();
    if (ranks.rank() == 1) // Something that no device has, found at load.
      plan.kernels[0].localSize = {1u << 30, 1, 1};
    Status status = vm->program(std::move(plan));
    EXPECT_EQ(status.code(), ranks.rank() ? Code::NoDevice : Code::Rank);
    if (ranks.rank() == 0) {
      EXPECT_TRUE(status.message().starts_with("Rank 1 fails: No device can"))
          << status.message();
    }
    EXPECT_FALSE(vm->executor());
  });
}

//===--- State ------------------------------------------------------------===//

TEST(RankState, IsOfOneSaveAndOfTheRank) {
  std::string folder =
      std::filesystem::temp_directory_path() / fmt::format("ranks{}", getpid());
  std::filesystem::create_directory(folder);
  auto path = [&](const char *name, uint32_t rank) {
    return fmt::format("{}/{}.{}", folder, name, rank);
  };
  runRanks(2, [&](Communicator &ranks) {
    uint32_t own = ranks.rank();
    std::unique_ptr<Vm> vm = boot(ranks);
    ASSERT_TRUE(vm);
    ASSERT_OK(vm->program(makePlan()));
    std::vector<float> parameters{2.0f, 1.0f + float(own)}, zeros(2), back(2);
    ASSERT_OK(vm->writeSymbol("parameters", asBytes(parameters)));
    ASSERT_OK(saveState(*vm->executor(), path("a", own)));
    ASSERT_OK(saveState(*vm->executor(), path("b", own)));
    ASSERT_OK(vm->writeSymbol("parameters", asBytes(zeros)));
    Status status = restoreState(*vm->executor(), path(own ? "b" : "a", own));
    EXPECT_EQ(status.code(), Code::Rank);
    EXPECT_TRUE(status.message().starts_with("Rank 1 has a state of the save "))
        << status.message();
    status = restoreState(*vm->executor(), path("a", 0));
    EXPECT_EQ(status.code(), own ? Code::BadInput : Code::Rank);
    EXPECT_NE(status.message().find("is of rank 0 of 2 (this is rank 1 of 2)"),
              std::string::npos)
        << status.message();
    EXPECT_OK(vm->readSymbol("parameters", asWritableBytes(back)));
    EXPECT_EQ(back, zeros);
    EXPECT_OK(restoreState(*vm->executor(), path("a", own)));
    EXPECT_OK(vm->readSymbol("parameters", asWritableBytes(back)));
    EXPECT_EQ(back, parameters);
    EXPECT_EQ(wordOf(*vm, "%rank"), own);
  });
  std::filesystem::remove_all(folder);
}

//===--- gpuvm_communicator ----------------------------------------------===//

/// A communicator of an application, over those of threads.
class CRanks {
public:
  explicit CRanks(Communicator &ranks) : ranks_(ranks) {
    functions.struct_bytes = sizeof(functions);
    functions.name = "test";
    functions.rank = ranks.rank();
    functions.ranks = ranks.size();
    functions.user = this;
    functions.start = [](void *user, const gpuvm_rank_send *sends,
                         size_t numSends, const gpuvm_rank_receive *receives,
                         size_t numReceives) {
      std::vector<RankSend> out;
      std::vector<RankReceive> in;
      for (const gpuvm_rank_send &send : std::span(sends, numSends))
        out.push_back(
            {send.rank,
             {static_cast<const uint8_t *>(send.data), send.size_bytes}});
      for (const gpuvm_rank_receive &receive : std::span(receives, numReceives))
        in.push_back(
            {receive.rank,
             {static_cast<uint8_t *>(receive.data), receive.size_bytes}});
      return of(user).keep(of(user).ranks_.start(out, in));
    };
    functions.finish = [](void *user, uint64_t timeoutNs) {
      return of(user).keep(of(user).ranks_.finish(timeoutNs));
    };
    functions.abort = [](void *user, const char *sentence) {
      of(user).ranks_.abort(Status(Code::Rank, sentence));
    };
    functions.error = [](void *user) { return of(user).error_.c_str(); };
  }

  gpuvm_communicator functions = {};

private:
  static CRanks &of(void *user) { return *static_cast<CRanks *>(user); }
  int keep(const Status &status) {
    error_ = status.message();
    return static_cast<int>(status.code());
  }

  Communicator &ranks_;
  std::string error_;
};

TEST(CRanks, LoadProgramsTogether) {
  std::vector<uint8_t> plan = writePlan(makePlan());
  runRanks(2, [&](Communicator &threads) {
    CRanks ranks(threads);
    gpuvm_options options = gpuvm::defaultOptions();
    options.cache_dir = "";
    options.ranks = &ranks.functions;
    gpuvm::Vm vm;
    ASSERT_EQ(vm.boot(options), GPUVM_OK) << vm.error();
    ASSERT_EQ(vm.program(plan), GPUVM_OK) << vm.error();
    uint32_t rank = 99;
    EXPECT_EQ(vm_read_symbol(vm.get(), "%rank", &rank, sizeof rank), GPUVM_OK);
    EXPECT_EQ(rank, threads.rank());
    // A rank whose plan cannot be read ends all.
    bool isFirst = threads.rank() == 0;
    EXPECT_EQ(isFirst ? vm.program("missing.gvplan") : vm.program(plan),
              isFirst ? GPUVM_ERROR_BAD_INPUT : GPUVM_ERROR_RANK);
    if (!isFirst) {
      EXPECT_EQ(vm.error(),
                "Rank 0 fails: The file cannot be opened (No such file or "
                "directory) - while loading \"missing.gvplan\".");
    }
  });
}

TEST(CRanks, RefuseWhatIsNoCommunicator) {
  SelfCommunicator self;
  auto bootWith = [&](auto change) {
    CRanks ranks(self);
    change(ranks.functions);
    gpuvm_options options = gpuvm::defaultOptions();
    options.ranks = &ranks.functions;
    gpuvm::Vm vm;
    EXPECT_EQ(vm.boot(options), GPUVM_ERROR_USAGE);
    return vm.error();
  };
  EXPECT_EQ(bootWith([](gpuvm_communicator &ranks) { ranks.rank = 1; }),
            "The communicator is of rank 1 (there are 1).");
  EXPECT_EQ(bootWith([](gpuvm_communicator &ranks) { ranks.start = nullptr; }),
            "The argument \"ranks.start\" is a null pointer.");
  EXPECT_EQ(bootWith([](gpuvm_communicator &ranks) { ranks.struct_bytes = 8; }),
            "The field struct_bytes of the communicator is 8 (set it to the "
            "sizeof of the struct, 72 in this library).");
}

} // namespace
