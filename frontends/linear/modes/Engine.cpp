//===- Engine.cpp - faithful mode: programs as tables ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Engine.h"

#include "frontends/engine/TextTemplate.h"
#include "frontends/linear/matrices/PackedMatrices.h"
#include "frontends/linear/modes/SignatureText.h"
#include "frontends/linear/modes/Templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

using namespace vm;
using namespace vm::linear;

namespace {
class EngineWriter {
public:
  EngineWriter(const Program &program, const EngineOptions &options)
      : program(program), options(options),
        tables(buildEngineTables(program, options.format, options.threshold,
                                 options.room || usesAccess(program))),
        sizes(options.room.value_or(tables.sizes)) {}

  std::string write();

private:
  void addSizes();
  void addLimits();
  void addTables();
  void addFormat();
  void addSharedMemory();
  void addPart();
  void addConditions();

  template <typename T> void set(const std::string &place, const T &value) {
    arguments.places[place] = fmt::format("{}", value);
  }

  const Program &program;
  const EngineOptions &options;
  EngineTables tables;
  EngineSizes sizes;
  TemplateArguments arguments;
};
} // namespace

void EngineWriter::addSizes() {
  for (const EngineSize &size : allEngineSizes())
    set(size.name, sizes.*size.value);
  set("lastMachine", sizes.machines - 1);
  set("elements", uint64_t(sizes.machines) * 20);
  set("frames", uint64_t(sizes.machines) * sizes.stack);
}

/// What is a number in an engine for one program.
void EngineWriter::addLimits() {
  size_t most = options.room ? sizes.launches : 0;
  // One more iteration for each phase, which finds that it is over.
  uint64_t epochs = options.room ? INT32_MAX : 0;
  for (const Phase &phase : program.phases) {
    most = std::max(most, phase.launches.size());
    epochs += uint64_t(program.budgetOf(phase)) + 1;
  }
  set("epochs", std::min<uint64_t>(epochs, INT32_MAX));
  // Halvings that leave one of them.
  set("launchSteps", std::max<int>(std::bit_width(most), 1));
  set("addressEnd", addressEnd(program));
  set("lastPhase", program.phases.size() - 1);
  arguments.places["tolerance"] =
      fmt::format("0x{:08X}", program.toleranceBits);
}

/// ` = dense<[[1, 2], [3, 4]]> : !NAME`.
static std::string valueOf(const EngineTable &table) {
  std::string text;
  for (size_t i = 0; i < table.words.size(); ++i) {
    size_t column = i % table.columns;
    text += i == 0 ? "" : column == 0 && table.isMatrix ? "], [" : ", ";
    text += table.isFloat ? fmt::format("0x{:08X}", table.words[i])
                          : fmt::format("{}", int32_t(table.words[i]));
  }
  return fmt::format(" = dense<[{}]> : !{}",
                     table.isMatrix ? "[" + text + "]" : text, table.name);
}

void EngineWriter::addTables() {
  for (const EngineTable &table : tables.all)
    arguments.places[table.name + "Value"] = options.room ? "" : valueOf(table);
}

/// How matrices are read: the formats besides CSR and dense are in
/// PackedMatrices.h.
void EngineWriter::addFormat() {
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

/// Shared memory of an engine for any program, as one.
static Program programWithRoom(const EngineSizes &sizes) {
  Program program;
  program.name = "engine";
  program.buffers.push_back({"memory", sizes.words, BufferKind::InOut, 0, 1});
  program.phases.push_back({});
  program.phases.back().spawn = sizes.machines;
  return program;
}

/// The signature, and the stages at both ends.
void EngineWriter::addSharedMemory() {
  Program any = programWithRoom(sizes);
  SignatureText shared = writeSignature(options.room ? any : program);
  set("name", options.part ? options.part->name : shared.name);
  set("inputs", shared.inputs);
  set("sharedOperands", shared.operands);
  set("sharedBody", shared.body);
  set("outputs", shared.outputs);
  set("outputStages", shared.returnStages("%l.end#7"));
  set("returned",
      shared.returned("%l.state", "%l.end#1", "%l.end#2", "%l.end#8"));
}

/// What the first epoch begins with, and what a part is.
void EngineWriter::addPart() {
  bool isGated = options.part && options.part->isGated;
  set("memory0", options.part ? "%in.memory : !shared"
                              : "%l.shared0 : !gpuvm.message<!shared>");
  set("phase0", isGated ? "%l.phase0" : "%l.noWord");
  if (options.part)
    arguments.conditions.insert("part");
  if (isGated)
    arguments.conditions.insert("gated");
}

/// What the program needs, or with room all there is.
void EngineWriter::addConditions() {
  auto add = [&](const char *condition, std::initializer_list<Opcode> any) {
    bool isUsed =
        std::ranges::any_of(program.instructions, [&](const Instruction &i) {
          return std::ranges::find(any, i.opcode) != any.end();
        });
    if (options.room || isUsed)
      arguments.conditions.insert(condition);
    return options.room || isUsed;
  };
  add("wait", {Opcode::Wait});
  bool spawns = add("spawn", {Opcode::Spawn});
  bool writes = add("write", {Opcode::Write});
  bool calls = add("call", {Opcode::Call, Opcode::Return});
  add("divide", {Opcode::Div, Opcode::DivI});
  add("modulo", {Opcode::Mod, Opcode::ModI});
  add("root", {Opcode::Sqrt});
  add("sine", {Opcode::Sin, Opcode::Cos});
  // Which of the loop-carried values is the last one.
  set("spawned", spawns ? "2" : "1");
  set("pushed", calls ? "1" : "");
  set("committed", writes ? "1" : "");
  if (options.room)
    arguments.conditions.insert("room");
  if (options.room || usesAccess(program))
    arguments.conditions.insert("access");
  if (program.f16State)
    arguments.conditions.insert("f16");
}

std::string EngineWriter::write() {
  addSizes();
  addLimits();
  addTables();
  addFormat();
  addSharedMemory();
  addPart();
  addConditions();
  arguments.places["functions"] = kFunctionsTemplate;
  return fillTemplate(kEngineTemplate, arguments);
}

std::string vm::linear::writeEngine(const Program &program,
                                    const EngineOptions &options) {
  return EngineWriter(program, options).write();
}
