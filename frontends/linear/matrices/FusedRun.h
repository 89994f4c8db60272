//===- FusedRun.h - runs of linear instructions as one matrix -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In fused mode a run of linear instructions is the product of their matrices,
// computed in binary64 and rounded once (docs/linear-vm.md states the bound).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/matrices/Matrices.h"

#include <optional>
#include <span>

namespace vm::linear {

/// The product of the instructions' matrices, the first one applied first;
/// without a value where a coefficient is not finite.
std::optional<Matrix> multiplyRun(std::span<const Instruction> run);

/// Multiplications and additions that `row`, which is row `number`, takes.
unsigned operationsOf(const std::vector<Coefficient> &row, uint32_t number);

} // namespace vm::linear
