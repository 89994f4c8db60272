//===- ChildProcess.cpp - a shell command on two pipes --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vm;
using namespace vm::token;

//===--- Descriptors ------------------------------------------------------===//

FileDescriptor::FileDescriptor(FileDescriptor &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::close() {
  if (fd_ >= 0)
    ::close(std::exchange(fd_, -1));
}

WakeUp::WakeUp() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void WakeUp::signal() const {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(event_.get(), &one, sizeof one);
}

void WakeUp::clear() const {
  uint64_t count;
  [[maybe_unused]] ssize_t taken = ::read(event_.get(), &count, sizeof count);
}

//===--- Starting ---------------------------------------------------------===//

namespace {

struct Pipe {
  FileDescriptor read, write;
};

Status failure(const char *what, int error) {
  return Status(Code::OutOfMemory, fmt::format("The system has no room for {} "
                                               "({}).",
                                               what, std::strerror(error)));
}

Result<Pipe> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return failure("a pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void setNonBlocking(const FileDescriptor &descriptor) {
  ::fcntl(descriptor.get(), F_SETFL,
          ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

/// How a shell command is started.
struct Spawn {
  std::string command;
  int input, output; ///< What it reads and writes; -1 = as this process.
  pid_t group;       ///< The process group it joins; 0 = one of its own.
  bool isDeaf;       ///< Whether only SIGKILL and SIGSTOP reach it.

  /// An error number, or 0.
  int run(pid_t &pid) const;
};

/// Attributes and actions of posix_spawn.
class SpawnSettings {
public:
  explicit SpawnSettings(const Spawn &spawn) {
    ::posix_spawn_file_actions_init(&actions);
    for (auto [from, to] : {std::pair(spawn.input, 0), {spawn.output, 1}})
      if (from >= 0)
        ::posix_spawn_file_actions_adddup2(&actions, from, to);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                                POSIX_SPAWN_SETSIGMASK |
                                                POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes, spawn.group);
    sigset_t blocked, pipe;
    spawn.isDeaf ? ::sigfillset(&blocked) : ::sigemptyset(&blocked);
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes, &blocked);
    ::posix_spawnattr_setsigdefault(&attributes, &pipe);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  ~SpawnSettings() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

int Spawn::run(pid_t &pid) const {
  SpawnSettings settings(*this);
  std::string shell = "sh", option = "-c", text = command;
  char *arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  return ::posix_spawn(&pid, "/bin/sh", &settings.actions, &settings.attributes,
                       arguments, environ);
}

/// Waits for its end.
int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

} // namespace

/// A pipe's end below 3 would be overwritten before it is passed on, where
/// the host has closed its standard streams.
static Result<Pipe> makeHighPipe() {
  Result<Pipe> pipe = makePipe();
  if (!pipe.ok())
    return pipe;
  for (FileDescriptor *end : {&pipe->read, &pipe->write}) {
    FileDescriptor high(::fcntl(end->get(), F_DUPFD_CLOEXEC, 3));
    if (high.get() < 0)
      return failure("a pipe", errno);
    *end = std::move(high);
  }
  return pipe;
}

/// What ends the group when this process is gone: it reads a pipe that is never
/// written, whose other end only this process has, and which so ends with it.
static constexpr const char *kGuard = "read -r line; kill -s KILL 0";

Result<ChildProcess> ChildProcess::start(const std::string &command) {
  Result<Pipe> input = makeHighPipe(), output = makeHighPipe(),
               lifeline = makeHighPipe();
  for (Result<Pipe> *pipe : {&input, &output, &lifeline})
    if (!pipe->ok())
      return pipe->status();
  ChildProcess child;
  Spawn guard{kGuard, lifeline->read.get(), -1, 0, /*isDeaf=*/true};
  if (int error = guard.run(child.guard_)) {
    child.guard_ = -1;
    return failure("a process", error);
  }
  Spawn shell{command, input->read.get(), output->write.get(), child.guard_,
              /*isDeaf=*/false};
  if (int error = shell.run(child.pid_)) {
    child.pid_ = -1;
    return failure("a process", error);
  }
  child.lifeline_ = std::move(lifeline->write);
  child.input_ = std::move(input->write);
  child.output_ = std::move(output->read);
  setNonBlocking(child.input_);
  setNonBlocking(child.output_);
  child.ended_ = FileDescriptor(int(::syscall(SYS_pidfd_open, child.pid_, 0)));
  return child;
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      guard_(std::exchange(other.guard_, -1)),
      lifeline_(std::move(other.lifeline_)), input_(std::move(other.input_)),
      output_(std::move(other.output_)), ended_(std::move(other.ended_)) {}

//===--- Talking ----------------------------------------------------------===//

static Transfer toTransfer(ssize_t bytes) {
  if (bytes > 0)
    return {Transfer::Kind::Some, size_t(bytes)};
  bool waits = bytes < 0 && (errno == EAGAIN || errno == EINTR);
  return {waits ? Transfer::Kind::Nothing : Transfer::Kind::Closed, 0};
}

Transfer ChildProcess::read(char *bytes, size_t size) const {
  return toTransfer(::read(output_.get(), bytes, size));
}

Transfer ChildProcess::write(const char *bytes, size_t size) const {
  return toTransfer(::write(input_.get(), bytes, size));
}

//===--- Ending -----------------------------------------------------------===//

bool ChildProcess::hasEnded() const {
  siginfo_t information = {};
  return ::waitid(P_PID, id_t(pid_), &information,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
         information.si_pid == pid_;
}

void ChildProcess::finish(std::chrono::milliseconds grace) {
  if (pid_ < 0 || input_.get() < 0)
    return;
  input_.close();
  auto deadline = std::chrono::steady_clock::now() + grace;
  while (!hasEnded() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

std::string ChildProcess::kill() {
  if (guard_ < 0)
    return "";
  bool ended = pid_ >= 0 && hasEnded();
  // The guard is not reaped yet, so that the number of the group is still its
  // own; nor is the shell, which may have left the group.
  ::kill(-guard_, SIGKILL);
  ::kill(guard_, SIGKILL);
  int status = 0;
  if (pid_ >= 0) {
    ::kill(pid_, SIGKILL);
    status = reap(pid_);
  }
  reap(guard_);
  pid_ = guard_ = -1;
  for (FileDescriptor *descriptor : {&lifeline_, &input_, &output_, &ended_})
    descriptor->close();
  if (!ended)
    return "";
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}
