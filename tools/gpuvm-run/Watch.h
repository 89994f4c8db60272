//===- Watch.h - an execution as it goes on -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --watch shows on standard error: on a terminal a picture that is drawn
// over itself, elsewhere a line from time to time. Reads nothing but mapped
// memory, so the device goes on undisturbed.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/Vm.h"
#include "tools/gpuvm-run/CommandLine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vm::run {

/// What there is to see at one moment.
struct WatchState {
  struct StageState {
    std::string name;
    std::string status; ///< "OK", "ANOMALY", ...; "" if it is not kept.
    bool running = false;
  };
  struct Metric {
    std::string name;
    std::string value;
  };
  std::string program;
  std::string device;
  uint64_t done = 0;  ///< Executions, warm-up included.
  uint64_t total = 0; ///< 0: not known.
  double seconds = 0; ///< Since the first of them.
  std::vector<StageState> stages;
  std::vector<Metric> metrics;
};

/// The size of a terminal and what it can do.
struct Screen {
  unsigned columns = 80;
  unsigned rows = 24;
  bool color = true;
};

/// `3 of 50 executions, 76.1/s, runs b, a=ANOMALY, sum=36`: only stages whose
/// status is not OK.
std::string watchLine(const WatchState &state);

/// The picture for a terminal: at most `rows - 1` lines of at most `columns`
/// characters, a line for each stage and each metric as far as there is room.
std::vector<std::string> watchPicture(const WatchState &state,
                                      const Screen &screen);

class Watch {
public:
  /// `total`: executions there will be; 0 if that is not known.
  Watch(Vm &vm, const CommandLine &options, uint64_t total);

  /// Executions that have ended since the start.
  void countExecution() { ++done_; }
  /// Shows what there is, if it is time to.
  Status look();
  /// Shows it a last time.
  Status finish();
  /// How long to wait until there may be something to show.
  static constexpr uint64_t kPatienceNs = 2'000'000;

private:
  Status show();
  Result<WatchState> state();

  Vm &vm_;
  uint64_t total_;
  bool terminal_;
  Screen screen_;
  uint64_t intervalNs_;
  uint64_t startNs_;
  uint64_t nextNs_;
  uint64_t done_ = 0;
  size_t drawn_ = 0; ///< Lines of the picture on the terminal.
};

} // namespace vm::run
