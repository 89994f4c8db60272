//===- FunctionLibrary.h - MLIR's text as functions -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a front end has as text of MLIR are functions, which C++ calls by their
// names: the bodies of stages, and of linalg.generic. Their operations have the
// places of the text (frontends/linear/lowering/functions has such files).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/TextTemplate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

#include <span>

namespace mlir::gpuvm {

/// The operations of a function of one block at the insertion point, with
/// `operands` in place of its arguments. Returns what it returns.
SmallVector<Value> inlineFunction(OpBuilder &b, func::FuncOp function,
                                  ValueRange operands);

class FunctionLibrary {
public:
  /// Functions of `files`, filled in; the first files may have the aliases that
  /// the others use. Templates have no macros. Emits a diagnostic at `loc`
  /// where the text is wrong.
  static FailureOr<FunctionLibrary> read(Location loc,
                                         std::span<const vm::TextFile> files,
                                         vm::TemplateArguments arguments);

  /// One of the files must have it.
  func::FuncOp find(StringRef name) const;

  /// As inlineFunction.
  SmallVector<Value> call(OpBuilder &b, StringRef name,
                          ValueRange operands) const {
    return inlineFunction(b, find(name), operands);
  }

  /// Copies the functions that `body` calls, and those that they call, to its
  /// beginning.
  void addCalled(Block &body) const;

private:
  explicit FunctionLibrary(OwningOpRef<ModuleOp> module)
      : module(std::move(module)) {}

  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::gpuvm
