//===- ChildProcess.h - a shell command on two pipes ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <chrono>
#include <cstddef>
#include <string>

#include <sys/types.h>

namespace vm::token {

/// A file descriptor; -1 = none. Closed with its owner.
class FileDescriptor {
public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept;
  FileDescriptor &operator=(FileDescriptor &&other) noexcept;
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  void close();

private:
  int fd_;
};

/// Makes a thread's poll() return. signal() may be called by any thread.
class WakeUp {
public:
  WakeUp();

  int descriptor() const { return event_.get(); }
  void signal() const;
  void clear() const;

private:
  FileDescriptor event_;
};

/// What is read or written without waiting.
struct Transfer {
  enum class Kind {
    Some,    ///< `bytes` of them, at least one.
    Nothing, ///< It would wait.
    Closed   ///< By the other side.
  };
  Kind kind = Kind::Nothing;
  size_t bytes = 0;
};

/// Its standard input and output are pipes that do not wait on this side; its
/// standard error is ours. It has a process group of its own, with all that it
/// starts. A guard in that group ends all of it when this process ends, also by
/// SIGKILL; only what has left the group (setsid) stays. Movable.
class ChildProcess {
public:
  /// By /bin/sh -c. OutOfMemory where the system has no room for it.
  static Result<ChildProcess> start(const std::string &command);

  ChildProcess(ChildProcess &&other) noexcept;
  ~ChildProcess() { kill(); }

  pid_t pid() const { return pid_; }
  int input() const { return input_.get(); }
  int output() const { return output_.get(); }
  /// Readable in poll() once the shell has ended; -1 where the system has no
  /// such thing, or it has been killed.
  int ended() const { return ended_.get(); }

  Transfer read(char *bytes, size_t size) const;
  /// The calling thread must block SIGPIPE.
  Transfer write(const char *bytes, size_t size) const;

  /// Closes its input, and waits so long for its end; once.
  void finish(std::chrono::milliseconds grace);

  /// Kills the group and leaves no zombie. How the shell had ended before:
  /// `exited with code 3` or `was killed by signal 11`; "" if it had not.
  std::string kill();

private:
  ChildProcess() = default;
  bool hasEnded() const;

  pid_t pid_ = -1;
  pid_t guard_ = -1; ///< Its number is that of the group.
  FileDescriptor lifeline_, input_, output_, ended_;
};

} // namespace vm::token
