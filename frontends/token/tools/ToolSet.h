//===- ToolSet.h - the tools of a run -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"
#include "frontends/token/tools/CallbackTool.h"
#include "runtime/base/Status.h"

#include <map>
#include <memory>
#include <string>

namespace vm::token {

constexpr std::chrono::milliseconds kDefaultToolTimeout(30000);

/// Tools by name. For one thread.
class ToolSet {
public:
  /// What a request of any of them may take.
  explicit ToolSet(std::chrono::milliseconds timeout = kDefaultToolTimeout)
      : timeout_(timeout) {}

  /// Usage where the name is taken, OutOfMemory where no thread can be created.
  Status addCallback(const std::string &name, ToolCallback callback);
  /// Starts the program; see ToolProcess::start.
  Status addProcess(const std::string &name, const std::string &command);

  bool contains(const std::string &name) const { return tools_.contains(name); }

  /// Of a tool that is there.
  void ask(const std::string &name, int32_t stream, const std::string &text) {
    tools_.at(name)->ask(stream, text);
  }

  ToolReplies &replies() { return replies_; }

private:
  Status checkFree(const std::string &name) const;

  std::chrono::milliseconds timeout_;
  ToolReplies replies_; ///< Outlives the tools.
  std::map<std::string, std::unique_ptr<Tool>> tools_;
};

/// The tools that zones of the machine ask, each once, in the order of the
/// zones.
std::vector<std::string> usedTools(const Machine &machine);

/// BadInput with C01 for each tool that a zone asks and that is not among the
/// names `given`.
Status checkTools(const Machine &machine,
                  const std::vector<std::string> &given);

} // namespace vm::token
