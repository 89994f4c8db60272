//===- Reducer.h - the smallest program that still shows a bug --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries one edit after the other (Edits.h) on a copy, and keeps the copy if it
// is a valid module that still passes the test, until no edit helps. As in
// delta debugging it begins with many operations at a time.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mlir::gpuvm::reduce {

/// The text of a module: of a single program without a module around it.
std::string printModule(ModuleOp module);

class Reducer {
public:
  /// `test`: a command of the shell. "{}" in it stands for the path of a file;
  /// without it the path comes last. The test holds if it exits with 0.
  Reducer(ModuleOp module, std::string test);

  /// Whether the test holds of what there is.
  bool holds();
  /// Makes it as small as it can.
  void run();

  ModuleOp getModule() { return *best; }
  size_t getNumTests() const { return tests; }

private:
  bool holdsOf(ModuleOp module);
  bool tryEdit(llvm::function_ref<bool(ModuleOp)> edit);
  bool takeOperations();
  bool dropOutputs();
  bool dropUnused();
  bool simplify();

  OwningOpRef<ModuleOp> best;
  std::string test;
  size_t tests = 0;
};

} // namespace mlir::gpuvm::reduce
