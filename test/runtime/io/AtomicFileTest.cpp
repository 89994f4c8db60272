//===- AtomicFileTest.cpp - output files that are whole or absent --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes a process that is killed in the middle of its output.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AtomicFile.h"
#include "test/runtime/io/Testing.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vm;
using namespace vm::test;

static const std::vector<uint8_t> kText = {'n', 'e', 'w'};

class BothKinds : public testing::TestWithParam<AtomicFile::Temporary> {};

INSTANTIATE_TEST_SUITE_P(AtomicFile, BothKinds,
                         testing::Values(AtomicFile::Temporary::Nameless,
                                         AtomicFile::Temporary::Named),
                         [](const auto &info) {
                           bool named =
                               info.param == AtomicFile::Temporary::Named;
                           return named ? "Named" : "Nameless";
                         });

TEST_P(BothKinds, AppearsAtCommit) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  Result<AtomicFile> file = AtomicFile::create(path, GetParam());
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_TRUE(file->write(kText).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(readBytes(path), kText);
  EXPECT_EQ(folder.numFiles(), 1u);
}

TEST_P(BothKinds, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  {
    Result<AtomicFile> file =
        AtomicFile::create(folder.file("out"), GetParam());
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write(kText).ok());
  }
  EXPECT_EQ(folder.numFiles(), 0u);
}

TEST_P(BothKinds, ReplacesAnOlderFile) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  writeBytes(path, "an older and longer file");
  Result<AtomicFile> file = AtomicFile::create(path, GetParam());
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write(kText).ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(readBytes(path), kText);
  EXPECT_EQ(folder.numFiles(), 1u);
}

static mode_t modeOf(const std::string &path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST_P(BothKinds, KeepsTheModeOfWhatItReplaces) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  for (mode_t mode : {0600, 0640, 0755, 0400}) {
    writeBytes(path, "old");
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    Result<AtomicFile> file = AtomicFile::create(path, GetParam());
    ASSERT_TRUE(file.ok()) << file.status().message();
    ASSERT_TRUE(file->write(kText).ok());
    ASSERT_TRUE(file->commit().ok());
    EXPECT_EQ(readBytes(path), kText);
    EXPECT_EQ(modeOf(path), mode);
    std::filesystem::remove(path);
  }
}

TEST_P(BothKinds, ANewFileHasWhatTheUmaskLeaves) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  mode_t before = umask(077);
  Result<AtomicFile> file = AtomicFile::create(path, GetParam());
  umask(before);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(modeOf(path), mode_t(0600));
}

TEST_P(BothKinds, FollowsALinkToWhereNothingIs) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("sub"));
  std::filesystem::create_symlink("second", folder.file("first"));
  std::filesystem::create_symlink("sub/target", folder.file("second"));
  Result<AtomicFile> file =
      AtomicFile::create(folder.file("first"), GetParam());
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_TRUE(file->write(kText).ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("first")));
  EXPECT_EQ(readBytes(folder.file("sub/target")), kText);
  std::filesystem::create_symlink("loop", folder.file("loop"));
  EXPECT_FALSE(AtomicFile::create(folder.file("loop"), GetParam()).ok());
}

TEST_P(BothKinds, AFailedCommitLeavesNothing) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  Result<AtomicFile> file = AtomicFile::create(path, GetParam());
  ASSERT_TRUE(file.ok());
  std::filesystem::create_directory(path);
  EXPECT_EQ(file->commit().message(), "Output \"" + path +
                                          "\" cannot be renamed into place "
                                          "(Is a directory).");
  {
    AtomicFile gone = std::move(*file);
  }
  EXPECT_EQ(folder.numFiles(), 1u);
}

TEST(AtomicFile, FollowsLinks) {
  TemporaryFolder folder;
  std::string path = folder.file("out"), link = folder.file("link");
  writeBytes(path, "old");
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(writeFileAtomically(link, kText).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(readBytes(path), kText);
}

TEST(AtomicFile, DevicesAreWrittenInPlace) {
  ASSERT_TRUE(writeFileAtomically("/dev/null", kText).ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, AFullDiskIsASentence) {
  Status status = writeFileAtomically("/dev/full", kText);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "Output \"/dev/full\" cannot be written (No "
                              "space left on device).");
}

TEST(AtomicFile, AMissingFolderIsASentence) {
  TemporaryFolder folder;
  std::string path = folder.file("no/out");
  Status status = writeFileAtomically(path, kText);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "Output \"" + path +
                                  "\" cannot be created (No such file or "
                                  "directory).");
}

TEST(AtomicFile, AFolderIsASentence) {
  TemporaryFolder folder;
  Status status = writeFileAtomically(folder.file("."), kText);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "Output \"" + folder.file(".") + "\" is a folder.");
}

TEST(AtomicFile, AKilledProcessLeavesNothing) {
  TemporaryFolder folder;
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Result<AtomicFile> file = AtomicFile::create(folder.file("out"));
    if (file.ok() && file->write(kText).ok())
      raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.numFiles(), 0u);
}

/// The exit code of a process that runs `body`, which returns it.
template <typename Body> static int exitCodeOf(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "by signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

TEST_P(BothKinds, ALimitToTheSizeOfFilesIsASentence) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  int code = exitCodeOf([&] {
    constexpr rlimit kLimit = {100, 100};
    setrlimit(RLIMIT_FSIZE, &kLimit);
    Result<AtomicFile> file = AtomicFile::create(path, GetParam());
    if (!file.ok())
      return 100;
    Status status = file->write(std::vector<uint8_t>(1000));
    bool isSaid = status.message() ==
                  "Output \"" + path + "\" cannot be written (File too large).";
    return isSaid ? static_cast<int>(status.code()) : 101;
  });
  EXPECT_EQ(code, static_cast<int>(Code::Usage));
}

TEST(AtomicFile, APipeWithoutReaderIsASentence) {
  TemporaryFolder folder;
  std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  int code = exitCodeOf([&] {
    int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    Result<AtomicFile> file = AtomicFile::create(path);
    close(reader);
    if (!file.ok())
      return 100;
    Status status = file->write(kText);
    bool isSaid = status.message() ==
                  "Output \"" + path + "\" cannot be written (Broken pipe).";
    return isSaid ? static_cast<int>(status.code()) : 101;
  });
  EXPECT_EQ(code, static_cast<int>(Code::Usage));
}

/// A process that is killed between the two names leaves such a file.
TEST_P(BothKinds, TheNextWriterRemovesWhatAKilledOneHasLeft) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto file = AtomicFile::create(path, AtomicFile::Temporary::Named);
    if (file.ok() && file->write(kText).ok())
      raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(folder.numFiles(), 1u);
  for (const char *other : {".out.tmp-", ".out.tmp-1-2-3", ".out.tmp-a-1",
                            ".other.tmp-1-2", "out.tmp-1-2"})
    writeBytes(folder.file(other), "another one's");
  writeBytes(path, "old");
  Result<AtomicFile> file = AtomicFile::create(path, GetParam());
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_TRUE(file->write(kText).ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(readBytes(path), kText);
  EXPECT_EQ(folder.numFiles(), 6u);
}

TEST(AtomicFile, AWriterLeavesThoseOfOthersThatLive) {
  TemporaryFolder folder;
  std::string path = folder.file("out");
  auto named = AtomicFile::Temporary::Named;
  Result<AtomicFile> first = AtomicFile::create(path, named);
  ASSERT_TRUE(first.ok());
  Result<AtomicFile> second = AtomicFile::create(path, named);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(folder.numFiles(), 2u);
  ASSERT_TRUE(first->write(kText).ok());
  EXPECT_TRUE(second->commit().ok());
  EXPECT_TRUE(first->commit().ok());
  EXPECT_EQ(readBytes(path), kText);
  EXPECT_EQ(folder.numFiles(), 1u);
}
