//===- SpirvEditor.h - writes a SPIR-V module that differs a little -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes a module's instructions one by one, as they are or changed, and puts
// the types and constants that changes need where SPIR-V wants them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/SpirvDefinitions.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace vm {

class SpirvEditor {
public:
  /// `definitions` are those of the module that is edited.
  explicit SpirvEditor(const SpirvDefinitions &definitions);

  /// Says that the instruction with `opcode` comes next: where what is added
  /// from here on belongs.
  void reach(uint16_t opcode);
  void add(uint16_t opcode, std::initializer_list<uint32_t> operands);
  void copy(SpirvWords words);

  uint32_t newId() { return bound_++; }
  /// The type of unsigned integers of 32 bits.
  uint32_t wordType();
  uint32_t boolType();
  /// Only where functions are added.
  uint32_t pointerType(uint32_t storage, uint32_t pointee);
  /// `value` as a constant of an integer type.
  uint32_t constant(uint32_t type, uint64_t value);
  /// A constant of zeros; nullopt for a type that has none.
  std::optional<uint32_t> zero(uint32_t type);
  /// The same as `result`; false for a type that has none.
  bool addZero(uint32_t type, uint32_t result);
  /// The smaller one of two unsigned values of `type`, whose sign is ignored.
  uint32_t minimum(uint32_t type, uint32_t value, uint32_t other);

  std::vector<uint32_t> take();

private:
  std::vector<uint32_t> &declarations() {
    return inFunctions_ ? late_ : declarations_;
  }
  static void append(std::vector<uint32_t> &section, uint16_t opcode,
                     SpirvWords operands);
  void declare(uint16_t opcode, std::initializer_list<uint32_t> operands);
  std::optional<uint32_t> zeroComposite(uint32_t type);
  bool isNullable(uint32_t type);
  bool computeNullable(uint32_t type);

  const SpirvDefinitions &definitions_;
  std::vector<uint32_t> head_;         ///< All before the memory model.
  std::vector<uint32_t> declarations_; ///< All before the first function.
  std::vector<uint32_t> late_; ///< Declarations that the functions need.
  std::vector<uint32_t> functions_;
  bool inDeclarations_ = false, inFunctions_ = false;
  uint32_t bound_;
  uint32_t wordType_ = 0, boolType_ = 0;
  uint32_t glsl_ = 0; ///< The set GLSL.std.450.
  bool addsGlsl_ = false;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants_;
  /// Of this editor, by storage class and type.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> pointers_;
  std::map<uint32_t, uint32_t> zeros_; ///< By type.
  std::map<uint32_t, bool> nullable_;  ///< By type.
};

} // namespace vm
