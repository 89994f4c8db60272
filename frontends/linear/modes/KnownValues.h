//===- KnownValues.h - values known before a program runs -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that every machine of a launch has at a place of its code, whatever
// it reads: the counter of a loop, say. They are computed as the machine does,
// bit by bit.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/modes/Expanded.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace vm::linear {

/// The bits of a number, where they are known. There is one NaN.
using KnownBits = std::optional<uint32_t>;

struct KnownState {
  std::array<KnownBits, kElements> x; ///< That of the IP is not used.
  std::vector<std::array<KnownBits, kRegisters>> saved; ///< At each call.

  bool operator==(const KnownState &) const = default;
  /// What is known where this or `other` may be.
  void join(const KnownState &other);
};

/// What `instruction` writes to the element that it writes (writtenElement).
KnownBits evaluate(const Instruction &instruction, const KnownState &state);

/// The one element that an instruction writes other than the IP; 0 for none,
/// and for RETURN.
uint32_t writtenElement(const Instruction &instruction);

/// Makes of what is known before a step what is known after it.
void follow(const Program &program, const Expanded &code, uint32_t step,
            KnownState &state);

/// The steps that may follow, from `state` on.
std::vector<uint32_t> nextSteps(const Program &program, const Expanded &code,
                                uint32_t step, const KnownState &state);

/// What is known where a machine begins.
KnownState stateAtFirst(const Launch &launch, const Expanded &code);

/// What is known before each step, whichever way a machine came; absent where
/// none comes.
std::vector<std::optional<KnownState>>
findKnown(const Program &program, const Launch &launch, const Expanded &code);

} // namespace vm::linear
