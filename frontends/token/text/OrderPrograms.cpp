//===- OrderPrograms.cpp - programs in call order -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPrograms.h"

#include <fmt/format.h>

#include <unordered_map>

using namespace vm;
using namespace vm::token;

namespace {

/// A program that is called, and where.
struct Call {
  size_t program;
  const toml::node *where;
};

using Numbers = std::unordered_map<std::string_view, size_t>;

/// Appends the calls of a list of steps. Lists nest no deeper than TOML does.
void findCalls(const toml::array &steps, const Numbers &numbers,
               std::vector<Call> &calls) {
  for (const toml::node &node : steps) {
    const toml::table *step = node.as_table();
    if (!step)
      continue;
    if (const toml::node *name = step->get("subroutine"))
      if (const auto *text = name->as_string())
        if (auto found = numbers.find(text->get()); found != numbers.end())
          calls.push_back({found->second, name});
    for (const char *key : {"body", "then", "else"})
      if (const toml::node *list = step->get(key); list && list->is_array())
        findCalls(*list->as_array(), numbers, calls);
  }
}

/// Depth-first over the calls, without recursion.
class Orderer {
public:
  Orderer(const TomlFile &file, const std::vector<ProgramText> &programs,
          Diagnostics &diagnostics)
      : file_(file), programs_(programs), diagnostics_(diagnostics),
        states_(programs.size()), calls_(programs.size()) {
    Numbers numbers;
    for (size_t i = 0; i < programs.size(); ++i)
      numbers.emplace(programs[i].name, i);
    for (size_t i = 0; i < programs.size(); ++i)
      findCalls(*programs[i].steps, numbers, calls_[i]);
  }

  /// Orders what `program` calls and then itself; false after S06.
  bool visit(size_t program);
  bool wasVisited(size_t program) const {
    return states_[program] != State::New;
  }
  const std::vector<size_t> &order() const { return order_; }

private:
  enum class State { New, Open, Done };
  struct Frame {
    size_t program;
    size_t at = 0;
  };

  void refuse(const Call &call);

  const TomlFile &file_;
  const std::vector<ProgramText> &programs_;
  Diagnostics &diagnostics_;
  std::vector<State> states_;
  std::vector<std::vector<Call>> calls_;
  std::vector<Frame> open_;
  std::vector<size_t> order_;
};

void Orderer::refuse(const Call &call) {
  constexpr size_t kMostNames = 10;
  size_t first = 0;
  while (open_[first].program != call.program)
    ++first;
  std::string chain;
  for (size_t i = first; i < open_.size(); ++i) {
    if (i - first < kMostNames)
      chain += inQuotes(programs_[open_[i].program].name) + " -> ";
    else if (i - first == kMostNames)
      chain += "... -> ";
  }
  std::string name = inQuotes(programs_[call.program].name);
  diagnostics_.error(
      "S06", file_.placeOf(*call.where),
      fmt::format("Program {} calls itself ({}{}).", name, chain, name));
}

bool Orderer::visit(size_t program) {
  open_ = {{program}};
  states_[program] = State::Open;
  while (!open_.empty()) {
    Frame &frame = open_.back();
    if (frame.at == calls_[frame.program].size()) {
      states_[frame.program] = State::Done;
      order_.push_back(frame.program);
      open_.pop_back();
      continue;
    }
    const Call &call = calls_[frame.program][frame.at++];
    if (states_[call.program] == State::Open) {
      refuse(call);
      return false;
    }
    if (states_[call.program] == State::Done)
      continue;
    states_[call.program] = State::Open;
    open_.push_back({call.program});
  }
  return true;
}

} // namespace

std::optional<std::vector<size_t>>
vm::token::orderPrograms(const TomlFile &file,
                         const std::vector<ProgramText> &programs,
                         const std::string &main, Diagnostics &diagnostics) {
  Orderer orderer(file, programs, diagnostics);
  for (size_t i = 0; i < programs.size(); ++i)
    if (programs[i].name == main && !orderer.visit(i))
      return std::nullopt;
  std::vector<size_t> others;
  for (size_t i = 0; i < programs.size(); ++i) {
    if (orderer.wasVisited(i))
      continue;
    others.push_back(i);
    diagnostics.warning(
        "W12", programs[i].place,
        fmt::format("Program {} is never called from program {}.",
                    inQuotes(programs[i].name), inQuotes(main)));
  }
  for (size_t i : others)
    if (!orderer.wasVisited(i) && !orderer.visit(i))
      return std::nullopt;
  return orderer.order();
}
