//===- Check.h - diagnostics of a document ----------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's language server reads and verifies a document; the compiler refuses
// more than that. It runs in a process of its own, which may crash or take
// long: it is ended when the document changes, and after 20 s of its own time.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <sys/types.h>

namespace mlir::gpuvm::lsp {

/// Compiles each program of `text`, read from `path`, and prints diagnostics to
/// standard error as gpuvm-compile does. Programs that are defined elsewhere
/// (in a file that --link would name) or that a test splits (`// -----`) are
/// not compiled.
void compileDocument(llvm::StringRef path, llvm::StringRef text);

/// The diagnostics of the protocol in what `compileDocument` printed: an error
/// or a warning each, with the notes that follow it.
llvm::json::Array readDiagnostics(llvm::StringRef printed, llvm::StringRef path,
                                  llvm::StringRef uri, llvm::StringRef text);

/// One run of the compiler, at a time.
class Check {
public:
  Check() = default;
  ~Check() { stop(); }
  Check(const Check &) = delete;
  Check &operator=(const Check &) = delete;

  /// Ends the run before. The process closes none of the caller's files.
  void start(std::string documentUri, std::string documentText);
  void stop();
  bool isRunning() const { return process > 0; }
  /// What to wait for until there is more to read.
  int getFile() const { return output; }
  /// Reads what there is; true when the process is over.
  bool read();

  const std::string &getUri() const { return uri; }
  /// What the compiler says, when it is over.
  llvm::json::Array getDiagnostics() const;

private:
  std::string uri, text, printed;
  pid_t process = -1;
  int output = -1;
};

} // namespace mlir::gpuvm::lsp
