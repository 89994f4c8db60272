//===- AddressSpace.cpp - the remaining address space ---------------------===//
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

#include <algorithm>
#include <charconv>
#include <string_view>

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

/// The number after `key` in the first bytes of the file at `path`. Takes no
/// memory.
static std::optional<uint64_t> numberIn(const char *path,
                                        std::string_view key) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return std::nullopt;
  char buffer[1024];
  ssize_t length = read(fd, buffer, sizeof(buffer));
  close(fd);
  std::string_view text(buffer,
                        static_cast<size_t>(std::max<ssize_t>(length, 0)));
  size_t at = text.find(key);
  if (at == std::string_view::npos)
    return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  uint64_t number = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc())
    return std::nullopt;
  return number;
}

std::optional<uint64_t> freeHostBytes() {
  std::optional<uint64_t> free = numberIn("/proc/meminfo", "MemAvailable:");
  if (free)
    *free *= 1024;
  auto limit = numberIn("/sys/fs/cgroup/memory.max", "");
  auto taken = numberIn("/sys/fs/cgroup/memory.current", "");
  if (limit && taken)
    free = std::min(free.value_or(UINT64_MAX),
                    *limit > *taken ? *limit - *taken : 0);
  return free;
}

Status checkHostMemory(uint64_t bytes, const char *action) {
  VM_RETURN_IF_ERROR(checkAddressSpace(bytes, action));
  std::optional<uint64_t> free = freeHostBytes();
  if (!free || *free >= bytes)
    return {};
  return Status(Code::OutOfMemory,
                fmt::format("There is not enough host memory to {} ({} MiB are "
                            "free; it can take {} MiB).",
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
