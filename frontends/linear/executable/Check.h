//===- Check.h - validation of programs -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs that do not come from the assembler. What passes can be run, and
// disassembled to a text that assembles to the same program.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "runtime/base/Status.h"

namespace vm::linear {

/// Ok, or BadInput with a sentence about the first thing that is wrong.
Status checkProgram(const Program &program);

// Parts of checkProgram, in this order; each relies on those before it.

/// Values of the directives.
Status checkSettings(const Program &program);
/// Sizes and addresses of buffers, and their names.
Status checkBuffers(const Program &program);
/// Routines cover the instructions, each of which is well formed.
Status checkCode(const Program &program);
/// Phases, flows and launches.
Status checkPlan(const Program &program);
/// No two statements are in one line, and each is where it can stand.
Status checkLines(const Program &program);

/// Whether a literal, base or size can have these bits: no subnormal number,
/// and of the NaNs only kNanBits.
bool isValueBits(uint32_t bits);

/// The name of a flow of whose level `phase` is one, or "".
std::string_view flowNameOf(const Phase &phase);

/// A BadInput of a formatted message, which must be a sentence.
#define LINEAR_REFUSE(...)                                                     \
  return ::vm::Status(::vm::Code::BadInput, fmt::format(__VA_ARGS__))

} // namespace vm::linear
