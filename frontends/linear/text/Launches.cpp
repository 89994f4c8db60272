//===- Launches.cpp - phases, flows and what they launch ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Dependences.h"
#include "frontends/linear/text/Literal.h"
#include "frontends/linear/text/Statements.h"
#include "runtime/base/Printable.h"

#include <algorithm>

namespace vm::linear {
namespace {

//===--- run --------------------------------------------------------------===//

/// A `run` line with the places of its words.
struct PlacedLaunch {
  Launch launch;
  SourceLocation where, countAt;
};

class LaunchReader {
public:
  LaunchReader(AssemblyContext &context, const SourceLine &line)
      : context_(context), reader_(context, line) {}

  /// Nothing after a complaint.
  std::optional<PlacedLaunch> read();

private:
  bool readRoutine();
  bool readOption();
  bool readInitial(const Token &token, uint32_t element);
  bool readBuffers(const Token &option,
                   std::optional<std::vector<uint32_t>> &buffers);
  std::optional<uint32_t> elementOf(const Token &token) const;

  AssemblyContext &context_;
  StatementReader reader_;
  PlacedLaunch placed_;
  uint32_t elementsSet_ = 0; ///< A bit each.
};

std::optional<PlacedLaunch> LaunchReader::read() {
  Token word = reader_.take();
  placed_.where = word.where;
  placed_.launch.line = word.where.line;
  if (!readRoutine())
    return std::nullopt;
  placed_.countAt = reader_.peek().where;
  auto count = reader_.readInteger({"a number of machines", 1, kMaxMachines});
  if (!count)
    return std::nullopt;
  placed_.launch.count = *count;
  while (reader_.peek().kind != TokenKind::End)
    if (!readOption())
      return std::nullopt;
  std::ranges::sort(placed_.launch.initial, {}, &Launch::Initial::element);
  return std::move(placed_);
}

bool LaunchReader::readRoutine() {
  Token name = reader_.take();
  const Symbol *symbol = reader_.find(name.text, SymbolKind::Routine);
  if (symbol)
    placed_.launch.routine = symbol->index;
  else if (name.kind != TokenKind::Name)
    reader_.failExpected(name, "the name of a routine");
  else if (!reader_.isDoubtful(name.text, SymbolKind::Routine))
    reader_.fail(name.where, "There is no routine {}.", quote(name));
  return symbol || reader_.isDoubtful(name.text, SymbolKind::Routine);
}

/// Of the vector, for a register or a memory.
std::optional<uint32_t> LaunchReader::elementOf(const Token &token) const {
  if (auto number = parseRegister(token.text))
    return kFirstRegister + *number;
  if (auto number = parseMemory(token.text))
    return kFirstMemory + *number;
  return std::nullopt;
}

bool LaunchReader::readOption() {
  Token token = reader_.take();
  if (token.text == "reads")
    return readBuffers(token, placed_.launch.reads);
  if (token.text == "writes")
    return readBuffers(token, placed_.launch.writes);
  if (auto element = elementOf(token))
    return readInitial(token, *element);
  if (token.kind == TokenKind::Name)
    reader_.fail(token.where,
                 "{} is no option of run: a register (r0 to r3), a memory (m0 "
                 "to m15), reads or writes is expected.",
                 quote(token));
  else
    reader_.failExpected(token, "a register (r0 to r3), a memory (m0 to m15) "
                                "or an option (reads, writes)");
  return false;
}

bool LaunchReader::readInitial(const Token &token, uint32_t element) {
  if (elementsSet_ >> element & 1) {
    reader_.fail(token.where, "{} is set twice.", quote(token));
    return false;
  }
  elementsSet_ |= 1u << element;
  if (!reader_.expect('='))
    return false;
  std::optional<uint32_t> bits = reader_.readValue();
  if (bits)
    placed_.launch.initial.push_back({element, *bits});
  return bits.has_value();
}

bool LaunchReader::readBuffers(const Token &option,
                               std::optional<std::vector<uint32_t>> &buffers) {
  if (buffers) {
    reader_.fail(option.where, "Option {} is given twice.", quote(option));
    return false;
  }
  if (!reader_.expect('='))
    return false;
  buffers.emplace();
  do {
    std::optional<uint32_t> buffer = reader_.readBuffer();
    if (!buffer)
      return false;
    if (*buffer < context_.program.buffers.size())
      buffers->push_back(*buffer);
  } while (reader_.takeIf(','));
  std::ranges::sort(*buffers);
  auto [first, last] = std::ranges::unique(*buffers);
  buffers->erase(first, last);
  return true;
}

//===--- .phase and .flow -------------------------------------------------===//

class PhaseReader {
public:
  PhaseReader(AssemblyContext &context, const OutlinedPhase &outlined)
      : context_(context), outlined_(outlined),
        reader_(context, outlined.line) {}

  void read();

private:
  void readOptions();
  bool readOption();
  bool readCount(const Token &option, std::optional<uint32_t> &value,
                 const IntegerRange &range);
  void place(PlacedLaunch placed);
  void addTo(uint32_t level, PlacedLaunch &placed);
  template <typename... Args>
  void fail(SourceLocation where, fmt::format_string<Args...> format,
            Args &&...args) {
    reader_.fail(where, format, std::forward<Args>(args)...);
  }

  AssemblyContext &context_;
  const OutlinedPhase &outlined_;
  StatementReader reader_;
  std::optional<uint32_t> spawn_, budget_;
  bool independent_ = false;
  LaunchLevels levels_;
  std::vector<Phase> phases_;      ///< One, or the levels of a flow.
  std::vector<uint64_t> machines_; ///< Of each.
};

bool PhaseReader::readCount(const Token &option, std::optional<uint32_t> &value,
                            const IntegerRange &range) {
  if (value) {
    fail(option.where, "Option {} is given twice.", quote(option));
    return false;
  }
  if (!reader_.expect('='))
    return false;
  value = reader_.readInteger(range);
  return value.has_value();
}

bool PhaseReader::readOption() {
  Token token = reader_.take();
  if (token.text == "budget")
    return readCount(token, budget_, {"a budget", 1, kMaxBudget});
  if (token.text == "spawn" && !outlined_.isFlow)
    return readCount(token, spawn_, {"a number of machines", 0, kMaxMachines});
  const char *kind = outlined_.isFlow ? ".flow" : ".phase";
  const char *known = outlined_.isFlow ? "budget or independent"
                                       : "spawn, budget or independent";
  if (token.kind != TokenKind::Name)
    reader_.failExpected(token, fmt::format("an option ({})", known));
  else if (token.text != "independent")
    fail(token.where, "{} is no option of {}: {} is expected.", quote(token),
         kind, known);
  else if (independent_)
    fail(token.where, "Option {} is given twice.", quote(token));
  bool isGood = token.text == "independent" && !independent_;
  independent_ |= isGood;
  return isGood;
}

void PhaseReader::readOptions() {
  reader_.take();
  reader_.take();
  while (reader_.peek().kind != TokenKind::End)
    if (!readOption())
      return;
}

void PhaseReader::addTo(uint32_t level, PlacedLaunch &placed) {
  while (phases_.size() <= level) {
    std::string name(outlined_.name);
    if (outlined_.isFlow)
      name += fmt::format(".{}", phases_.size());
    phases_.push_back({std::move(name),
                       spawn_.value_or(0),
                       budget_,
                       independent_,
                       {},
                       outlined_.line.number});
    machines_.push_back(spawn_.value_or(0));
  }
  uint64_t before = machines_[level];
  machines_[level] += placed.launch.count;
  if (machines_[level] > kMaxMachines && before <= kMaxMachines)
    fail(placed.countAt,
         "The machines of phase \"{}\" are out of range: with {} more they are "
         "{} (the limit is {}).",
         printable(phases_[level].name), placed.launch.count, machines_[level],
         kMaxMachines);
  phases_[level].launches.push_back(std::move(placed.launch));
}

void PhaseReader::place(PlacedLaunch placed) {
  const Launch &launch = placed.launch;
  bool hasClause = launch.reads || launch.writes;
  if (outlined_.isFlow && !hasClause) {
    fail(placed.where, "A run of the flow \"{}\" needs reads= or writes=.",
         printable(outlined_.name));
    return;
  }
  LaunchLevels::Level level = levels_.add(launch);
  if (level.number > 0 && !outlined_.isFlow) {
    fail(placed.where,
         "This run depends on that of line {}, by buffer \"{}\"; both are in "
         "phase \"{}\".",
         level.line, printable(context_.program.buffers[level.buffer].name),
         printable(outlined_.name));
    level.number = 0;
  }
  addTo(level.number, placed);
}

void PhaseReader::read() {
  if (!outlined_.isWrong)
    readOptions();
  for (const SourceLine &line : outlined_.runs)
    if (auto placed = LaunchReader(context_, line).read())
      place(std::move(*placed));
  std::ranges::move(phases_, std::back_inserter(context_.program.phases));
}

} // namespace

void readPhases(AssemblyContext &context) {
  for (const OutlinedPhase &outlined : context.outline.phases)
    PhaseReader(context, outlined).read();
}

} // namespace vm::linear
