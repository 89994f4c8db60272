//===- ModuleFile.h - a module of the user, from a file ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is one public function on numbers. The engine gets it as text, the
// reference runs it as it is.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/Diagnostics.h"
#include "frontends/token/engine/EngineModule.h"
#include "frontends/token/ground/ModuleInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::token {

class ModuleFile {
public:
  /// The file of a module, by the rules of docs/token-vm.md (Modules). Null
  /// after a diagnostic, which is printed; `tool` says that MLIR crashed.
  static std::unique_ptr<ModuleFile> read(StringRef tool,
                                          const vm::token::ModuleName &name);

  const std::string &path() const { return name.path; }
  const vm::token::ModuleInfo &info() const { return description; }

  /// Without calls. It and its context live as long as this.
  func::FuncOp function() const { return entry; }

  /// MLIR's text of the function, private and named `symbol`, with places in
  /// the file.
  std::string text(StringRef symbol) const;

private:
  explicit ModuleFile(const vm::token::ModuleName &name);
  bool load(StringRef tool);

  vm::token::ModuleName name;
  vm::token::ModuleInfo description;
  std::unique_ptr<MLIRContext> context;
  llvm::SourceMgr sources;
  std::unique_ptr<gpuvm::DiagnosticPrinter> diagnostics;
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
};

using ModuleFiles = std::vector<std::unique_ptr<ModuleFile>>;

/// The files that --module names, in their order. Null after a diagnostic.
std::optional<ModuleFiles> readModules(StringRef tool,
                                       const std::vector<std::string> &names);

std::vector<vm::token::ModuleInfo> infosOf(const ModuleFiles &files);
std::vector<vm::token::EngineModule> engineModules(const ModuleFiles &files);

} // namespace mlir::token
