//===- Diagnostics.h - what a user reads about a program --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Diagnostics.h"

namespace mlir::gpuvm {

/// Prints the diagnostics of `context` to standard error: each is one line with
/// its place in the source, and the line of the source. What MLIR's parser says
/// of values whose type is not the one written is said in words of gpuvm, with
/// what to write instead. No operation follows in generic form.
class DiagnosticPrinter : public SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, MLIRContext &context);

private:
  void print(Diagnostic &diagnostic);
};

/// What to say instead of MLIR's "use of value '%x' expects different type than
/// prior uses"; empty if `diagnostic` is no such sentence.
std::string explainTypes(const Diagnostic &diagnostic);

} // namespace mlir::gpuvm
