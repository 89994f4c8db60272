//===- ProcessIdentity.cpp - which process a rank is ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/ProcessIdentity.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace vm {

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
static uint64_t hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325;
  for (unsigned char c : text)
    value = (value ^ c) * 0x100000001b3;
  return value;
}

static std::string firstLine(const std::string &path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

ProcessIdentity ProcessIdentity::own() {
  ProcessIdentity own;
  gethostname(own.hostName.data(), own.hostName.size() - 1);
  // random(4): another one at each boot, and the same in all containers.
  std::string boot = firstLine("/proc/sys/kernel/random/boot_id");
  own.host = hash(boot.empty() ? own.hostName.data() : boot);
  struct stat status;
  if (stat("/proc/self/ns/pid", &status) == 0)
    own.pidNamespace = status.st_ino;
  own.pid = getpid();
  return own;
}

bool isSeen(const ProcessIdentity &process, const ProcessIdentity &own) {
  return process.host == own.host && own.pidNamespace != 0 &&
         process.pidNamespace == own.pidNamespace;
}

ProcessState stateOf(const ProcessIdentity &process,
                     const ProcessIdentity &own) {
  if (!isSeen(process, own))
    return ProcessState::Alive;
  // proc(5): the state comes after the name, which is in parentheses.
  std::string line = firstLine(fmt::format("/proc/{}/stat", process.pid));
  size_t name = line.rfind(") ");
  char state = name == std::string::npos ? 'X' : line[name + 2];
  if (state == 'X' || state == 'Z')
    return ProcessState::Ended;
  return state == 'T' ? ProcessState::Stopped : ProcessState::Alive;
}

std::string describe(const ProcessIdentity &process) {
  return fmt::format("process {} of host {}", process.pid,
                     process.hostName.data());
}

} // namespace vm
