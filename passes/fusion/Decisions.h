//===- Decisions.h - decisions of fusion, for the report --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions of gpuvm-fuse and gpuvm-form-chains, kept with the program until
// gpuvm-write-report writes those of all programs to one file.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// Keeps the decisions of one kind (the name of their list in the report); each
/// is a dictionary of strings, numbers and such dictionaries.
void keepDecisions(ProgramOp program, StringRef kind,
                   ArrayRef<Attribute> decisions);

/// gpuvm-write-report, which gives its report to `text` and writes no file.
std::unique_ptr<Pass> createWriteReport(std::string &text);

/// Emits an error unless `mode`, that of `what`, is "auto", "always" or
/// "never".
LogicalResult checkMode(ProgramOp program, StringRef what, StringRef mode);

} // namespace mlir::gpuvm
