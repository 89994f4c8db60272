//===- LinearFiles.h - programs of the linear-algebra VM ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/Compile.h"
#include "runtime/base/Status.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace vm::compile {

/// What the command line says about a program of the linear-algebra VM.
struct LinearOptions {
  std::string mode = "auto", format = "hybrid";
  std::optional<std::string> threshold;
  std::optional<uint32_t> budget;
  std::string statistics, executable; ///< Files to write; or empty.
};

void addLinearOptions(CLI::App &app, LinearOptions &options);

/// By its name.
bool isLinearFile(const std::string &path);

/// Has `request` read `path`, a program of the linear-algebra VM, and lower it;
/// writes the files that the options ask for. Of a file that is none, only
/// what is in the dialect is lowered.
Status addLinearFrontEnd(const std::string &path, const LinearOptions &options,
                         mlir::gpuvm::CompileRequest &request);

} // namespace vm::compile
