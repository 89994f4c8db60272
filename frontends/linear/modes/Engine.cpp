//===- Engine.cpp - faithful mode: programs as tables ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Engine.h"

#include "frontends/TextTemplate.h"
#include "frontends/linear/Arithmetic.h"
#include "frontends/linear/matrices/PackedMatrices.h"
#include "frontends/linear/modes/SignatureText.h"
#include "frontends/linear/modes/Templates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

using namespace vm;
using namespace vm::linear;

namespace {
/// Rows of a table of words, which are written as signed numbers.
struct Table {
  size_t columns;
  std::vector<uint32_t> words;

  size_t rows() const { return words.size() / columns; }
};

class EngineWriter {
public:
  EngineWriter(const Program &program, const EngineOptions &options)
      : program(program), options(options) {}

  std::string write();

private:
  void addSizes();
  void addCode();
  void addMatrices();
  void addPacked(const MatrixTables &tables);
  void addPlan();
  void addBuffers();
  void addSharedMemory();
  void addConditions();
  void addTable(const std::string &name, const Table &table);
  void addList(const std::string &name, std::vector<uint32_t> words);
  void addFloats(const std::string &name, std::vector<float> values);
  void addValue(const std::string &name, const std::string &elements);
  Table accessTable() const;
  bool uses(Opcode opcode) const;
  bool usesAccess() const;
  uint32_t frames() const;

  template <typename T> void set(const std::string &place, const T &value) {
    arguments.places[place] = fmt::format("{}", value);
  }

  const Program &program;
  const EngineOptions &options;
  std::vector<uint32_t> byAddress; ///< Buffers, ascending by their bases.
  TemplateArguments arguments;
};
} // namespace

bool EngineWriter::uses(Opcode opcode) const {
  return std::ranges::any_of(program.instructions, [&](const Instruction &i) {
    return i.opcode == opcode;
  });
}

/// Whether an access may be forbidden.
bool EngineWriter::usesAccess() const {
  auto isBounded = [](const Launch &launch) {
    return launch.reads || launch.writes;
  };
  bool isReadOnly = std::ranges::any_of(program.buffers, [](const Buffer &b) {
    return b.kind == BufferKind::In;
  });
  return (isReadOnly && uses(Opcode::Write)) ||
         std::ranges::any_of(program.phases, [&](const Phase &phase) {
           return std::ranges::any_of(phase.launches, isBounded);
         });
}

uint32_t EngineWriter::frames() const {
  return uses(Opcode::Call) ? program.stack : 1;
}

void EngineWriter::addSizes() {
  uint64_t machines = program.maxMachines();
  size_t launches = 0, most = 0;
  for (const Phase &phase : program.phases) {
    launches += phase.launches.size();
    most = std::max(most, phase.launches.size());
  }
  set("machines", machines);
  set("lastMachine", machines - 1);
  set("elements", machines * 20);
  set("frames", machines * frames());
  set("depth", frames());
  set("words", std::max<uint32_t>(program.sharedWords(), 1));
  set("phases", program.phases.size());
  set("lastPhase", program.phases.size() - 1);
  set("instructions", program.instructions.size());
  set("launches", launches);
  // Halvings that leave one of them.
  set("launchSteps", std::max<int>(std::bit_width(most), 1));
  set("buffers", std::max<size_t>(program.buffers.size(), 1));
  arguments.places["tolerance"] =
      fmt::format("0x{:08X}", program.toleranceBits);
  // A turn more for each phase, which finds that it is over.
  uint64_t epochs = 0;
  for (const Phase &phase : program.phases)
    epochs += uint64_t(program.budgetOf(phase)) + 1;
  set("epochs", std::min<uint64_t>(epochs, INT32_MAX));
}

void EngineWriter::addValue(const std::string &name,
                            const std::string &elements) {
  arguments.places[name + "Value"] =
      options.tablesAreInputs
          ? ""
          : fmt::format(" = dense<{}> : !{}", elements, name);
}

void EngineWriter::addTable(const std::string &name, const Table &table) {
  std::string rows;
  for (size_t row = 0; row < table.rows(); ++row) {
    rows += row == 0 ? "[" : ", [";
    for (size_t column = 0; column < table.columns; ++column)
      rows += fmt::format("{}{}", column == 0 ? "" : ", ",
                          int32_t(table.words[row * table.columns + column]));
    rows += "]";
  }
  addValue(name, "[" + rows + "]");
}

void EngineWriter::addList(const std::string &name,
                           std::vector<uint32_t> words) {
  if (words.empty())
    words.push_back(0); // No tensor is empty.
  std::vector<int32_t> numbers(words.begin(), words.end());
  addValue(name, fmt::format("[{}]", fmt::join(numbers, ", ")));
}

void EngineWriter::addFloats(const std::string &name,
                             std::vector<float> values) {
  if (values.empty())
    values.push_back(0);
  std::string text;
  for (float value : values)
    text += fmt::format("{}0x{:08X}", text.empty() ? "" : ", ",
                        std::bit_cast<uint32_t>(value));
  addValue(name, "[" + text + "]");
}

void EngineWriter::addCode() {
  Table table{5, {}};
  for (const Instruction &instruction : program.instructions) {
    table.words.push_back(uint32_t(instruction.opcode));
    table.words.insert(table.words.end(), instruction.operands.begin(),
                       instruction.operands.end());
  }
  addTable("code", table);
}

void EngineWriter::addMatrices() {
  MatrixTables tables = buildTables(program, options.format, options.threshold);
  Table metadata{4, {}};
  for (const auto &row : tables.metadata)
    metadata.words.insert(metadata.words.end(), row.begin(), row.end());
  addTable("metadata", metadata);
  set("denseElements", std::max<size_t>(tables.dense.size(), 1));
  set("nonzeros", std::max<size_t>(tables.values.size(), 1));
  set("rowPointers", std::max<size_t>(tables.rowPointers.size(), 1));
  addFloats("dense", tables.dense);
  addFloats("values", tables.values);
  addList("columns", tables.columns);
  addList("pointers", tables.rowPointers);
  addPacked(tables);
}

/// The formats beside CSR and dense (PackedMatrices.h).
void EngineWriter::addPacked(const MatrixTables &tables) {
  set("packedWords", std::max<size_t>(tables.packed.size(), 1));
  set("differentValues", std::max<size_t>(tables.dictionary.size(), 1));
  addList("packed", tables.packed);
  addFloats("dictionary", tables.dictionary);
  unsigned side = blockSize(options.format), across = blocksAcross(side);
  set("blockSide", side);
  set("blocksAcross", across);
  set("blockPlaces", side * across);
  switch (options.format) {
  case Format::Bsr2:
  case Format::Bsr4:
    arguments.conditions.insert({"packed", "blocks"});
    break;
  case Format::Dictionary:
  case Format::RunLength:
    arguments.conditions.insert({"packed", toString(options.format)});
    break;
  default:
    arguments.conditions.insert("tables");
    break;
  }
}

void EngineWriter::addPlan() {
  Table phases{5, {}}, launches{22, {}};
  uint32_t number = 0;
  for (const Phase &phase : program.phases) {
    uint32_t machine = 0;
    for (const Launch &launch : phase.launches) {
      std::array<uint32_t, 22> row = {machine,
                                      program.routines[launch.routine].first};
      for (const Launch::Initial &initial : launch.initial)
        row[1 + initial.element] =
            program.f16State ? std::bit_cast<uint32_t>(roundToHalf(
                                   std::bit_cast<float>(initial.bits)))
                             : initial.bits;
      launches.words.insert(launches.words.end(), row.begin(), row.end());
      machine += launch.count;
    }
    phases.words.insert(phases.words.end(),
                        {number, uint32_t(phase.launches.size()), machine,
                         phase.machines(), program.budgetOf(phase)});
    number += phase.launches.size();
  }
  addTable("phases", phases);
  addTable("launches", launches);
}

/// 1 where a launch may read a buffer, 2 where it may write it; buffers by
/// their addresses.
Table EngineWriter::accessTable() const {
  Table table{byAddress.size(), {}};
  auto names = [](const std::optional<std::vector<uint32_t>> &list,
                  uint32_t buffer) {
    return list && std::ranges::find(*list, buffer) != list->end();
  };
  for (const Phase &phase : program.phases)
    for (const Launch &launch : phase.launches)
      for (uint32_t buffer : byAddress) {
        bool isFree = !launch.reads && !launch.writes;
        bool writes = isFree || names(launch.writes, buffer);
        bool reads = writes || names(launch.reads, buffer);
        if (program.buffers[buffer].kind == BufferKind::In)
          writes = false;
        table.words.push_back((reads ? 1 : 0) | (writes ? 2 : 0));
      }
  return table;
}

void EngineWriter::addBuffers() {
  byAddress = buffersByAddress(program);
  if (!usesAccess())
    return;
  std::vector<uint32_t> bases;
  for (uint32_t buffer : byAddress)
    bases.push_back(program.buffers[buffer].base);
  addList("buffers", bases);
  addTable("access", accessTable());
}

/// The signature, and the stages at both ends.
void EngineWriter::addSharedMemory() {
  SignatureText shared = writeSignature(program);
  set("name", shared.name);
  set("inputs", shared.inputs);
  set("sharedOperands", shared.operands);
  set("sharedBody", shared.body);
  set("outputs", shared.outputs);
  set("outputStages", shared.returnStages("%l.end#7"));
  set("returned",
      shared.returned("%l.state", "%l.end#1", "%l.end#2", "%l.end#8"));
}

void EngineWriter::addConditions() {
  auto add = [&](const char *condition, std::initializer_list<Opcode> any) {
    for (Opcode opcode : any)
      if (uses(opcode))
        arguments.conditions.insert(condition);
  };
  add("wait", {Opcode::Wait});
  add("spawn", {Opcode::Spawn});
  add("write", {Opcode::Write});
  add("call", {Opcode::Call, Opcode::Return});
  add("divide", {Opcode::Div, Opcode::DivI});
  add("modulo", {Opcode::Mod, Opcode::ModI});
  add("root", {Opcode::Sqrt});
  add("sine", {Opcode::Sin, Opcode::Cos});
  if (usesAccess())
    arguments.conditions.insert("access");
  // Which of the values that a turn hands on is the last one.
  set("spawned", uses(Opcode::Spawn) ? "2" : "1");
  set("pushed", arguments.conditions.contains("call") ? "1" : "");
  set("committed", uses(Opcode::Write) ? "1" : "");
  if (program.f16State)
    arguments.conditions.insert("f16");
}

std::string EngineWriter::write() {
  addSizes();
  addCode();
  addMatrices();
  addPlan();
  addBuffers();
  addSharedMemory();
  addConditions();
  arguments.places["functions"] = kFunctionsTemplate;
  return fillTemplate(kEngineTemplate, arguments);
}

std::string vm::linear::writeEngine(const Program &program,
                                    const EngineOptions &options) {
  return EngineWriter(program, options).write();
}
