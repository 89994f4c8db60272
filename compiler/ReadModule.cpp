//===- ReadModule.cpp - a file of programs --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/ReadModule.h"

#include "compiler/CrashReport.h"
#include "compiler/FillText.h"
#include "compiler/OpenProgram.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// The module that `sources` hold, of which `text` is the main file.
static OwningOpRef<ModuleOp> parseText(llvm::SourceMgr &sources,
                                       llvm::MemoryBufferRef text,
                                       MLIRContext &context,
                                       gpuvm::CrashReport &report) {
  AsmParserState read;
  report.follow(read, text);
  OwningOpRef<ModuleOp> module(ModuleOp::create(
      FileLineColLoc::get(&context, text.getBufferIdentifier(), 0, 0)));
  Block *body = module->getBody();
  if (failed(parseAsmSourceFile(sources, body, &context, &read)) ||
      failed(module->verifyInvariants()))
    return nullptr;
  auto written = body->empty() ? ModuleOp() : dyn_cast<ModuleOp>(body->front());
  if (!written || !llvm::hasSingleElement(*body))
    return module;
  written->remove();
  return written;
}

OwningOpRef<ModuleOp> gpuvm::readModule(StringRef tool,
                                        llvm::SourceMgr &sources,
                                        MLIRContext &context,
                                        const vm::Settings &settings) {
  llvm::MemoryBufferRef file =
      *sources.getMemoryBuffer(sources.getMainFileID());
  CrashReport report(tool, file.getBufferIdentifier());
  FillText filling(file, context);
  if (failed(filling.fill(settings)))
    return nullptr;
  if (isBytecode(file))
    return parseSourceFile<ModuleOp>(sources, &context);
  llvm::SourceMgr parsed; // The text stands in `sources` as the file has it.
  parsed.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(filling.text(), false), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseText(parsed, filling.text(), context, report);
  if (module)
    filling.moveToFile(*module);
  return module;
}

OwningOpRef<ModuleOp> gpuvm::readModule(StringRef tool, StringRef path,
                                        llvm::SourceMgr &sources,
                                        MLIRContext &context,
                                        const vm::Settings &settings) {
  std::string error;
  auto file = openProgram(path, error);
  if (!file) {
    emitError(UnknownLoc::get(&context)) << error;
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return readModule(tool, sources, context, settings);
}
