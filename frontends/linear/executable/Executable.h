//===- Executable.h - programs as files of words --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable (.gvlx) holds a program, the matrices of its instructions in
// the format that the program chooses, and what is known of its routines.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vm::linear {

constexpr uint32_t kExecutableVersion = 1;

/// Whether a file begins as executables do.
bool isExecutable(std::span<const uint8_t> bytes);

/// The bytes of a program that passes checkProgram; the same of the same
/// program, whatever its file is called.
std::vector<uint8_t> writeExecutable(const Program &program);

/// The program of an executable; `file` is how messages and the program name
/// it. BadInput, with a byte or a field, of whatever no program is written as.
Result<Program> readExecutable(std::span<const uint8_t> bytes,
                               const std::string &file);
/// The same of a file.
Result<Program> readExecutableFile(const std::string &path);

} // namespace vm::linear
