//===- Progress.h - the progress of a compilation ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Pass/PassInstrumentation.h"

#include <functional>
#include <memory>
#include <string>

namespace mlir::gpuvm {

/// Told what a compilation begins to do, as "gpuvm-fuse" or "gpuvm-emit-kernels
/// (kernel "filter_map")". Called by one thread at a time.
using CompileProgress = std::function<void(const std::string &)>;

/// Calls `progress` before each pass, and before each part of one that names it
/// (PassInstrumentor::runBeforeAnalysis).
std::unique_ptr<PassInstrumentation> reportProgress(CompileProgress progress);

} // namespace mlir::gpuvm
