//===- AtomicFile.h - output files that are whole or absent ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that is killed, or runs out of disk, must not leave half a file that
// looks like a result. An AtomicFile is written without a name (or under a
// temporary one where the file system cannot do that) and gets its name when
// its last byte is on disk. A full disk, a limit to the size of files and a
// pipe without a reader are failures, and no signals.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>

#include <sys/stat.h>

namespace vm {

/// A file that appears at its path when it is committed, and never before.
/// Not thread-safe. Movable; destruction without commit leaves no trace.
class AtomicFile {
public:
  /// What the file is until its commit.
  enum class Temporary {
    Nameless, ///< Vanishes with its process; Named where the system has none.
    Named,    ///< A hidden file next to its target, which the next writer of
              ///< that removes if this one is killed.
  };

  /// Opens a new file that will become `path`. A symbolic link is followed,
  /// also to where nothing is yet. A file that is replaced leaves its mode, and
  /// its owner and group where the system allows; a new one has what the umask
  /// leaves. A path that exists and is no regular file (a pipe, /dev/stdout) is
  /// written to directly, since it cannot be replaced. Whatever fails is
  /// Code::Usage.
  static Result<AtomicFile> create(const std::string &path,
                                   Temporary kind = Temporary::Nameless);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&other) noexcept;
  ~AtomicFile();

  /// Appends all of `bytes`.
  Status write(std::span<const uint8_t> bytes);

  /// Flushes to disk and gives the file its name, replacing an older file of
  /// that name in one step. Nothing may be written afterwards.
  Status commit();

private:
  AtomicFile() = default;
  Status openTemporary(Temporary kind, bool isPrivate);
  Status takeAccessOf(const struct stat &old) const;
  Status nameTarget();
  Status failure(const char *verb) const;
  void discard();

  int fd_ = -1;
  std::string path_;          ///< Where the file will be.
  std::string temporaryPath_; ///< Its name until then; empty if it has none.
  bool direct_ = false;       ///< Not a regular file: written in place.
};

/// Writes `bytes` to `path` through an AtomicFile.
Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> bytes);

} // namespace vm
