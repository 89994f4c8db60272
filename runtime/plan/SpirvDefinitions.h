//===- SpirvDefinitions.h - definitions of SPIR-V ids ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index of a module's own words. SPIRV-Tools has one too (its optimizer's),
// which does not take cooperative matrices (KnownModule.h).
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

namespace vm {

using SpirvWords = std::span<const uint32_t>;

inline constexpr size_t kSpirvHeaderWords = 5;
inline constexpr size_t kSpirvBoundAt = 3;

// SPIR-V specification, SPV_KHR_cooperative_matrix: not in the headers of
// Debian 12.
inline constexpr uint16_t kOpTypeCooperativeMatrix = 4456;
inline constexpr uint16_t kOpCooperativeMatrixLoad = 4457;
inline constexpr uint16_t kOpCooperativeMatrixStore = 4458;
inline constexpr uint16_t kOpCooperativeMatrixMulAdd = 4459;
inline constexpr uint16_t kOpCooperativeMatrixLength = 4460;

/// Calls `visit(opcode, words)` with each instruction, words[0] being the one
/// with the opcode; false if the module is cut short.
template <typename Visit>
bool forEachSpirvInstruction(SpirvWords spirv, Visit visit) {
  for (size_t at = kSpirvHeaderWords; at < spirv.size();) {
    size_t count = spirv[at] >> 16;
    if (count == 0 || count > spirv.size() - at)
      return false;
    visit(static_cast<uint16_t>(spirv[at]), spirv.subspan(at, count));
    at += count;
  }
  return spirv.size() >= kSpirvHeaderWords;
}

/// Where an instruction has its result: 0 is nowhere, else the word's place.
struct SpirvResult {
  size_t typeAt = 0;
  size_t idAt = 0;
};
SpirvResult resultOf(uint16_t opcode);

/// The module must be valid, and its words outlive this.
class SpirvDefinitions {
public:
  explicit SpirvDefinitions(SpirvWords spirv);

  /// The instruction that defines `id`; empty if there is none.
  SpirvWords find(uint32_t id) const;
  /// Its opcode; OpNop if there is none.
  uint16_t opcodeOf(uint32_t id) const;
  /// The type of a value.
  uint32_t typeOf(uint32_t value) const;
  /// The number of elements of a vector, a matrix (columns) or an array whose
  /// length is a constant; nullopt of any other type.
  std::optional<uint64_t> countOf(uint32_t type) const;
  /// The value of an integer OpConstant. One that is negative in its type is
  /// extended to 64 bits, so it is larger than any count.
  std::optional<uint64_t> constant(uint32_t id) const;
  /// Of an integer or float type.
  uint32_t widthOf(uint32_t type) const;
  bool isSigned(uint32_t type) const;
  /// The SpvBuiltIn that decorates a variable.
  std::optional<uint32_t> builtIn(uint32_t variable) const;

  SpirvWords words() const { return spirv_; }

private:
  SpirvWords spirv_;
  std::unordered_map<uint32_t, SpirvWords> definitions_;
  std::unordered_map<uint32_t, uint32_t> builtIns_;
};

} // namespace vm
