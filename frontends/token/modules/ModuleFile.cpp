//===- ModuleFile.cpp - a module of the user, from a file -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/modules/ModuleFile.h"

#include "compiler/OpenProgram.h"
#include "compiler/ReadModule.h"
#include "dialects/gpuvm/InlineCalls.h"
#include "frontends/token/modules/CheckModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::token;

using vm::token::EngineModule;
using vm::token::ModuleInfo;
using vm::token::ModuleName;

/// Operations that calls may add to a module.
static constexpr size_t kMostOperations = 1 << 16;

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  scf::SCFDialect>();
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

ModuleFile::ModuleFile(const ModuleName &name)
    : name(name), context(makeContext()),
      diagnostics(
          std::make_unique<gpuvm::DiagnosticPrinter>(sources, *context)) {}

bool ModuleFile::load(StringRef tool) {
  std::string error;
  auto buffer = gpuvm::openProgram(path(), error);
  if (!buffer) {
    emitError(gpuvm::wholeFile(*context, path())) << error;
    return false;
  }
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  module = gpuvm::readModule(tool, sources, *context);
  if (!module)
    return false;
  entry = findFunction(*module, path());
  if (!entry || failed(checkSignature(entry, name.stage)))
    return false;
  auto info = readInfo(entry, name.stage);
  if (!info || failed(gpuvm::CallInliner(kMostOperations).inlineCalls(entry)))
    return false;
  description = *info;
  return true;
}

std::unique_ptr<ModuleFile> ModuleFile::read(StringRef tool,
                                             const ModuleName &name) {
  std::unique_ptr<ModuleFile> file(new ModuleFile(name));
  return file->load(tool) ? std::move(file) : nullptr;
}

std::string ModuleFile::text(StringRef symbol) const {
  func::FuncOp own = entry;
  OwningOpRef<func::FuncOp> copy(own.clone());
  copy->setSymName(symbol);
  copy->setPrivate();
  for (NamedAttribute attribute : own->getDiscardableAttrs())
    (*copy)->removeDiscardableAttr(attribute.getName());
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().useLocalScope().enableDebugInfo(
                          /*enable=*/true, /*prettyForm=*/false));
  return text + '\n';
}

/// The file that has the state already, or null.
static const ModuleFile *find(const ModuleFiles &files, StringRef state) {
  auto hasState = [&](const auto &file) { return file->info().state == state; };
  auto found = llvm::find_if(files, hasState);
  return found == files.end() ? nullptr : found->get();
}

std::optional<ModuleFiles>
mlir::token::readModules(StringRef tool,
                         const std::vector<std::string> &names) {
  ModuleFiles files;
  for (const std::string &name : names) {
    auto file = ModuleFile::read(tool, *vm::token::toModuleName(name));
    if (!file)
      return std::nullopt;
    const std::string &state = file->info().state;
    if (const ModuleFile *other =
            state.empty() ? nullptr : find(files, state)) {
      file->function().emitOpError("has the state \"")
          << state << "\", and so has " << other->path();
      return std::nullopt;
    }
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<ModuleInfo> mlir::token::infosOf(const ModuleFiles &files) {
  std::vector<ModuleInfo> infos;
  for (const auto &file : files)
    infos.push_back(file->info());
  return infos;
}

std::vector<EngineModule> mlir::token::engineModules(const ModuleFiles &files) {
  std::vector<EngineModule> modules;
  for (const auto &[number, file] : llvm::enumerate(files))
    modules.push_back(
        {file->info(), file->text(vm::token::engineModuleName(number))});
  return modules;
}
