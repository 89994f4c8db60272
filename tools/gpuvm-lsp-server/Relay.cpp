//===- Relay.cpp - between an editor and MLIR's language server -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One message at a time: after each the server is asked for something that
// does not exist, and what it says until it refuses that is the answer. So the
// message that it crashed on is known.
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-lsp-server/Relay.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::gpuvm::lsp;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr StringRef kProbe = "gpuvm/probe";

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static void writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return; // The other end is gone, which reading from it will show.
    bytes = bytes.drop_front(written);
  }
}

static void writeFrame(int file, StringRef text) {
  writeAll(
      file,
      llvm::formatv("Content-Length: {0}\r\n\r\n{1}", text.size(), text).str());
}

/// Reads more; false at the end.
bool Relay::fill(Input &input) {
  if (&input == &client)
    awaitClient();
  char bytes[1 << 14];
  ssize_t count;
  do
    count = read(input.file, bytes, sizeof bytes);
  while (count < 0 && errno == EINTR);
  if (count <= 0)
    return false;
  input.buffer.append(bytes, count);
  return true;
}

std::optional<std::string> Relay::readFrame(Input &input) {
  size_t end;
  while ((end = input.buffer.find("\r\n\r\n")) == std::string::npos)
    if (!fill(input))
      return std::nullopt;
  StringRef header = StringRef(input.buffer).take_front(end);
  size_t length = 0;
  for (StringRef line : llvm::split(header, "\r\n"))
    if (line.consume_front_insensitive("content-length:"))
      (void)line.trim().getAsInteger(10, length);
  while (input.buffer.size() < end + 4 + length)
    if (!fill(input))
      return std::nullopt;
  std::string text = input.buffer.substr(end + 4, length);
  input.buffer.erase(0, end + 4 + length);
  return text;
}

/// Up to the next line `// -----`, without comments.
std::optional<std::string> Relay::readDelimited() {
  std::string text;
  while (true) {
    size_t end = client.buffer.find('\n');
    if (end == std::string::npos && fill(client))
      continue;
    bool isEnd = end == std::string::npos;
    std::string line = client.buffer.substr(0, end);
    client.buffer.erase(0, isEnd ? end : end + 1);
    bool isComment = StringRef(line).starts_with("//");
    if (!isComment)
      text += line + '\n';
    bool isBreak = isEnd || StringRef(line).starts_with("// -----");
    if (isBreak && !StringRef(text).trim().empty())
      return text;
    if (isEnd)
      return std::nullopt;
  }
}

std::optional<std::string> Relay::readClient() {
  return options.isDelimited ? readDelimited() : readFrame(client);
}

//===----------------------------------------------------------------------===//
// The server's process
//===----------------------------------------------------------------------===//

void Relay::start() {
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0 || (process = fork()) < 0) {
    llvm::errs() << "gpuvm-lsp-server: error: no process can be started.\n";
    std::exit(1);
  }
  if (process == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (int file : {in[0], in[1], out[0], out[1]})
      close(file);
    _exit(serve());
  }
  close(in[0]);
  close(out[1]);
  toServer = in[1];
  server = {out[0], ""};
}

/// Waits for the end of the process. Its exit code; 1 after a crash.
int Relay::stop() {
  close(toServer);
  close(server.file);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// To the editor.
void Relay::tell(const json::Value &message) {
  writeFrame(1, options.isPretty ? llvm::formatv("{0:2}", message).str()
                                 : llvm::formatv("{0}", message).str());
}

/// To the server.
void Relay::pass(const json::Value &message) {
  writeFrame(toServer, llvm::formatv("{0}", message).str());
}

/// False if the server crashes on the message, which has then been said.
bool Relay::exchange(const json::Value &message, Echo echo) {
  std::string probe = llvm::formatv("{0}/{1}", kProbe, ++probes);
  StringRef uri = getUri(*message.getAsObject()).value_or("");
  pass(filled.toServer(message));
  pass(json::Object{{"jsonrpc", "2.0"}, {"id", probe}, {"method", kProbe}});
  while (std::optional<std::string> text = readFrame(server)) {
    llvm::Expected<json::Value> answer = json::parse(*text);
    if (!answer) {
      llvm::consumeError(answer.takeError());
      continue;
    }
    json::Object *object = answer->getAsObject();
    if (object && object->getString("id") == StringRef(probe))
      return true;
    filled.toEditor(*answer, uri);
    bool isForEditor = !object || take(*object);
    if (echo == Echo::All && isForEditor)
      tell(*answer);
  }
  stop();
  sayCrash(*message.getAsObject());
  return false;
}

/// What the first character of a document says for all of it.
static json::Object makeCrashDiagnostic() {
  json::Object place{{"line", 0}, {"character", 0}};
  json::Object range{{"start", json::Object(place)},
                     {"end", json::Object(place)}};
  return json::Object{{"range", std::move(range)},
                      {"severity", 1},
                      {"source", "gpuvm"},
                      {"message",
                       "MLIR crashes on this text. Nothing more is said of it "
                       "until it changes."}};
}

/// A request is refused; a document is withheld from the next server.
void Relay::sayCrash(const json::Object &last) {
  if (isOwn(last))
    return;
  if (const json::Value *id = last.get("id")) {
    json::Object error{{"code", -32603}, {"message", "MLIR crashed on this."}};
    tell(json::Object{
        {"jsonrpc", "2.0"}, {"id", *id}, {"error", std::move(error)}});
    return;
  }
  std::optional<StringRef> uri = getUri(last);
  if (!uri)
    return;
  withheld.insert(*uri);
  if (auto document = documents.find(uri->str()); document != documents.end())
    document->second.isWrong = true;
  publish(*uri, json::Array{makeCrashDiagnostic()});
}

/// Another server, in the state of the one that crashed. A crash on one of the
/// documents is one document less for the next.
void Relay::restart() {
  for (bool isTold = false; !isTold;) {
    start();
    if (!initialize || !exchange(*initialize, Echo::Nothing)) {
      llvm::errs() << "gpuvm-lsp-server: error: the server crashes before it "
                      "has seen a document.\n";
      std::exit(1);
    }
    isTold = llvm::all_of(documents, [&](const auto &document) {
      return withheld.contains(document.first) ||
             exchange(document.second.open, Echo::Nothing);
    });
  }
}

int Relay::run() {
  std::signal(SIGPIPE, SIG_IGN);
  start();
  while (std::optional<std::string> text = readClient()) {
    llvm::Expected<json::Value> message = json::parse(*text);
    if (!message || !message->getAsObject()) {
      if (!message)
        llvm::consumeError(message.takeError());
      llvm::errs() << "gpuvm-lsp-server: error: a message is no JSON object.\n";
      continue;
    }
    const json::Object &object = *message->getAsObject();
    if (object.getString("method") == StringRef("exit")) {
      pass(*message);
      break;
    }
    remember(object);
    if (!answerHover(object) && !exchange(*message, Echo::All))
      restart();
    if (options.isDelimited)
      checkAll();
  }
  return stop();
}
