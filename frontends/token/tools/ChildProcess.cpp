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

/// Attributes and actions of posix_spawn.
class SpawnSettings {
public:
  SpawnSettings(const Pipe &input, const Pipe &output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input.read.get(), 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output.write.get(), 1);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP |
                                                 POSIX_SPAWN_SETSIGMASK |
                                                 POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none, pipe;
    ::sigemptyset(&none);
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &pipe);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  ~SpawnSettings() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }

  int spawn(const std::string &command, pid_t &pid) const {
    std::string shell = "sh", option = "-c", text = command;
    char *arguments[] = {shell.data(), option.data(), text.data(), nullptr};
    return ::posix_spawn(&pid, "/bin/sh", &actions_, &attributes_, arguments,
                         environ);
  }

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

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

Result<ChildProcess> ChildProcess::start(const std::string &command) {
  Result<Pipe> input = makeHighPipe(), output = makeHighPipe();
  if (!input.ok())
    return input.status();
  if (!output.ok())
    return output.status();
  ChildProcess child;
  if (int error = SpawnSettings(*input, *output).spawn(command, child.pid_)) {
    child.pid_ = -1;
    return failure("a process", error);
  }
  child.input_ = std::move(input->write);
  child.output_ = std::move(output->read);
  setNonBlocking(child.input_);
  setNonBlocking(child.output_);
  child.ended_ = FileDescriptor(int(::syscall(SYS_pidfd_open, child.pid_, 0)));
  return child;
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
    : pid_(std::exchange(other.pid_, -1)), input_(std::move(other.input_)),
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
  if (pid_ < 0)
    return "";
  bool ended = hasEnded();
  // It is not reaped yet, so that the number of its group is still its own.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  input_.close();
  output_.close();
  ended_.close();
  if (!ended)
    return "";
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}
