//===- Diagnostics.h - diagnostics of the compiler --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::gpuvm {

/// A diagnostic, or a note on the one before it.
struct LocatedMessage {
  DiagnosticSeverity severity;
  std::string file;              ///< Or empty.
  unsigned line = 0, column = 0; ///< From 1; 0 if there is none.
  std::string message;
  std::string text; ///< As it is printed, with notes; of a note, empty.
};

/// While one exists, what this thread would print is kept: what printWarning is
/// given, and diagnostics of DiagnosticPrinters that the thread has made. For
/// libraries, which never print.
class KeptMessages {
public:
  KeptMessages();
  ~KeptMessages();
  KeptMessages(const KeptMessages &) = delete;
  KeptMessages &operator=(const KeptMessages &) = delete;

  std::vector<LocatedMessage> all;

private:
  friend class DiagnosticPrinter;
  std::string printed; ///< Of the message that is being made.
  llvm::raw_string_ostream stream{printed};
};

/// Prints lines that need no place, to standard error.
void printWarning(StringRef lines);

/// Has DiagnosticPrinters say, after the message of `diagnostic`, which values
/// it is about: `lanes = 1024`; or nothing.
void nameValues(Diagnostic &diagnostic, StringRef values);

/// What a text says that is printed for people: a message for each line that
/// begins as `file:line:column: error: ` or `tool: error: `, with the lines
/// that follow; or one for all of it.
std::vector<LocatedMessage> parseMessages(StringRef text);

/// Prints the diagnostics of `context` to standard error: each is one line with
/// its place in the source, and the line of the source. Some messages of MLIR's
/// parser are replaced by messages of gpuvm that say what to write instead:
/// those on a value of another type than the one written, on a dialect that is
/// not read, and on an operation that does not exist. No operation follows in
/// generic form. Lines are those of `sources`, no file is opened; and nothing
/// that a program holds reaches a terminal as control characters.
class DiagnosticPrinter : public SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, MLIRContext &context);

private:
  void print(Diagnostic &diagnostic);
  void keep(const Diagnostic &diagnostic,
            const std::optional<std::string> &own);
  std::optional<std::string> rephrase(const Diagnostic &diagnostic);
  StringRef lineOf(FileLineColLoc place);

  KeptMessages *kept; ///< Or null.
};

/// The place of what is said of a file as a whole: `path: error: ...`.
inline Location wholeFile(MLIRContext &context, StringRef path) {
  return NameLoc::get(StringAttr::get(&context, path));
}

/// A value that is used with another type than its own.
struct TypeMismatch {
  StringRef name;      ///< As written: `%x`.
  StringRef operation; ///< That uses it; empty if it is not in that line.
  Type written, actual;
};

/// What `diagnostic`, at the end of `before` in a line of a program that goes
/// on with `rest`, says of types. The parser's is the only error that stands at
/// a use of a value and has two types, that which is written first, and a note.
std::optional<TypeMismatch> findTypeMismatch(const Diagnostic &diagnostic,
                                             StringRef before, StringRef rest);

/// The mismatch in a sentence, with what to write.
std::string explain(const TypeMismatch &mismatch);

/// What `diagnostic`, between `before` and `rest` of a line, says of something
/// of a dialect that no program can have, with what to do.
std::optional<std::string> explainUnknownDialect(const Diagnostic &diagnostic,
                                                 StringRef before,
                                                 StringRef rest);

/// The name of an operation in `rest` that the parser does not know, with the
/// one that is meant.
std::optional<std::string> explainUnknownOperation(const Diagnostic &diagnostic,
                                                   StringRef rest);

/// What to add to a module that has functions and no program, after a
/// semicolon: the program that calls the first of them. Empty if there is none.
std::string suggestProgram(ModuleOp module);

} // namespace mlir::gpuvm
