//===- OpenProgram.h - the bytes of a program's file ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir::openInputFile waits for a pipe without a writer, and reads a device
// without an end until there is no memory. What we read by a name is a file.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mlir::gpuvm {

/// The longest text or bytecode that is parsed.
constexpr uint64_t kMaxProgramBytes = uint64_t(1) << 32;

/// The regular file `path`, or standard input for `-`, of at most `mostBytes`;
/// null after an `error`.
std::unique_ptr<llvm::MemoryBuffer>
openProgram(StringRef path, std::string &error,
            uint64_t mostBytes = kMaxProgramBytes);

/// Why openProgram would not read what is there; "" where it would, or where
/// nothing is there. For callers that let MLIR open the file.
std::string checkProgram(StringRef path, uint64_t mostBytes = kMaxProgramBytes);

} // namespace mlir::gpuvm
