//===- Operations.h - the semantics of instructions -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the instructions that no matrix stands for; the arithmetic itself is in
// Arithmetic.h. The reference executes so, and fused mode what it knows before
// a program runs.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

namespace vm::linear {

/// The result of an oracle instruction; `b` is its second operand or immediate,
/// and not used where it has none.
float computeOracle(Opcode opcode, float a, float b);

/// Whether a branch with a condition is taken. Values nearer to 0 than
/// `tolerance` are 0 for EQ and NE.
bool isTaken(Opcode opcode, float value, float tolerance);

} // namespace vm::linear
