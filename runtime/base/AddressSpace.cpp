//===- AddressSpace.cpp - what a process may still map --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RLIMIT_AS against the first field of /proc/self/statm.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AddressSpace.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace vm {

/// Pages that are mapped, or 0. Takes no memory.
static uint64_t mappedPages() {
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  char text[64];
  ssize_t length = read(fd, text, sizeof(text));
  close(fd);
  uint64_t pages = 0;
  for (ssize_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; ++i)
    pages = pages * 10 + static_cast<uint64_t>(text[i] - '0');
  return pages;
}

std::optional<uint64_t> freeAddressSpace() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  uint64_t taken = mappedPages() * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

Status checkAddressSpace(uint64_t bytes, const char *action) {
  std::optional<uint64_t> free = freeAddressSpace();
  if (!free || *free >= bytes)
    return {};
  return Status(Code::OutOfMemory,
                fmt::format("There is not enough address space to {} ({} MiB "
                            "are left under the limit of this process, ulimit "
                            "-v; it can take {} MiB).",
                            action, *free >> 20, bytes >> 20));
}

uint64_t threadStackBytes() {
  constexpr uint64_t kWithoutLimit = 2u << 20; // What glibc takes then.
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return kWithoutLimit;
  return limit.rlim_cur;
}

} // namespace vm
