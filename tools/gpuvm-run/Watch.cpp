//===- Watch.cpp - an execution as it goes on -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ECMA-48 ("ANSI") sequences: move up, erase to the end of line and screen.
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/Watch.h"

#include "runtime/base/HostEvents.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/io/HostTensor.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace vm::run {

//===--- Words ------------------------------------------------------------===//

static std::string statusText(uint32_t status) {
  return status < std::size(kMessageStatusNames) ? kMessageStatusNames[status]
                                                 : std::to_string(status);
}

static std::string progressText(const WatchState &state) {
  double rate = state.seconds > 0 ? double(state.done) / state.seconds : 0;
  std::string total = state.total ? fmt::format(" of {}", state.total) : "";
  return fmt::format("{}{} executions, {:.1f}/s", state.done, total, rate);
}

std::string watchLine(const WatchState &state) {
  std::string line = progressText(state);
  for (const WatchState::StageState &stage : state.stages)
    if (stage.running)
      line += ", runs " + stage.name;
  for (const WatchState::StageState &stage : state.stages)
    if (!stage.status.empty() && stage.status != "OK")
      line += fmt::format(", {}={}", stage.name, stage.status);
  for (const WatchState::Metric &metric : state.metrics)
    line += fmt::format(", {}={}", metric.name, metric.value);
  return line;
}

/// The first `columns` characters of UTF-8 `text`.
static std::string fit(const std::string &text, unsigned columns) {
  unsigned count = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if ((text[i] & 0xc0) != 0x80 && count++ == columns)
      return text.substr(0, i);
  return text;
}

std::vector<std::string> watchPicture(const WatchState &state,
                                      const Screen &screen) {
  std::vector<std::string> lines;
  auto add = [&](const std::string &line, const char *color = "") {
    std::string text = fit(line, screen.columns);
    bool colored = *color && screen.color;
    lines.push_back(colored ? color + text + "\x1b[0m" : text);
  };
  add(fmt::format("{} on {}: {}, {:.1f} s", state.program, state.device,
                  progressText(state), state.seconds),
      "\x1b[1m");
  // The cursor stands below the last line.
  size_t room = std::max(screen.rows, 4u) - 2;
  size_t wanted = state.metrics.size() + state.stages.size();
  size_t shown = wanted <= room ? wanted : room - 1;
  for (const WatchState::Metric &metric : state.metrics)
    if (lines.size() <= shown)
      add(fmt::format("  {:<24} {}", metric.name, metric.value));
  for (const WatchState::StageState &stage : state.stages)
    if (lines.size() <= shown)
      add(fmt::format("{} {:<24} {}", stage.running ? '>' : ' ', stage.name,
                      stage.status),
          stage.status.empty() || stage.status == "OK" ? "" : "\x1b[33m");
  if (shown < wanted)
    add(fmt::format("  and {} more", wanted - shown));
  return lines;
}

//===--- State ------------------------------------------------------------===//

static bool isMetadata(const Symbol &symbol) {
  return std::string_view(symbol.name).ends_with(".metadata");
}

static Result<std::string> valueText(Vm &vm, const Symbol &symbol) {
  constexpr uint64_t kMaxElements = 8;
  HostTensor tensor;
  tensor.dtype = symbol.dtype;
  tensor.shape = symbol.shape;
  tensor.bytes.resize(byteSizeOf(symbol));
  VM_RETURN_IF_ERROR(vm.readSymbol(symbol.name, tensor.bytes));
  std::string text = formatTensor(tensor, kMaxElements);
  return text.substr(text.find('=') + 1);
}

Result<WatchState> Watch::state() {
  Executor &executor = *vm_.executor();
  const Plan &plan = executor.plan();
  WatchState state;
  state.program = executor.lastProgram().name;
  state.device = vm_.device()->info().name;
  state.done = done_;
  state.total = total_;
  state.seconds = double(hostNowNs() - startNs_) / 1e9;
  std::string running;
  if (executor.inFlight())
    running = fmt::format("+{}+", executor.runningStage());
  for (const Stage &stage : plan.stages) {
    Result<uint32_t> status = vm_.pollStatus(stage.instance);
    // Not kept is no failure: there is nothing to show.
    state.stages.push_back(
        {stage.name, status.ok() ? statusText(*status) : "",
         running.find(fmt::format("+{}+", stage.name)) != std::string::npos});
  }
  for (const Symbol &symbol : plan.symbols) {
    if (symbol.window.region != Region::Metrics || isMetadata(symbol))
      continue;
    Result<std::string> value = valueText(vm_, symbol);
    if (!value.ok())
      return value.status();
    state.metrics.push_back({symbol.name, std::move(*value)});
  }
  return state;
}

//===--- Showing ----------------------------------------------------------===//

static bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

static bool isTerminal() {
  const char *kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && kind && *kind &&
         std::string_view(kind) != "dumb";
}

Watch::Watch(Vm &vm, const CommandLine &options, uint64_t total)
    : vm_(vm), total_(total), terminal_(isTerminal()), startNs_(hostNowNs()) {
  screen_.color = !isSet("NO_COLOR");
  constexpr double kTerminalSeconds = 0.1, kLineSeconds = 1;
  double seconds = *options.watchSeconds;
  if (seconds == 0)
    seconds = terminal_ ? kTerminalSeconds : kLineSeconds;
  intervalNs_ = static_cast<uint64_t>(seconds * 1e9);
  nextNs_ = startNs_ + intervalNs_;
}

Status Watch::look() {
  uint64_t now = hostNowNs();
  if (now < nextNs_)
    return {};
  nextNs_ = now + intervalNs_;
  return show();
}

Status Watch::finish() { return show(); }

Status Watch::show() {
  Result<WatchState> now = state();
  if (!now.ok())
    return now.status();
  if (!terminal_) {
    fmt::print(stderr, "{}\n", watchLine(*now));
    return {};
  }
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    screen_.columns = size.ws_col;
    screen_.rows = size.ws_row;
  }
  std::vector<std::string> lines = watchPicture(*now, screen_);
  std::string text = drawn_ ? fmt::format("\x1b[{}A", drawn_) : "";
  for (const std::string &line : lines)
    text += line + "\x1b[K\n";
  text += "\x1b[J";
  drawn_ = lines.size();
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  return {};
}

} // namespace vm::run
