//===- ExecutableFields.h - the fields of an executable -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function states the fields of a part once, for the writer (with const
// objects) and for the reader.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/executable/Archive.h"
#include "frontends/linear/executable/RoutineFacts.h"
#include "frontends/linear/matrices/Matrices.h"

namespace vm::linear {

/// A double by its bits.
template <typename Archive, typename Value>
void transferDouble(Archive &archive, const char *name, Value &value) {
  auto bits = std::bit_cast<uint64_t>(value);
  archive.wide(name, bits);
  if constexpr (Archive::kReads)
    value = std::bit_cast<double>(bits);
}

template <typename Archive, typename P>
void transferSettings(Archive &archive, P &program) {
  archive.text("program", program.name);
  archive.flag("f16 state", program.f16State);
  archive.word("stack", program.stack);
  archive.word("budget", program.budget);
  archive.word("tolerance", program.toleranceBits);
  archive.optional("threshold", program.threshold, [&](auto &threshold) {
    transferDouble(archive, "threshold", threshold);
  });
  for (auto &line : program.settingLines)
    archive.word("line", line);
}

template <typename Archive, typename P>
void transferCode(Archive &archive, P &program) {
  archive.section("instructions", [&] {
    archive.list("instructions", program.instructions, 20, [&](auto &item) {
      auto opcode = static_cast<uint32_t>(item.opcode);
      archive.word("opcode", opcode);
      if constexpr (Archive::kReads)
        item.opcode = static_cast<Opcode>(opcode);
      for (auto &operand : item.operands)
        archive.word("operand", operand);
    });
  });
  archive.section("lines", [&] {
    archive.list("lines", program.lines, 4,
                 [&](auto &line) { archive.word("line", line); });
  });
  archive.section("labels", [&] {
    archive.list("labels", program.labels, 12, [&](auto &label) {
      archive.text("name", label.name);
      archive.word("instruction", label.instruction);
      archive.word("line", label.line);
    });
  });
}

template <typename Archive, typename P>
void transferRoutines(Archive &archive, P &program) {
  archive.list("routines", program.routines, 16, [&](auto &routine) {
    archive.text("name", routine.name);
    archive.word("first", routine.first);
    archive.word("count", routine.count);
    archive.word("line", routine.line);
  });
}

template <typename Archive, typename P>
void transferBuffers(Archive &archive, P &program) {
  archive.list("buffers", program.buffers, 20, [&](auto &buffer) {
    archive.text("name", buffer.name);
    archive.word("size", buffer.size);
    archive.choice("kind", buffer.kind, 4);
    archive.word("base", buffer.base);
    archive.word("line", buffer.line);
  });
}

template <typename Archive, typename Clause>
void transferClause(Archive &archive, const char *name, Clause &clause) {
  archive.optional(name, clause, [&](auto &buffers) {
    archive.list(name, buffers, 4,
                 [&](auto &buffer) { archive.word("buffer", buffer); });
  });
}

template <typename Archive, typename L>
void transferLaunch(Archive &archive, L &launch) {
  archive.word("routine", launch.routine);
  archive.word("count", launch.count);
  archive.list("initial values", launch.initial, 8, [&](auto &initial) {
    archive.word("element", initial.element);
    archive.word("value", initial.bits);
  });
  transferClause(archive, "reads", launch.reads);
  transferClause(archive, "writes", launch.writes);
  archive.word("line", launch.line);
}

template <typename Archive, typename P>
void transferPlan(Archive &archive, P &program) {
  archive.list("phases", program.phases, 24, [&](auto &phase) {
    archive.text("name", phase.name);
    archive.word("spawn", phase.spawn);
    archive.optional("budget", phase.budget,
                     [&](auto &budget) { archive.word("budget", budget); });
    archive.flag("independent", phase.independent);
    archive.list("launches", phase.launches, 24,
                 [&](auto &launch) { transferLaunch(archive, launch); });
    archive.word("line", phase.line);
  });
}

/// The fields of the program.
template <typename Archive, typename P>
void transferProgram(Archive &archive, P &program) {
  archive.section("directives", [&] { transferSettings(archive, program); });
  transferCode(archive, program);
  archive.section("routines", [&] { transferRoutines(archive, program); });
  archive.section("buffers", [&] { transferBuffers(archive, program); });
  archive.section("plan", [&] { transferPlan(archive, program); });
}

/// What follows from it: facts of the routines, and matrices.
inline void writeFacts(ArchiveWriter &archive, const ProgramFacts &facts) {
  auto writeWide = [&](uint64_t value) { archive.wide("path", value); };
  archive.section("facts", [&] {
    archive.list("routines", facts.routines, 12, [&](auto &routine) {
      archive.word("memory",
                   routine.memoryRead | uint32_t(routine.memoryWritten) << 16);
      archive.optional("longest path", routine.longestPath, writeWide);
    });
    archive.optional("call depth", facts.callDepth, writeWide);
  });
}

inline void writeTables(ArchiveWriter &archive, const MatrixTables &tables) {
  auto writeWord = [&](uint32_t value) { archive.word("word", value); };
  auto writeFloat = [&](float value) {
    archive.word("value", std::bit_cast<uint32_t>(value));
  };
  archive.section("metadata", [&] {
    archive.list("metadata", tables.metadata, 16, [&](auto &entry) {
      for (uint32_t word : entry)
        archive.word("word", word);
    });
  });
  archive.section("dense",
                  [&] { archive.list("dense", tables.dense, 4, writeFloat); });
  archive.section(
      "values", [&] { archive.list("values", tables.values, 4, writeFloat); });
  archive.section("columns", [&] {
    archive.list("columns", tables.columns, 4, writeWord);
  });
  archive.section("row pointers", [&] {
    archive.list("row pointers", tables.rowPointers, 4, writeWord);
  });
}

} // namespace vm::linear
