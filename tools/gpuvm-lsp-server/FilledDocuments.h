//===- FilledDocuments.h - documents with parameters ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's server is told a text with the defaults of its parameters in their
// places, and the editor of the columns of its own.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "parameters/Parameters.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>

namespace mlir::gpuvm::lsp {

/// The document that a message is about, if it is about one.
std::optional<llvm::StringRef> getUri(const llvm::json::Object &message);

class FilledDocuments {
public:
  /// What the server is told in the place of the editor's `message`.
  llvm::json::Value toServer(llvm::json::Value message);

  /// What the editor is told of an answer to a message about `uri`, if that was
  /// about one.
  void toEditor(llvm::json::Value &answer, llvm::StringRef uri) const;

private:
  enum class To { Server, Editor };

  void open(llvm::StringRef uri, llvm::json::Object &holder);
  void move(llvm::json::Value &value, llvm::StringRef uri, To to) const;

  /// By their URIs, those with parameters that have values.
  std::map<std::string, vm::FilledText, std::less<>> documents;
};

} // namespace mlir::gpuvm::lsp
