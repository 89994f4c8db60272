//===- Relay.h - between an editor and MLIR's language server ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's language server says of an operation what it is, not what it does, and
// ends where a parser crashes on half a program. It runs in a process of its
// own here. What it says of an operation is completed by the reference, and
// when it crashes another one takes its place, which is told of all documents
// but the one that it crashed on.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>

namespace mlir::gpuvm::lsp {

/// The section of the reference on an operation, as Markdown; "" if there is
/// none. Generated from the tables of the dialects.
llvm::StringRef getReference(llvm::StringRef operation);

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
  enum class Echo { All, Nothing };

  static bool fill(Input &input);
  static std::optional<std::string> readFrame(Input &input);
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

  std::function<int()> serve;
  RelayOptions options;
  Input client{0, ""}, server;
  int toServer = -1;
  pid_t process = -1;
  int64_t probes = 0;
  std::optional<llvm::json::Value> initialize;
  /// Of each open document what opens it as it is now.
  std::map<std::string, llvm::json::Value> documents;
  llvm::StringSet<> withheld; ///< Those that a server crashed on.
};

} // namespace mlir::gpuvm::lsp
