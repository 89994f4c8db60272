//===- ReadModule.cpp - a file of programs --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/ReadModule.h"

#include "compiler/CrashReport.h"
#include "compiler/OpenProgram.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

OwningOpRef<ModuleOp> gpuvm::readModule(StringRef tool,
                                        llvm::SourceMgr &sources,
                                        MLIRContext &context) {
  llvm::MemoryBufferRef text =
      *sources.getMemoryBuffer(sources.getMainFileID());
  CrashReport report(tool, text.getBufferIdentifier());
  ParserConfig config(&context);
  if (isBytecode(text))
    return parseSourceFile<ModuleOp>(sources, config);
  AsmParserState read;
  report.follow(read, text);
  OwningOpRef<ModuleOp> module(ModuleOp::create(
      FileLineColLoc::get(&context, text.getBufferIdentifier(), 0, 0)));
  Block *body = module->getBody();
  if (failed(parseAsmSourceFile(sources, body, config, &read)) ||
      failed(module->verifyInvariants()))
    return nullptr;
  auto written = body->empty() ? ModuleOp() : dyn_cast<ModuleOp>(body->front());
  if (!written || !llvm::hasSingleElement(*body))
    return module;
  written->remove();
  return written;
}

OwningOpRef<ModuleOp> gpuvm::readModule(StringRef tool, StringRef path,
                                        llvm::SourceMgr &sources,
                                        MLIRContext &context) {
  std::string error;
  auto file = openProgram(path, error);
  if (!file) {
    emitError(UnknownLoc::get(&context)) << error;
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return readModule(tool, sources, context);
}
