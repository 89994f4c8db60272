//===- Disassembler.h - the text of a program -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

#include <string>

namespace vm::linear {

/// A text that assembles to the same program: each statement is in its line, a
/// target is a label of its routine, a routine or a number, values are the
/// shortest decimals that round to them. The program must pass checkProgram.
std::string disassemble(const Program &program);

/// One instruction without its labels, such as `ADD r0, r1, r2`.
std::string instructionText(const Program &program, uint32_t number);

/// The shortest decimal that assembles to these bits.
std::string valueText(uint32_t bits);

} // namespace vm::linear
