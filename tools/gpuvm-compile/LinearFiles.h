//===- LinearFiles.h - programs of the linear-algebra VM ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/Compile.h"
#include "frontends/linear/Program.h"
#include "runtime/base/Status.h"

#include "llvm/Support/MemoryBuffer.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace vm::compile {

/// What the command line says about a program of the linear-algebra VM.
struct LinearOptions {
  std::string mode = "auto", format = "hybrid";
  std::string threshold; ///< A number, auto, or empty.
  std::optional<uint32_t> budget;
  std::string engine; ///< What an engine is to have room for; or empty.
  std::string statistics, executable; ///< Files to write; or empty.
};

void addLinearOptions(CLI::App &app, LinearOptions &options);

using LinearProgram = std::shared_ptr<const linear::Program>;

/// The program of a text or an executable; null of a file that is neither. The
/// message of a failure is all that is to be printed. `file` becomes what
/// messages quote: nothing of an executable.
Result<LinearProgram>
readLinearProgram(const std::string &path, const LinearOptions &options,
                  std::unique_ptr<llvm::MemoryBuffer> &file);

/// Has `request` read `program`, unless it is null, and lower what is in the
/// dialect.
void addLinearFrontEnd(const LinearProgram &program,
                       const LinearOptions &options,
                       mlir::gpuvm::CompileRequest &request);

/// Writes the files that the options ask for, for a program that is right.
Status writeLinearFiles(const linear::Program &program,
                        const LinearOptions &options);

} // namespace vm::compile
