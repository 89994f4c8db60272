//===- Diagnostics.cpp - what a user reads about a program ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Diagnostics.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::gpuvm;

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

/// What is wrong with a value `name` of type `actual` where `written` is.
static std::string explain(StringRef name, Type written, Type actual) {
  std::string writtenText = toText(written), actualText = toText(actual);
  if (isa<MessageType>(actual) && !isa<MessageType>(written))
    return llvm::formatv("{0} is a message, not a tensor: write {1}, not {2}",
                         name, actualText, writtenText);
  if (isa<MessageType>(written))
    return llvm::formatv("{0} is no message (in the body of a stage, a message "
                         "is its payload): write {1}, not {2}",
                         name, actualText, writtenText);
  auto tensor = dyn_cast<RankedTensorType>(written);
  if (tensor && actual.isIntOrIndexOrFloat())
    return llvm::formatv("{0} is a number ({1}), not a {2}: write a constant "
                         "as arith.constant dense<...> : {2}, and make any "
                         "other number a tensor with tensor.splat {0} : {2}",
                         name, actualText, writtenText);
  if (isa<RankedTensorType>(actual) && written.isIntOrIndexOrFloat())
    return llvm::formatv("{0} is a {1}, not a number ({2}): an element of it "
                         "is read with tensor.extract",
                         name, actualText, writtenText);
  return llvm::formatv("{0} is a {1}, not a {2}", name, actualText,
                       writtenText);
}

std::string gpuvm::explainTypes(const Diagnostic &diagnostic) {
  static constexpr StringLiteral kBegin = "use of value '";
  std::string message = diagnostic.str();
  StringRef name = message;
  if (!name.consume_front(kBegin) ||
      !name.contains("expects different type than prior uses"))
    return "";
  name = name.take_until([](char c) { return c == '\''; });
  SmallVector<Type> types;
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      types.push_back(argument.getAsType());
  return types.size() == 2 ? explain(name, types[0], types[1]) : "";
}

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext &context)
    : SourceMgrDiagnosticHandler(sources, &context) {
  context.printOpOnDiagnostic(false);
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  std::string explained = explainTypes(diagnostic);
  if (explained.empty())
    return emitDiagnostic(diagnostic);
  emitDiagnostic(diagnostic.getLocation(), explained, diagnostic.getSeverity());
}
