//===- CrashReport.h - a sentence where a library crashes -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser, and the parsers of operations that are not ours, crash on some
// texts that are no program (test/tools/parser-crashes.test has such). A tool
// that reads a file ends then as it does for every other bad input: with a
// sentence that names the file, and exit code 3.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/AsmParser/AsmParserState.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir::gpuvm {

/// While one exists, a signal that means a crash ends the process with that
/// sentence, also where the stack of the main thread is full because a text is
/// nested too deeply. One at a time.
class CrashReport {
public:
  CrashReport(llvm::StringRef tool, llvm::StringRef file);
  ~CrashReport();
  CrashReport(const CrashReport &) = delete;
  CrashReport &operator=(const CrashReport &) = delete;

  /// Comes before all else that handles crashes, such as llvm::InitLLVM, or
  /// that is heard first. From here on the process ends with a sentence when
  /// memory is exhausted, too, or an output of LLVM's cannot be written (Code::
  /// Usage): LLVM cannot go on without.
  static void install(llvm::StringRef tool);

  /// In a library: signals are the host's, and from here on no report does
  /// anything.
  static void leaveToHost();

  /// From here on the sentence has a place, as a diagnostic has: where what
  /// follows the last operation of `read` begins in `text`. Both outlive this.
  void follow(const AsmParserState &read, llvm::MemoryBufferRef text);
};

} // namespace mlir::gpuvm
