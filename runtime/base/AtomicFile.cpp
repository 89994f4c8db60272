//===- AtomicFile.cpp - output files that are whole or absent -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// O_TMPFILE gives a file with no name, which vanishes with its process even
// when that is killed; linkat(2) names it. A file that replaces another one,
// and every file on a file system without O_TMPFILE, has a temporary name in
// the same folder for a while. A process that is killed then leaves it; the
// next writer of the same file removes it. It knows that the process has ended
// by the flock(2) of the file, which ends with the process, wherever that ran.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AtomicFile.h"

#include "runtime/base/FileLimit.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vm;

static std::string errorText(int error) {
  return std::generic_category().message(error);
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

static std::string baseNameOf(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

/// What the names of the temporaries of `path` begin with.
static std::string temporaryPrefixOf(const std::string &path) {
  return fmt::format(".{}.tmp-", baseNameOf(path));
}

/// A name in the folder of `path` that no other file of this process has.
static std::string temporaryNameFor(const std::string &path) {
  static std::atomic<unsigned> counter = 0;
  return fmt::format("{}{}{}-{}",
                     path.substr(0, path.size() - baseNameOf(path).size()),
                     temporaryPrefixOf(path), getpid(), counter++);
}

/// Whether `name` is a temporary's: the prefix, two numbers.
static bool isTemporary(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix))
    return false;
  name.remove_prefix(prefix.size());
  return std::ranges::count(name, '-') == 1 &&
         name.find_first_not_of("0123456789-") == std::string_view::npos;
}

/// Removes the file at `path` unless a process writes it.
static void removeIfLeft(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0)
    unlink(path.c_str());
  close(fd);
}

/// Removes what processes that were killed have left of `path`. What cannot be
/// removed stays.
static void removeLeftovers(const std::string &path) {
  std::string prefix = temporaryPrefixOf(path);
  std::error_code error;
  std::filesystem::directory_iterator entry(folderOf(path), error), end;
  for (; !error && entry != end; entry.increment(error))
    if (isTemporary(entry->path().filename().native(), prefix))
      removeIfLeft(entry->path().native());
}

/// What `path` stands for: the end of its symbolic links, which need not exist.
static std::string followLinks(std::string path) {
  constexpr int kMaxLinks = 40; // As Linux has it; more end in ELOOP later.
  for (int i = 0; i < kMaxLinks; ++i) {
    char target[PATH_MAX];
    ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length <= 0 || length == ssize_t(sizeof(target)))
      return path; // No link.
    std::string next(target, static_cast<size_t>(length));
    path = next[0] == '/' ? next : folderOf(path) + "/" + next;
  }
  return path;
}

Result<AtomicFile> AtomicFile::create(const std::string &path, Temporary kind) {
  AtomicFile file;
  file.path_ = path;
  struct stat info;
  bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return Status(Code::Usage, fmt::format("Output \"{}\" is a folder.", path));
  file.direct_ = exists && !S_ISREG(info.st_mode);
  if (!file.direct_) {
    if (!exists && errno == ELOOP)
      return file.failure("opened");
    file.path_ = followLinks(path);
    VM_RETURN_IF_ERROR(file.openTemporary(kind, exists));
    if (exists)
      VM_RETURN_IF_ERROR(file.takeAccessOf(info));
    return file;
  }
  file.fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file.fd_ < 0)
    return file.failure("opened");
  return file;
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept {
  *this = std::move(other);
}

AtomicFile &AtomicFile::operator=(AtomicFile &&other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(temporaryPath_, other.temporaryPath_);
  std::swap(direct_, other.direct_);
  return *this;
}

AtomicFile::~AtomicFile() { discard(); }

Status AtomicFile::failure(const char *verb) const {
  return Status(Code::Usage, fmt::format("Output \"{}\" cannot be {} ({}).",
                                         path_, verb, errorText(errno)));
}

/// Keeps the permissions of the file that is replaced.
Status AtomicFile::takeAccessOf(const struct stat &old) const {
  constexpr mode_t kAccess = 0777, kGroupAccess = 0070;
  mode_t mode = old.st_mode & kAccess;
  // Another owner is for the superuser to give, a group for its members.
  if (fchown(fd_, old.st_uid, old.st_gid) != 0 &&
      fchown(fd_, uid_t(-1), old.st_gid) != 0)
    mode &= ~kGroupAccess;
  return fchmod(fd_, mode) == 0 ? Status() : failure("given its mode");
}

/// A file that replaces another one is private until it has that one's mode.
Status AtomicFile::openTemporary(Temporary kind, bool isPrivate) {
  const mode_t mode = isPrivate ? 0600 : 0666; // Less the umask.
  // A nameless file gets its name through /proc, which a chroot may lack.
  if (kind == Temporary::Nameless && access("/proc/self/fd", F_OK) == 0)
    fd_ = open(folderOf(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  bool mayBeNamed = fd_ < 0 || isPrivate;
  if (mayBeNamed)
    removeLeftovers(path_);
  while (fd_ < 0) {
    temporaryPath_ = temporaryNameFor(path_);
    fd_ = open(temporaryPath_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
               mode);
    if (fd_ < 0) {
      temporaryPath_.clear();
      return failure("created");
    }
    flock(fd_, LOCK_EX);
    struct stat info;
    bool isGone = fstat(fd_, &info) == 0 && info.st_nlink == 0;
    if (isGone) // Removed as a leftover before it was locked.
      close(std::exchange(fd_, -1));
  }
  return {};
}

Status AtomicFile::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = writeWithoutSignal(fd_, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return failure("written");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

/// Names the nameless file, complete by now, `name`.
static bool link(int fd, const std::string &name) {
  std::string self = fmt::format("/proc/self/fd/{}", fd);
  return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(),
                AT_SYMLINK_FOLLOW) == 0;
}

/// Gives the file its name. linkat cannot replace a file but rename can, so a
/// nameless file goes by way of a temporary name only where the target exists.
Status AtomicFile::nameTarget() {
  if (temporaryPath_.empty()) {
    if (link(fd_, path_))
      return {};
    if (errno != EEXIST)
      return failure("named");
    flock(fd_, LOCK_EX);
    std::string name = temporaryNameFor(path_);
    if (!link(fd_, name))
      return failure("named");
    temporaryPath_ = name;
  }
  if (rename(temporaryPath_.c_str(), path_.c_str()) != 0)
    return failure("renamed into place");
  temporaryPath_.clear();
  return {};
}

Status AtomicFile::commit() {
  if (!direct_) {
    if (fsync(fd_) != 0)
      return failure("flushed");
    VM_RETURN_IF_ERROR(nameTarget());
  }
  int fd = std::exchange(fd_, -1);
  if (close(fd) != 0)
    return failure("closed");
  return {};
}

void AtomicFile::discard() {
  if (fd_ >= 0)
    close(fd_);
  if (!temporaryPath_.empty())
    unlink(temporaryPath_.c_str());
  fd_ = -1;
  temporaryPath_.clear();
}

Status vm::writeFileAtomically(const std::string &path,
                               std::span<const uint8_t> bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  VM_RETURN_IF_ERROR(file->write(bytes));
  return file->commit();
}
