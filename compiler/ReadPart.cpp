//===- ReadPart.cpp - programs to link ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/ReadPart.h"

#include "compiler/Diagnostics.h"
#include "compiler/OpenProgram.h"
#include "compiler/ReadModule.h"
#include "runtime/plan/Container.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/PlanFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

static std::span<const uint8_t> bytesOf(const llvm::MemoryBuffer &file) {
  return {reinterpret_cast<const uint8_t *>(file.getBufferStart()),
          file.getBufferSize()};
}

/// The module of the plan that `file` holds; null after a diagnostic.
static std::unique_ptr<llvm::MemoryBuffer>
moduleOfPlan(const llvm::MemoryBuffer &file, Location whole) {
  vm::Result<vm::Plan> plan = vm::readPlan(bytesOf(file));
  if (!plan.ok()) {
    emitError(whole) << plan.status().message();
    return nullptr;
  }
  if (plan->module.empty()) {
    emitError(whole) << "this plan carries no module to link; compile it with "
                        "--keep-module.";
    return nullptr;
  }
  return llvm::MemoryBuffer::getMemBufferCopy(plan->module,
                                              file.getBufferIdentifier());
}

OwningOpRef<ModuleOp> gpuvm::readPart(StringRef tool, StringRef path,
                                      llvm::SourceMgr &sources,
                                      MLIRContext &context,
                                      const vm::Settings &settings) {
  Location whole = wholeFile(context, path);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openProgram(path, error, vm::limits::kMaxFileBytes);
  if (!file) {
    emitError(whole) << error;
    return nullptr;
  }
  if (vm::checkMagic(bytesOf(*file)).ok())
    file = moduleOfPlan(*file, whole);
  if (!file)
    return nullptr;
  llvm::SourceMgr part; // Its main file is what is parsed.
  part.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(*file),
                          llvm::SMLoc());
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return readModule(tool, part, context, settings);
}

StringRef gpuvm::partName(StringRef path) {
  return llvm::sys::path::stem(path);
}

vm::Settings gpuvm::takeSettings(vm::Settings &settings, StringRef part) {
  vm::Settings own;
  llvm::erase_if(settings, [&](const auto &setting) {
    auto [name, value] = setting;
    StringRef rest = name;
    bool isOwn = rest.consume_front(part) && rest.consume_front(".");
    if (isOwn)
      own.emplace_back(rest.str(), value);
    return isOwn;
  });
  return own;
}

std::string gpuvm::partText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}
