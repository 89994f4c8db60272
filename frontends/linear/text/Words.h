//===- Words.h - mnemonics, directives and names of outputs ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that mean something in an assembly text.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

#include <string>
#include <string_view>

namespace vm::linear {

bool isDirective(std::string_view text);

/// The directive of a setting, with its point.
std::string_view directiveOf(Setting setting);

/// By its mnemonic, in either case and with or without `SYSCALL_`, or null.
const OpcodeInfo *lookUpMnemonic(std::string_view text);

/// Whether a routine may end with it: JUMP, RETURN, HALT, KILL.
bool endsRoutine(Opcode opcode);

/// Whether buffers may not have this name, which an output has.
bool isOutputName(std::string_view name);

/// ` (did you mean "ADD"?)`, or nothing. Takes a while.
std::string mnemonicAdvice(std::string_view word);
std::string directiveAdvice(std::string_view word);

} // namespace vm::linear
