//===- ModuleWords.h - modules word by word, for tests --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembler is too slow for modules of megabytes, and refuses what is not
// SPIR-V. Sections are filled in any order and put together at the end.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <spirv_cross/spirv.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace vm::test {

/// The words of a SPIR-V literal string.
std::vector<uint32_t> literal(const std::string &text);

class Section {
public:
  std::vector<uint32_t> words;

  /// Appends an instruction with these operands.
  void add(uint16_t opcode, std::initializer_list<uint32_t> operands,
           const std::vector<uint32_t> &more = {});
};

/// A kernel `main` without buffers, of local size 1.
class ModuleWords {
public:
  Section preamble;  ///< Capabilities, extensions, imports.
  Section modes;     ///< After entry point and execution mode.
  Section debug;     ///< Names, strings.
  Section marks;     ///< Decorations.
  Section types;     ///< Types, constants, variables of the module.
  Section body;      ///< Of main, in its first block or what follows it.
  Section functions; ///< After main.
  std::vector<uint32_t> interface;

  ModuleWords();
  uint32_t id() { return bound++; }
  /// A new u32 constant.
  uint32_t constant(uint32_t value);
  /// A new result of an instruction `opcode` on u32 in the body.
  uint32_t compute(uint16_t opcode, std::initializer_list<uint32_t> operands);
  /// Ends a block of the body and begins another one.
  uint32_t beginBlock(uint32_t label);

  uint32_t u32, boolean, voidType, function, one, yes, main, entry;

  Kernel kernel(const std::string &name) const;

private:
  uint32_t bound = 1;
};

/// `n` selections of main, `depth` in one another each time.
void nestSelections(ModuleWords &m, uint32_t n, uint32_t depth);
/// The same with loops.
void nestLoops(ModuleWords &m, uint32_t n, uint32_t depth);

/// A function without parameters that calls `callees`; its id.
uint32_t addFunction(ModuleWords &m, const std::vector<uint32_t> &callees = {});
void addFunction(ModuleWords &m, uint32_t id,
                 const std::vector<uint32_t> &callees);

} // namespace vm::test
