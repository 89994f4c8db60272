//===- RankStart.cpp - ranks that begin together --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/RankStart.h"

#include "runtime/ranks/Gather.h"
#include "runtime/ranks/ProcessIdentity.h"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <string_view>

namespace vm {

Status checkSamePlan(Communicator &ranks, const Plan &plan, uint64_t linkBytes,
                     uint64_t sharedBytes, uint64_t timeoutNs) {
  const std::array<RankFact, 5> facts{
      {{"gpuvm", GPUVM_VERSION},
       {"a number of ranks of", fmt::to_string(ranks.size())},
       {"the plan",
        fmt::format("\"{}\" ({:016x})", plan.program, plan.identity)},
       {"a link for exchanges of", fmt::format("{} bytes", linkBytes)},
       {"shared memory for exchanges of",
        fmt::format("{} bytes", sharedBytes)}}};
  return checkSame(ranks, facts, timeoutNs);
}

static std::string quoted(const RankDevice &device) {
  return fmt::format("\"{}\"", device.name);
}

Status checkDevices(const std::vector<RankDevice> &devices) {
  for (size_t rank = 0; rank < devices.size(); ++rank) {
    const RankDevice &device = devices[rank], &first = devices.front();
    bool isSame = device.isCpu == first.isCpu &&
                  (device.isCpu || device.name == first.name);
    if (!isSame)
      return Status(Code::Rank,
                    fmt::format("Rank {} has the device {} and rank 0 has {} "
                                "(all ranks need devices of one kind).",
                                rank, quoted(device), quoted(first)));
    for (size_t other = 0; other < rank; ++other)
      if (!device.isCpu && !(device.shared && devices[other].shared) &&
          device.uuid == devices[other].uuid &&
          device.host == devices[other].host)
        return Status(Code::Rank,
                      fmt::format("Ranks {} and {} have the same device {} "
                                  "(--share-device allows that).",
                                  other, rank, quoted(device)));
  }
  return {};
}

/// Fields are lines: names of devices have none.
static std::string toText(const DeviceInfo &info, bool shared) {
  std::string uuid;
  for (uint8_t byte : info.uuid)
    uuid += fmt::format("{:02x}", byte);
  return fmt::format("{}\n{}\n{:016x}\n{} {}", info.name, uuid,
                     ProcessIdentity::own().host,
                     int(info.type == DeviceType::Cpu), int(shared));
}

static RankDevice fromText(const std::string &text) {
  RankDevice device;
  std::istringstream lines(text);
  std::getline(lines, device.name);
  std::getline(lines, device.uuid);
  std::getline(lines, device.host);
  lines >> device.isCpu >> device.shared;
  return device;
}

Status agreeOnLoad(Communicator &ranks, const DeviceInfo &device, bool shared,
                   uint64_t timeoutNs) {
  Result<std::vector<std::string>> texts =
      gatherAll(ranks, toText(device, shared), timeoutNs);
  if (!texts.ok())
    return texts.status();
  std::vector<RankDevice> devices;
  for (const std::string &text : *texts)
    devices.push_back(fromText(text));
  return checkDevices(devices);
}

//===--- Words ------------------------------------------------------------===//

/// The symbol of a program of several has the program's name before its own.
static bool isNamed(const Symbol &symbol, std::string_view name) {
  std::string_view own = symbol.name;
  if (!own.ends_with(name))
    return false;
  own.remove_suffix(name.size());
  return own.empty() || own.ends_with('.');
}

bool isRankWord(const Symbol &symbol) {
  return symbol.window.region == Region::Control &&
         (isNamed(symbol, "%rank") || isNamed(symbol, "%ranks"));
}

static Status writeWord(Executor &executor, const Symbol &symbol,
                        uint32_t value) {
  std::array<uint8_t, 4> bytes;
  for (unsigned i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(value >> (8 * i));
  return executor.writeRegion(symbol.window.region, symbol.window.offset,
                              bytes);
}

Status writeRankWords(Executor &executor) {
  for (const Symbol &symbol : executor.plan().symbols) {
    if (!isRankWord(symbol) || symbol.window.length < 4)
      continue;
    if (isNamed(symbol, "%rank"))
      VM_RETURN_IF_ERROR(writeWord(executor, symbol, executor.ranks().rank()));
    else
      VM_RETURN_IF_ERROR(writeWord(executor, symbol, executor.ranks().size()));
  }
  return {};
}

} // namespace vm
