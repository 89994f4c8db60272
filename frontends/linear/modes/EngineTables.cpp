//===- EngineTables.cpp - a program as what the engine reads --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/EngineTables.h"

#include "frontends/linear/Arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>
#include <span>

using namespace vm;
using namespace vm::linear;

//===--- Sizes ------------------------------------------------------------===//

static constexpr EngineSize kSizes[] = {
    {"machines", &EngineSizes::machines},
    {"words", &EngineSizes::words},
    {"stack", &EngineSizes::stack},
    {"instructions", &EngineSizes::instructions},
    {"phases", &EngineSizes::phases},
    {"launches", &EngineSizes::launches},
    {"buffers", &EngineSizes::buffers},
    {"denseElements", &EngineSizes::denseElements},
    {"nonzeros", &EngineSizes::nonzeros},
    {"rowPointers", &EngineSizes::rowPointers},
    {"packedWords", &EngineSizes::packedWords},
    {"differentValues", &EngineSizes::differentValues},
};

std::span<const EngineSize> vm::linear::allEngineSizes() { return kSizes; }

/// What a text may ask for; the others follow.
static std::span<const EngineSize> namedSizes() {
  return allEngineSizes().first(7);
}

/// `machines=1000`.
static Status parseSize(std::string_view text, EngineSizes &sizes) {
  size_t equals = std::min(text.find('='), text.size());
  std::string_view name = text.substr(0, equals);
  std::string_view number = text.substr(std::min(equals + 1, text.size()));
  uint32_t count = 0;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), count);
  bool isCount = error == std::errc() && end == number.data() + number.size() &&
                 count >= 1 && count <= kMaxMachines;
  auto sizesWithNames = namedSizes();
  auto known = std::ranges::find(sizesWithNames, name, &EngineSize::name);
  if (known == sizesWithNames.end() || !isCount)
    return {Code::Usage,
            fmt::format("\"{}\" is no size of an engine: auto, or machines, "
                        "words, stack, instructions, phases, launches or "
                        "buffers, each with = and a number from 1 to {}.",
                        text, kMaxMachines)};
  sizes.*known->value = std::max(sizes.*known->value, count);
  return {};
}

Result<EngineSizes> vm::linear::parseRoom(std::string_view text,
                                          EngineSizes least, Format format) {
  EngineSizes room = least;
  for (size_t at = 0; text != "auto" && at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    VM_RETURN_IF_ERROR(parseSize(text.substr(at, comma - at), room));
    at = comma + 1;
  }
  for (const EngineSize &size : namedSizes())
    room.*size.value = roundUp(room.*size.value);
  // A matrix has 24 non-zeros at most, as ADD does, and 22 rows.
  room.nonzeros = room.rowPointers = room.denseElements = 1;
  if (format == Format::Dense) {
    uint64_t elements = uint64_t(room.instructions) * kElements * kElements;
    if (elements > UINT32_MAX / 4)
      return Status(Code::Usage,
                    fmt::format("{} dense matrices take more than {} bytes.",
                                room.instructions, UINT32_MAX));
    room.denseElements = uint32_t(elements);
  } else {
    room.nonzeros = room.instructions * (kElements + 2);
    room.rowPointers = room.instructions * (kElements + 1);
  }
  return room;
}

std::vector<uint32_t> vm::linear::buffersByAddress(const Program &program) {
  std::vector<uint32_t> buffers(program.buffers.size());
  std::iota(buffers.begin(), buffers.end(), 0);
  std::ranges::sort(buffers, {}, [&](uint32_t buffer) {
    return program.buffers[buffer].base;
  });
  return buffers;
}

int32_t vm::linear::addressEnd(const Program &program) {
  uint32_t words = program.sharedWords();
  return words == 0 ? -1 : int32_t(words); // More than -1 are rounded to 0.
}

static bool uses(const Program &program, Opcode opcode) {
  return std::ranges::any_of(program.instructions, [&](const Instruction &i) {
    return i.opcode == opcode;
  });
}

bool vm::linear::usesAccess(const Program &program) {
  auto isBounded = [](const Launch &launch) {
    return launch.reads || launch.writes;
  };
  bool isReadOnly = std::ranges::any_of(program.buffers, [](const Buffer &b) {
    return b.kind == BufferKind::In;
  });
  return (isReadOnly && uses(program, Opcode::Write)) ||
         std::ranges::any_of(program.phases, [&](const Phase &phase) {
           return std::ranges::any_of(phase.launches, isBounded);
         });
}

//===--- Tables -----------------------------------------------------------===//

namespace {
class TablesBuilder {
public:
  explicit TablesBuilder(const Program &program) : program(program) {}

  void addCode();
  void addMatrices(Format format, double threshold);
  void addPlan();
  void addAccess();
  void addLimits();

  EngineTables tables;

private:
  /// One with a row of words for each of `rows`.
  std::vector<uint32_t> &addRows(const char *name, uint32_t EngineSizes::*rows,
                                 size_t columns);
  /// A list, which is as long as `rows` says; no tensor is empty.
  void addList(const char *name, uint32_t EngineSizes::*rows,
               std::vector<uint32_t> words);
  void addFloats(const char *name, uint32_t EngineSizes::*rows,
                 const std::vector<float> &values);
  std::array<uint32_t, 22> launchRow(const Launch &launch,
                                     uint32_t machine) const;
  uint32_t accessOf(const Launch &launch, uint32_t buffer) const;

  const Program &program;
};
} // namespace

std::vector<uint32_t> &TablesBuilder::addRows(const char *name,
                                              uint32_t EngineSizes::*rows,
                                              size_t columns) {
  tables.all.push_back({name, false, rows, columns, true, {}});
  return tables.all.back().words;
}

void TablesBuilder::addList(const char *name, uint32_t EngineSizes::*rows,
                            std::vector<uint32_t> words) {
  if (words.empty())
    words.push_back(0);
  tables.sizes.*rows = words.size();
  tables.all.push_back({name, false, rows, 1, false, std::move(words)});
}

void TablesBuilder::addFloats(const char *name, uint32_t EngineSizes::*rows,
                              const std::vector<float> &values) {
  std::vector<uint32_t> bits;
  for (float value : values)
    bits.push_back(std::bit_cast<uint32_t>(value));
  addList(name, rows, std::move(bits));
  tables.all.back().isFloat = true;
}

void TablesBuilder::addCode() {
  tables.sizes.instructions = program.instructions.size();
  auto &words = addRows("code", &EngineSizes::instructions, 5);
  for (const Instruction &instruction : program.instructions) {
    words.push_back(uint32_t(instruction.opcode));
    words.insert(words.end(), instruction.operands.begin(),
                 instruction.operands.end());
  }
}

void TablesBuilder::addMatrices(Format format, double threshold) {
  MatrixTables matrices = buildTables(program, format, threshold);
  auto &words = addRows("metadata", &EngineSizes::instructions, 4);
  for (const auto &row : matrices.metadata)
    words.insert(words.end(), row.begin(), row.end());
  addFloats("dense", &EngineSizes::denseElements, matrices.dense);
  addFloats("values", &EngineSizes::nonzeros, matrices.values);
  addList("columns", &EngineSizes::nonzeros, matrices.columns);
  addList("pointers", &EngineSizes::rowPointers, matrices.rowPointers);
  addList("packed", &EngineSizes::packedWords, matrices.packed);
  addFloats("dictionary", &EngineSizes::differentValues, matrices.dictionary);
}

/// First machine, first instruction, and what a machine begins with.
std::array<uint32_t, 22> TablesBuilder::launchRow(const Launch &launch,
                                                  uint32_t machine) const {
  std::array<uint32_t, 22> row = {machine,
                                  program.routines[launch.routine].first};
  for (const Launch::Initial &initial : launch.initial)
    row[1 + initial.element] =
        program.f16State ? std::bit_cast<uint32_t>(
                               roundToHalf(std::bit_cast<float>(initial.bits)))
                         : initial.bits;
  return row;
}

void TablesBuilder::addPlan() {
  std::vector<uint32_t> launches;
  auto &phases = addRows("phases", &EngineSizes::phases, 5);
  uint32_t number = 0;
  for (const Phase &phase : program.phases) {
    uint32_t machine = 0;
    for (const Launch &launch : phase.launches) {
      auto row = launchRow(launch, machine);
      launches.insert(launches.end(), row.begin(), row.end());
      machine += launch.count;
    }
    phases.insert(phases.end(),
                  {number, uint32_t(phase.launches.size()), machine,
                   phase.machines(), program.budgetOf(phase)});
    number += phase.launches.size();
  }
  tables.sizes.phases = program.phases.size();
  tables.sizes.launches = number;
  addRows("launches", &EngineSizes::launches, 22) = std::move(launches);
}

/// 1: it may read the buffer, 2: it may write it.
uint32_t TablesBuilder::accessOf(const Launch &launch, uint32_t buffer) const {
  auto names = [&](const std::optional<std::vector<uint32_t>> &list) {
    return list && std::ranges::find(*list, buffer) != list->end();
  };
  bool isFree = !launch.reads && !launch.writes;
  bool writes = isFree || names(launch.writes);
  bool reads = writes || names(launch.reads);
  if (program.buffers[buffer].kind == BufferKind::In)
    writes = false;
  return (reads ? 1 : 0) | (writes ? 2 : 0);
}

/// The bases of buffers by their addresses; and of each launch what it may do
/// with each of them.
void TablesBuilder::addAccess() {
  std::vector<uint32_t> byAddress = buffersByAddress(program);
  std::vector<uint32_t> bases;
  for (uint32_t buffer : byAddress)
    bases.push_back(program.buffers[buffer].base);
  addList("buffers", &EngineSizes::buffers, std::move(bases));
  auto &words = addRows("access", &EngineSizes::launches, tables.sizes.buffers);
  for (const Phase &phase : program.phases)
    for (const Launch &launch : phase.launches) {
      for (uint32_t buffer : byAddress)
        words.push_back(accessOf(launch, buffer));
      if (byAddress.empty()) // No table is empty.
        words.push_back(0);
    }
}

/// What is a constant of a plan for one program.
void TablesBuilder::addLimits() {
  EngineSizes &sizes = tables.sizes;
  sizes.machines = program.maxMachines();
  sizes.words = std::max<uint32_t>(program.sharedWords(), 1);
  sizes.stack = uses(program, Opcode::Call) ? program.stack : 1;
  tables.all.push_back(
      {"limits",
       false,
       nullptr,
       1,
       false,
       {uint32_t(addressEnd(program)), sizes.stack, program.toleranceBits,
        sizes.phases, program.f16State}});
}

const EngineTable &EngineTables::find(std::string_view name) const {
  return *std::ranges::find(all, name, &EngineTable::name);
}

EngineTables vm::linear::buildEngineTables(const Program &program,
                                           Format format, double threshold,
                                           bool hasAccess) {
  TablesBuilder builder(program);
  builder.addCode();
  builder.addMatrices(format, threshold);
  builder.addPlan();
  builder.addLimits();
  if (hasAccess)
    builder.addAccess();
  else
    builder.tables.sizes.buffers = std::max<size_t>(program.buffers.size(), 1);
  return std::move(builder.tables);
}

/// What is after the last row: bases of buffers are more than any address.
static uint32_t paddingOf(const EngineTable &table) {
  return table.name == "buffers" ? INT32_MAX : 0;
}

size_t vm::linear::columnsOf(const EngineTable &table,
                             const EngineSizes &sizes) {
  bool isAccess = table.name == "access"; // Its columns are buffers.
  return isAccess ? sizes.buffers : table.columns;
}

std::vector<uint32_t> vm::linear::padTable(const EngineTable &table,
                                           const EngineSizes &sizes) {
  if (!table.rows)
    return table.words;
  size_t columns = columnsOf(table, sizes);
  std::vector<uint32_t> padded(sizes.*table.rows * columns, paddingOf(table));
  copyRows(std::span(table.words), table.columns, padded.begin(), columns);
  return padded;
}
