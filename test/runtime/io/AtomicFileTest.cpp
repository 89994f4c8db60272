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
#include <gtest/gtest.h>
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
