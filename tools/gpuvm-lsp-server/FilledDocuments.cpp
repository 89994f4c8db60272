//===- FilledDocuments.cpp - documents with parameters --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-lsp-server/FilledDocuments.h"

using namespace mlir::gpuvm::lsp;
using llvm::StringRef;
namespace json = llvm::json;

std::optional<StringRef> mlir::gpuvm::lsp::getUri(const json::Object &message) {
  const json::Object *params = message.getObject("params");
  const json::Object *document =
      params ? params->getObject("textDocument") : nullptr;
  return document ? document->getString("uri") : std::nullopt;
}

/// Replaces the text that `holder` has, if parameters stand in it. One with an
/// error is the server's as it is: it does not take the places either.
void FilledDocuments::open(StringRef uri, json::Object &holder) {
  documents.erase(uri.str());
  std::string text = holder.getString("text").value_or("").str();
  vm::FilledText filled;
  vm::ParameterError error;
  if (!vm::mayHaveParameters(text) ||
      !vm::fillParameters(text, /*settings=*/{}, filled, error))
    return;
  holder["text"] = filled.text;
  documents.emplace(uri.str(), std::move(filled));
}

/// Moves all positions in `value` that are of documents here. A place says of
/// which, or else it is `uri`.
void FilledDocuments::move(json::Value &value, StringRef uri, To to) const {
  if (json::Array *array = value.getAsArray())
    for (json::Value &each : *array)
      move(each, uri, to);
  json::Object *object = value.getAsObject();
  if (!object)
    return;
  std::string own = object->getString("uri").value_or(uri).str();
  for (auto &field : *object)
    move(field.second, own, to);
  auto document = documents.find(own);
  std::optional<int64_t> line = object->getInteger("line");
  std::optional<int64_t> character = object->getInteger("character");
  if (document == documents.end() || !line || !character || *line < 0 ||
      *character < 0)
    return;
  const vm::FilledText &filled = document->second;
  size_t column = to == To::Server
                      ? filled.columnInText(*line + 1, *character + 1)
                      : filled.columnInFile(*line + 1, *character + 1);
  (*object)["character"] = static_cast<int64_t>(column - 1);
}

json::Value FilledDocuments::toServer(json::Value message) {
  json::Object &object = *message.getAsObject();
  StringRef method = object.getString("method").value_or("");
  json::Object *params = object.getObject("params");
  std::optional<StringRef> found = getUri(object);
  if (!params || !found)
    return message;
  std::string uri = found->str();
  if (method == "textDocument/didOpen") {
    open(uri, *params->getObject("textDocument"));
  } else if (json::Array *changes = params->getArray("contentChanges")) {
    for (json::Value &change : *changes) // Whole texts, as the server asks for.
      if (json::Object *holder = change.getAsObject())
        open(uri, *holder);
  } else if (method == "textDocument/didClose") {
    documents.erase(uri);
  } else {
    move(message, uri, To::Server);
  }
  return message;
}

void FilledDocuments::toEditor(json::Value &answer, StringRef uri) const {
  if (!documents.empty())
    move(answer, uri, To::Editor);
}
