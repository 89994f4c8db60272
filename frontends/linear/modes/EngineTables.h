//===- EngineTables.h - a program as what the engine reads ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables that stand in Heap in faithful mode. They are constants of a plan
// that runs one program, and inputs of one that runs any program that fits.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/Sizes.h"
#include "frontends/linear/Program.h"
#include "frontends/linear/matrices/Matrices.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm::linear {

/// How much of everything a program has, or an engine has room for; each is 1
/// or more.
struct EngineSizes {
  uint32_t machines = 1; ///< Of a phase.
  uint32_t words = 1;    ///< Of shared memory.
  uint32_t stack = 1;    ///< Frames of a machine.
  uint32_t instructions = 1;
  uint32_t phases = 1;
  uint32_t launches = 1; ///< Of all phases.
  uint32_t buffers = 1;
  uint32_t denseElements = 1; ///< Of dense matrices.
  uint32_t nonzeros = 1;      ///< Of CSR.
  uint32_t rowPointers = 1;   ///< Of CSR.
  uint32_t packedWords = 1;   ///< Of other formats.
  uint32_t differentValues = 1;

  bool operator==(const EngineSizes &) const = default;
};

using EngineSize = SizeOf<EngineSizes, uint32_t>;
std::span<const EngineSize> allEngineSizes();

/// The sizes of an engine that `text` asks for ("machines=1000,words=4096", or
/// "auto" for nothing more): the larger ones of those in the text and of
/// `least`, the sizes of some program, each rounded up to a power of two. Its
/// matrices are in `format`, CSR or Dense, of as many instructions. Usage, if
/// the text is no such list.
Result<EngineSizes> parseRoom(std::string_view text, EngineSizes least,
                              Format format);

/// An array of 32-bit words that the engine reads.
struct EngineTable {
  std::string name; ///< That of its symbol is "linear." and this.
  bool isFloat = false;
  uint32_t EngineSizes::*rows;
  size_t columns = 1;    ///< Of an array of one dimension 1.
  bool isMatrix = false; ///< Has two dimensions.
  std::vector<uint32_t> words;
};

/// What the engine is to know of a program.
struct EngineTables {
  EngineSizes sizes;
  std::vector<EngineTable> all;

  const EngineTable &find(std::string_view name) const;
};

/// `hasAccess`: with the tables of what launches may read and write.
EngineTables buildEngineTables(const Program &program, Format format,
                               double threshold, bool hasAccess);

/// Buffers, ascending by their bases.
std::vector<uint32_t> buffersByAddress(const Program &program);

/// What every address is less than.
int32_t addressEnd(const Program &program);

/// The columns of `table` in an engine with room for `sizes`.
size_t columnsOf(const EngineTable &table, const EngineSizes &sizes);

/// The words of `table` in an engine with room for `sizes`.
std::vector<uint32_t> padTable(const EngineTable &table,
                               const EngineSizes &sizes);

/// Whether some access of the program may be forbidden.
bool usesAccess(const Program &program);

} // namespace vm::linear
