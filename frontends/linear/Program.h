//===- Program.h - a program of the linear-algebra VM ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of an assembler text or of an executable, checked: every target
// is in the program, every register, buffer and count in its range. The
// assembler and the reader of executables build it, everything else reads it.
// docs/linear-vm.md describes the machine.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm::linear {

/// Elements of the vector of a machine: x0 = IP, x1..x4 = r0..r3, x5..x20 =
/// m0..m15, x21 = 1.
constexpr unsigned kElements = 22;
constexpr unsigned kRegisters = 4;
constexpr unsigned kMemories = 16;
constexpr unsigned kFirstRegister = 1;
constexpr unsigned kFirstMemory = 5;
constexpr unsigned kOne = 21;

/// Limits of a program.
constexpr uint32_t kMaxInstructions = (1u << 24) - 1;
constexpr uint32_t kMaxSharedWords = 1u << 24;
constexpr uint32_t kMaxMachines = 1u << 24; ///< Launched and free, a phase.
constexpr uint32_t kMaxStack = 256;
constexpr uint32_t kMaxBudget = (1u << 31) - 1;
constexpr uint32_t kDefaultBudget = 10000;
constexpr uint32_t kDefaultStack = 16;

enum class Opcode : uint32_t {
#define LINEAR_OPCODE(name, number, text, cls, operands) name = number,
#include "schema/LinearOpcodes.def"
};

/// The four lists of an epoch.
enum class Class : uint8_t { Linear, Oracle, Branch, Io };

/// What an operand is; a character each in LinearOpcodes.def.
enum class OperandKind : char {
  Destination = 'd', ///< A register that is written.
  Source = 'a',      ///< A register that is read.
  Memory = 'm',      ///< 0..15.
  Value = 'i',       ///< Bits of an f32.
  Target = 't',      ///< The number of an instruction, of the same routine.
  Callee = 'c',      ///< The number of any instruction.
  Registers = 's'    ///< A mask of registers, bit k for rk; written r0, r2.
};

struct OpcodeInfo {
  Opcode opcode;
  const char *text; ///< The mnemonic, in capitals.
  Class cls;
  const char *operands; ///< Kinds of the operands, in the order of the text.
};

/// Of a number, or null if no instruction has it.
const OpcodeInfo *lookUpOpcode(uint32_t number);

/// All there are, by ascending number.
std::span<const OpcodeInfo> allOpcodes();

/// 20 bytes; the operands in the order of the text, unused ones 0.
struct Instruction {
  Opcode opcode;
  std::array<uint32_t, 4> operands = {};
  bool operator==(const Instruction &) const = default;
};
static_assert(sizeof(Instruction) == 20);

enum class BufferKind : uint8_t { In, Out, InOut, Temp };

/// `in`, `out`, `inout`, `temp`.
const char *toString(BufferKind kind);

struct Buffer {
  std::string name;
  uint32_t size = 0; ///< Words.
  BufferKind kind = BufferKind::Temp;
  uint32_t base = 0; ///< Its first address: those of kind In come first.
  uint32_t line = 0;
};

struct Routine {
  std::string name;
  uint32_t first = 0; ///< The number of its first instruction.
  uint32_t count = 0;
  uint32_t line = 0;
};

struct Label {
  std::string name;
  uint32_t instruction = 0;
  uint32_t line = 0; ///< That of its instruction, or one before.
};

/// A `run` line.
struct Launch {
  uint32_t routine = 0; ///< Into `routines`.
  uint32_t count = 1;   ///< Machines.
  /// Bits of the f32 that an element has at first, in ascending elements.
  struct Initial {
    uint32_t element;
    uint32_t bits;
  };
  std::vector<Initial> initial;
  /// Buffers, ascending; absent where the text has no such clause. With either
  /// clause a machine may touch no other buffer.
  std::optional<std::vector<uint32_t>> reads, writes;
  uint32_t line = 0;
};

struct Phase {
  std::string name;   ///< "flow.2" of level 2 of a `.flow`.
  uint32_t spawn = 0; ///< Free machines.
  std::optional<uint32_t> budget;
  bool independent = false;
  std::vector<Launch> launches;
  uint32_t line = 0;

  uint32_t machines() const; ///< Launched and free.
};

/// Directives that a text has at most once.
enum class Setting : uint8_t {
  Program,
  State,
  Stack,
  Budget,
  Tolerance,
  Threshold
};
constexpr unsigned kSettings = 6;

struct Program {
  std::string file; ///< As messages name it.
  std::string name;
  bool f16State = false;
  uint32_t stack = kDefaultStack;
  uint32_t budget = kDefaultBudget;
  uint32_t toleranceBits = 0;
  std::optional<double> threshold; ///< Of dense matrices; 0.15 if absent.
  std::vector<Instruction> instructions;
  std::vector<uint32_t> lines; ///< Of each instruction, from 1.
  std::vector<Label> labels;
  std::vector<Routine> routines;
  std::vector<Buffer> buffers;
  std::vector<Phase> phases;
  std::array<uint32_t, kSettings> settingLines = {}; ///< 0: not in the text.

  uint32_t sharedWords() const;
  uint32_t maxMachines() const; ///< Of any phase.
  /// Of a phase: its own, else the program's.
  uint32_t budgetOf(const Phase &phase) const {
    return phase.budget.value_or(budget);
  }
};

} // namespace vm::linear
