//===- FillText.h - values in the text of a program -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser reads the text of a program with values in the place of its
// parameters. What it and all later passes say is said of the file.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "parameters/Parameters.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>

namespace mlir::gpuvm {

/// The text of a program with values in its places.
class FillText {
public:
  /// From here on, diagnostics of `context` on lines of the file have the
  /// values of parameters (getValues). While this exists, they are moved from
  /// columns of the text to those of the file.
  FillText(llvm::MemoryBufferRef file, MLIRContext &context)
      : file(file), context(context) {}
  ~FillText();
  FillText(const FillText &) = delete;
  FillText &operator=(const FillText &) = delete;

  /// Fails after a diagnostic.
  LogicalResult fill(const vm::Settings &settings);

  /// As long as this exists.
  llvm::MemoryBufferRef text() const;

  /// Moves what was parsed from the text to the file.
  void moveToFile(Operation *op);

private:
  struct Filled;

  llvm::MemoryBufferRef file;
  MLIRContext &context;
  std::shared_ptr<Filled> filled; ///< Null if the text is as the file.
};

} // namespace mlir::gpuvm
