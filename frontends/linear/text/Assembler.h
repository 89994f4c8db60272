//===- Assembler.h - programs as text -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "runtime/base/Status.h"

#include <string>
#include <string_view>

namespace vm::linear {

/// The program of an assembly text (docs/linear-vm.md). `file` is how messages
/// and the program name it. A failure is BadInput with the first errors as
/// `file:line:column: error: text`, one a line, in the order of the text.
Result<Program> assemble(std::string_view text, const std::string &file);

/// The same of a file, or of standard input for `-`.
Result<Program> assembleFile(const std::string &path);

} // namespace vm::linear
