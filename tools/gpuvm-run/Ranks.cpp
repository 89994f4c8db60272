//===- Ranks.cpp - the ranks of a run -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/Ranks.h"

#include "runtime/ranks/Gather.h"
#include "runtime/ranks/MpiCommunicator.h"
#include "runtime/ranks/SelfCommunicator.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace vm::run {

using Json = nlohmann::ordered_json;

//===--- Being ended ------------------------------------------------------===//

namespace {
/// What the handler of SIGTERM says, which may neither allocate nor format.
struct Ending {
  std::string own;                 ///< "gpuvm-run: error: rank 1: "
  std::vector<std::string> others; ///< "Rank 2 (process 4711) has ended.\n"
  std::vector<int64_t> processes;  ///< Likewise, by rank.
  std::string unknown;             ///< If none of them has.
};
} // namespace

static Ending ending;

static void say(const std::string &text) {
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

/// Calls nothing that signal-safety(7) does not list.
static void endWithRanks(int) {
  say(ending.own);
  const std::string *why = &ending.unknown;
  for (size_t rank = 0; rank < ending.processes.size(); ++rank)
    if (pid_t pid = static_cast<pid_t>(ending.processes[rank]);
        pid != 0 && kill(pid, 0) != 0 && errno == ESRCH)
      why = &ending.others[rank];
  say(*why);
  _exit(static_cast<int>(Code::Rank));
}

/// MPI's initialization has no deadline of its own.
static std::string lateSentence;

static void endLate(int) {
  say(lateSentence);
  _exit(static_cast<int>(Code::Rank));
}

static Result<std::unique_ptr<Communicator>> openInTime(double seconds) {
  constexpr double kMostSeconds = 1e9;
  MpiOptions options;
  options.timeoutNs = static_cast<uint64_t>(seconds * 1e9);
  lateSentence = fmt::format("gpuvm-run: error: Not all ranks start within the "
                             "timeout ({} ms).\n",
                             options.timeoutNs / 1'000'000);
  struct sigaction action = {}, before = {};
  action.sa_handler = endLate;
  sigaction(SIGALRM, &action, &before);
  alarm(static_cast<unsigned>(std::ceil(std::min(seconds, kMostSeconds))));
  Result<std::unique_ptr<Communicator>> ranks = openMpi(options);
  alarm(0);
  sigaction(SIGALRM, &before, nullptr);
  return ranks;
}

static void watchForEnd(const Communicator &ranks) {
  ending.own = fmt::format("gpuvm-run: error: rank {}: ", ranks.rank());
  ending.unknown = "The launcher ends this rank (SIGTERM).\n";
  ending.processes = ranks.processes();
  for (size_t rank = 0; rank < ending.processes.size(); ++rank)
    ending.others.push_back(fmt::format("Rank {} (process {}) has ended.\n",
                                        rank, ending.processes[rank]));
  struct sigaction action = {};
  action.sa_handler = endWithRanks;
  sigaction(SIGTERM, &action, nullptr);
}

void letCauseEndFirst(const Status &status) {
  // It may wait a second until others have heard of it (Communicator::abort).
  constexpr unsigned kCauseUs = 1'200'000;
  if (status.code() != Code::Rank)
    return;
  struct sigaction action = {};
  action.sa_handler = [](int) { _exit(static_cast<int>(Code::Rank)); };
  sigaction(SIGTERM, &action, nullptr);
  usleep(kCauseUs);
}

//===--- Beginning --------------------------------------------------------===//

/// Whether mpirun of Open MPI, or a launcher with PMIx such as `srun
/// --mpi=pmix`, has started this process.
static bool isLaunched() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMIX_RANK");
}

Result<std::shared_ptr<Communicator>> findRanks(const CommandLine &options) {
  bool wantsMpi = options.ranks == RanksMode::Mpi ||
                  (options.ranks == RanksMode::Auto && isLaunched());
  if (!wantsMpi)
    return std::shared_ptr<Communicator>(std::make_shared<SelfCommunicator>());
  Result<std::unique_ptr<Communicator>> ranks =
      openInTime(options.timeoutSeconds);
  if (!ranks.ok())
    return ranks.status();
  if ((*ranks)->size() > 1)
    watchForEnd(**ranks);
  return std::shared_ptr<Communicator>(std::move(*ranks));
}

//===--- Reports ----------------------------------------------------------===//

/// Gives each line its rank.
static void printLines(uint32_t rank, std::string_view text) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    fmt::print("rank {}: {}\n", rank, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Times of all ranks are those of the slowest, bytes their sum.
static Json joinStats(const std::vector<Json> &stats) {
  Json all = {{"ranks", stats.size()}};
  for (const char *name : {"wall_us", "device_us", "compile_us"}) {
    auto timeOf = [name](const Json &one) {
      const Json &time = one.at(name);
      return time.is_object() ? time.at("median").get<double>()
                              : time.get<double>();
    };
    auto slowest = std::ranges::max_element(stats, {}, timeOf);
    all[name] = {{"slowest", timeOf(*slowest)},
                 {"rank", slowest - stats.begin()}};
  }
  for (const char *name : {"upload_bytes", "download_bytes", "host_bytes"}) {
    uint64_t sum = 0;
    for (const Json &one : stats)
      sum += one.at(name).get<uint64_t>();
    all[name] = sum;
  }
  return all;
}

static std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static void printStats(const std::vector<Json> &stats, StatsFormat format) {
  Json all = joinStats(stats);
  if (format == StatsFormat::Json) {
    all["by_rank"] = stats;
    fmt::print("{}\n", dump(all));
    return;
  }
  for (const auto &[name, value] : all.items())
    if (value.is_object())
      fmt::print("all ranks: {:<15} {:.2f} us at most (rank {})\n", name,
                 value["slowest"].get<double>(), value["rank"].get<uint32_t>());
    else
      fmt::print("all ranks: {:<15} {}\n", name, value.get<uint64_t>());
}

Status printReports(Communicator &ranks, const RankReport &own,
                    const CommandLine &options) {
  bool wantsJson = options.stats == StatsFormat::Json;
  if (ranks.size() == 1) {
    fmt::print("{}{}{}", own.text, wantsJson ? own.stats + "\n" : "",
               own.profile);
    return {};
  }
  auto timeoutNs = static_cast<uint64_t>(options.timeoutSeconds * 1e9);
  std::array<std::vector<std::string>, 3> all;
  const std::array<const std::string *, 3> parts{&own.text, &own.stats,
                                                 &own.profile};
  for (size_t i = 0; i < parts.size(); ++i) {
    Result<std::vector<std::string>> part =
        gatherToFirst(ranks, *parts[i], timeoutNs);
    if (!part.ok())
      return part.status();
    all[i] = std::move(*part);
  }
  if (ranks.rank() != 0)
    return {};
  const auto &[texts, stats, profiles] = all;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    printLines(rank, texts[rank]);
  if (!own.stats.empty()) {
    std::vector<Json> parsed;
    for (const std::string &text : stats)
      parsed.push_back(Json::parse(text));
    printStats(parsed, options.stats);
  }
  if (!own.profile.empty()) {
    Json list = Json::array();
    for (const std::string &text : profiles)
      list.push_back(Json::parse(text));
    fmt::print("{}\n", dump(Json{{"ranks", list}}));
  }
  return {};
}

} // namespace vm::run
