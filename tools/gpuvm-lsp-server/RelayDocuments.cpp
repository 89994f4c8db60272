//===- RelayDocuments.cpp - documents of the relay ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-lsp-server/Hover.h"
#include "tools/gpuvm-lsp-server/Relay.h"

#include <poll.h>

using namespace mlir::gpuvm::lsp;
using llvm::StringRef;
namespace json = llvm::json;

/// The request that the relay sends in the place of the editor's.
static constexpr StringRef kHover = "gpuvm/hover";
/// Ends the URI of the last good version of a document.
static constexpr StringRef kGood = ".last-good";
/// How long a document stays the same before it is compiled.
static constexpr std::chrono::milliseconds kPause(300);

//===----------------------------------------------------------------------===//
// What is known of them
//===----------------------------------------------------------------------===//

bool Relay::isOwn(const json::Object &message) {
  std::optional<StringRef> uri = getUri(message);
  return uri && uri->ends_with(kGood);
}

/// Looks at what the server says, and completes it; false if it is not for the
/// editor.
bool Relay::take(json::Object &answer) {
  completeHover(answer);
  if (answer.getString("id") == kHover) {
    if (const json::Value *result = answer.get("result"))
      hover = *result;
    return false;
  }
  json::Object *result = answer.getObject("result");
  if (result && result->getObject("serverInfo"))
    (*result)["serverInfo"] =
        json::Object{{"name", "gpuvm-lsp-server"}, {"version", GPUVM_VERSION}};
  const json::Object *params = answer.getObject("params");
  const json::Array *found = params ? params->getArray("diagnostics") : nullptr;
  std::optional<StringRef> uri =
      params ? params->getString("uri") : std::nullopt;
  if (!found || !uri)
    return true;
  if (uri->ends_with(kGood))
    return false;
  auto document = documents.find(uri->str());
  if (document == documents.end())
    return true;
  bool isWrong = llvm::any_of(*found, [](const json::Value &diagnostic) {
    return diagnostic.getAsObject()->getInteger("severity") == 1;
  });
  document->second.isWrong = isWrong;
  if (!isWrong)
    document->second.good = document->second.text;
  return true;
}

void Relay::remember(StringRef uri, json::Object opened) {
  Document &document =
      documents.try_emplace(uri.str(), Document{nullptr, "", false, ""})
          .first->second;
  const json::Object *content = opened.getObject("textDocument");
  document.text = content->getString("text").value_or("");
  document.open = json::Object{{"jsonrpc", "2.0"},
                               {"method", "textDocument/didOpen"},
                               {"params", std::move(opened)}};
  withheld.erase(uri);
  if (check.getUri() == uri)
    check.stop();
  unchecked.insert(uri.str());
  due = std::chrono::steady_clock::now() + kPause;
}

/// What another server would have to be told.
void Relay::remember(const json::Object &message) {
  std::optional<StringRef> method = message.getString("method");
  std::optional<StringRef> uri = getUri(message);
  if (method == StringRef("initialize"))
    initialize = json::Object(message);
  if (!method || !uri)
    return;
  const json::Object *params = message.getObject("params");
  const json::Array *changes = params->getArray("contentChanges");
  if (*method == "textDocument/didClose") {
    documents.erase(uri->str());
    withheld.erase(*uri);
    unchecked.erase(uri->str());
    if (check.getUri() == *uri)
      check.stop();
  } else if (*method == "textDocument/didOpen") {
    remember(*uri, json::Object(*params));
  } else if (changes && changes->size() == 1) {
    // MLIR's server asks for whole texts.
    const json::Object *change = changes->front().getAsObject();
    json::Object document(*params->getObject("textDocument"));
    document["languageId"] = "mlir";
    document["text"] = change ? change->getString("text").value_or("") : "";
    remember(*uri, json::Object{{"textDocument", std::move(document)}});
  }
}

//===----------------------------------------------------------------------===//
// What the compiler refuses
//===----------------------------------------------------------------------===//

void Relay::publish(StringRef uri, json::Array diagnostics) {
  json::Object params{{"uri", uri}, {"diagnostics", std::move(diagnostics)}};
  tell(json::Object{{"jsonrpc", "2.0"},
                    {"method", "textDocument/publishDiagnostics"},
                    {"params", std::move(params)}});
}

void Relay::startCheck() {
  std::string uri = *unchecked.begin();
  unchecked.erase(uri);
  check.start(uri, documents.at(uri).text);
}

/// The compiler says of what MLIR's server refuses the same, and more.
void Relay::finishCheck() {
  json::Array diagnostics = check.getDiagnostics();
  if (!diagnostics.empty())
    publish(check.getUri(), std::move(diagnostics));
}

/// Until there is something to read from the editor.
void Relay::awaitClient() {
  using namespace std::chrono;
  while (true) {
    bool isWaiting = !check.isRunning() && !unchecked.empty();
    auto rest = ceil<milliseconds>(due - steady_clock::now()).count();
    if (isWaiting && rest <= 0) {
      startCheck();
      continue;
    }
    pollfd files[] = {{client.file, POLLIN, 0},
                      {check.isRunning() ? check.getFile() : -1, POLLIN, 0}};
    if (poll(files, 2, isWaiting ? static_cast<int>(rest) : -1) < 0)
      return; // Reading says what is wrong.
    if (files[1].revents != 0 && check.read())
      finishCheck();
    if (files[0].revents != 0)
      return;
  }
}

/// In a test, all is said before the next message is read.
void Relay::checkAll() {
  while (!unchecked.empty()) {
    startCheck();
    while (check.isRunning())
      if (check.read())
        finishCheck();
  }
}

//===----------------------------------------------------------------------===//
// Hovers in a document with a mistake
//===----------------------------------------------------------------------===//

/// The server is told of the last good version for as long as it is asked.
json::Value Relay::hoverInGood(const Document &document, StringRef uri,
                               size_t line, size_t character) {
  std::string name = (uri + kGood).str();
  auto notify = [&](StringRef method, json::Object content) {
    return json::Object{
        {"jsonrpc", "2.0"},
        {"method", method},
        {"params", json::Object{{"textDocument", std::move(content)}}}};
  };
  json::Object place{{"line", static_cast<int64_t>(line)},
                     {"character", static_cast<int64_t>(character)}};
  json::Object request{
      {"jsonrpc", "2.0"},
      {"id", kHover},
      {"method", "textDocument/hover"},
      {"params", json::Object{{"textDocument", json::Object{{"uri", name}}},
                              {"position", std::move(place)}}}};
  hover = nullptr;
  json::Object opened{{"uri", name},
                      {"languageId", "mlir"},
                      {"version", 1},
                      {"text", document.good}};
  if (!exchange(notify("textDocument/didOpen", std::move(opened)),
                Echo::Nothing) ||
      !exchange(std::move(request), Echo::Nothing) ||
      !exchange(notify("textDocument/didClose", json::Object{{"uri", name}}),
                Echo::Nothing))
    restart();
  if (json::Object *result = hover.getAsObject())
    result->erase("range"); // Its lines are those of the good version.
  return std::move(hover);
}

/// False if the server can answer.
bool Relay::answerHover(const json::Object &request) {
  std::optional<StringRef> uri = getUri(request);
  auto document = uri ? documents.find(uri->str()) : documents.end();
  const json::Value *id = request.get("id");
  if (request.getString("method") != StringRef("textDocument/hover") || !id ||
      document == documents.end() || !document->second.isWrong)
    return false;
  const json::Object *place =
      request.getObject("params")->getObject("position");
  size_t line = place ? place->getInteger("line").value_or(0) : 0;
  size_t character = place ? place->getInteger("character").value_or(0) : 0;
  const Document &wrong = document->second;
  json::Value result = nullptr;
  if (auto then = findLine(wrong.text, wrong.good, line);
      then && !wrong.good.empty())
    result = hoverInGood(wrong, *uri, *then, character);
  if (!result.getAsObject())
    result = hoverOverName(wrong.text, line, character);
  tell(json::Object{
      {"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}});
  return true;
}
