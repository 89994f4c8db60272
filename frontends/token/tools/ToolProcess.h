//===- ToolProcess.h - a program as a tool --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program is started once and reads the requests of all streams, a line
// each, from its standard input; ToolLines.h has the lines. A thread writes and
// reads, so that a slow program blocks nothing else.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/tools/ChildProcess.h"
#include "frontends/token/tools/ToolLines.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>

namespace vm::token {

/// These break the tool: a line that does not say which request it answers, an
/// answer to no open request, a second answer, a line too long, and the end of
/// the program. All open and later requests then fail, and the program is
/// killed. A request whose line is too long fails alone, and so does one whose
/// answer is none but for its number.
class ToolProcess : public Tool {
public:
  /// Runs `command` by /bin/sh. A request times out so long after it was
  /// written, or after the program stopped reading while it was to be written;
  /// its answer is dropped then. `replies` must live longer.
  static Result<std::unique_ptr<ToolProcess>>
  start(const std::string &name, const std::string &command,
        std::chrono::milliseconds timeout, ToolReplies &replies);

  /// Closes the program's input, and kills it if it does not end then.
  ~ToolProcess() override;

  void ask(int32_t stream, const std::string &text) override;

  /// Of the shell.
  pid_t pid() const { return pid_; }

private:
  struct Request {
    uint64_t id = 0;
    int32_t stream = 0;
    std::string line;
    ToolClock::time_point asked;
    bool isOver = false; ///< Timed out with a part of the line written.
  };
  struct Sent {
    int32_t stream = 0;
    ToolClock::time_point deadline;
  };

  ToolProcess(std::string name, std::chrono::milliseconds timeout,
              ToolReplies &replies, ChildProcess child, WakeUp wakeUp);

  // All of these are the thread's.
  void serve();
  bool takeRequests();
  void waitForEvent();
  ToolClock::time_point deadlineOf(const Request &unsent) const;
  Status exchange();
  Status readAll();
  Status readLines();
  Status accept(std::string_view line);
  Status writeAll();
  void markWritten(size_t bytes);
  void expire();
  void expireUnsent(ToolClock::time_point now);
  void breakDown(const Status &why);
  std::string toError(const std::string &why) const;

  const std::string name_;
  const std::chrono::milliseconds timeout_;
  ToolReplies &replies_;
  ChildProcess child_;
  const pid_t pid_;

  bool ended_ = false; ///< The shell: what it left is read yet.
  std::deque<Request> unsent_;
  size_t written_ = 0;             ///< Bytes of the first of them.
  ToolClock::time_point progress_; ///< When the program last took bytes.
  std::map<uint64_t, Sent> sent_;  ///< Later ids have later deadlines.
  std::set<uint64_t> late_;        ///< Written, and timed out.
  ToolLineReader reader_;

  std::mutex mutex_; ///< Of what follows.
  std::deque<Request> asked_;
  uint64_t nextId_ = 0;
  std::optional<std::string> broken_; ///< Why.
  bool isOver_ = false;

  WakeUp wakeUp_;
  std::jthread thread_;
};

} // namespace vm::token
