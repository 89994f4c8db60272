//===- Relay.h - between an editor and MLIR's language server ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's language server says of an operation what it is, not what it does, and
// ends where a parser crashes on half a program. It runs in a process of its
// own here. What it says of an operation is completed by the reference, and
// when it crashes another one takes its place, which is told of all documents
// but the one that it crashed on. What the compiler refuses is said, too, when
// a document has not changed for a while.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "tools/gpuvm-lsp-server/Check.h"
#include "tools/gpuvm-lsp-server/FilledDocuments.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>

namespace mlir::gpuvm::lsp {

struct RelayOptions {
  bool isDelimited = false; ///< Messages are set apart by `// -----`.
  bool isPretty = false;    ///< What is written is indented.
};

class Relay {
public:
  /// `serve` runs a language server on standard input and output until the
  /// client says `exit`, and returns the exit code.
  Relay(std::function<int()> serve, RelayOptions options)
      : serve(std::move(serve)), options(options) {}

  /// Until the editor is gone. The exit code.
  int run();

private:
  /// What is read from one end, and not yet taken.
  struct Input {
    int file = -1;
    std::string buffer;
  };
  /// A document that the editor has open.
  struct Document {
    llvm::json::Value open; ///< What opens it as it is now.
    std::string text;
    bool isWrong = false; ///< MLIR's server cannot read it.
    std::string good;     ///< The last text that it could; or empty.
  };
  enum class Echo { All, Nothing };

  bool fill(Input &input);
  std::optional<std::string> readFrame(Input &input);
  std::optional<std::string> readDelimited();
  std::optional<std::string> readClient();
  void start();
  int stop();
  void pass(const llvm::json::Value &message);
  void tell(const llvm::json::Value &message);
  bool exchange(const llvm::json::Value &message, Echo echo);
  void sayCrash(const llvm::json::Object &last);
  void restart();
  void remember(const llvm::json::Object &message);
  void remember(llvm::StringRef uri, llvm::json::Object opened);
  static bool isOwn(const llvm::json::Object &message);
  bool take(llvm::json::Object &answer);
  void awaitClient();
  void checkAll();
  void startCheck();
  void finishCheck();
  void publish(llvm::StringRef uri, llvm::json::Array diagnostics);
  bool answerHover(const llvm::json::Object &request);
  llvm::json::Value hoverInGood(const Document &document, llvm::StringRef uri,
                                size_t line, size_t character);

  std::function<int()> serve;
  RelayOptions options;
  Input client{0, ""}, server;
  int toServer = -1;
  pid_t process = -1;
  int64_t probes = 0;
  std::optional<llvm::json::Value> initialize;
  std::map<std::string, Document> documents; ///< By their URIs.
  FilledDocuments filled;
  llvm::StringSet<> withheld; ///< Those that a server crashed on.
  Check check;
  std::set<std::string> unchecked;           ///< URIs that wait for `check`.
  std::chrono::steady_clock::time_point due; ///< When the first is looked at.
  /// The result of the last request of ours.
  llvm::json::Value hover = nullptr;
};

} // namespace mlir::gpuvm::lsp
