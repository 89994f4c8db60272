//===- PipelineCacheTest.cpp ----------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/PipelineCache.h"

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

using namespace vm;
using namespace vm::test;

namespace fs = std::filesystem;

namespace {

TEST(CacheFile, GivesBackWhatItWraps) {
  std::vector<uint8_t> payload = {1, 2, 3, 4, 5};
  EXPECT_EQ(unwrapCacheFile(wrapCacheFile(payload)), payload);
  EXPECT_EQ(unwrapCacheFile(wrapCacheFile({})), std::vector<uint8_t>());
}

TEST(CacheFile, RefusesEveryDamage) {
  std::vector<uint8_t> file = wrapCacheFile({1, 2, 3, 4, 5});
  for (size_t i = 0; i < file.size(); ++i) {
    std::vector<uint8_t> damaged = file;
    damaged[i] ^= 0x40;
    EXPECT_EQ(unwrapCacheFile(damaged), std::nullopt) << "byte " << i;
    std::vector<uint8_t> cut(file.begin(), file.begin() + i);
    EXPECT_EQ(unwrapCacheFile(cut), std::nullopt) << "cut to " << i;
  }
  file.push_back(0);
  EXPECT_EQ(unwrapCacheFile(file), std::nullopt) << "bytes after the end";
}

class PipelineCacheTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    folder_ = fs::path(testing::TempDir()) /
              ("gpuvm-cache-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    options.cacheDirectory = (folder_ / "deep").string();
    file = fs::path(options.cacheDirectory) /
           pipelineCacheFileName(device_->info());
  }
  void TearDown() override {
    fs::remove_all(folder_);
    DeviceTest::TearDown();
  }

  fs::path folder_, file;
  ExecutorOptions options;
};

TEST_F(PipelineCacheTest, IsWrittenWhole) {
  ASSERT_TRUE(load(makeAffineProgram(8), options));
  ASSERT_TRUE(fs::exists(file));
  std::ifstream in(file, std::ios::binary);
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_TRUE(unwrapCacheFile(bytes));
  EXPECT_EQ(std::distance(fs::directory_iterator(options.cacheDirectory), {}),
            1)
      << "no temporary file is left";
  EXPECT_TRUE(load(makeAffineProgram(8), options));
}

TEST_F(PipelineCacheTest, IgnoresACorruptFile) {
  fs::create_directories(options.cacheDirectory);
  std::ofstream(file, std::ios::binary) << "not a cache";
  std::unique_ptr<Executor> executor = load(makeAffineProgram(8), options);
  ASSERT_TRUE(executor);
  std::ifstream in(file, std::ios::binary);
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_TRUE(unwrapCacheFile(bytes)) << "it is replaced by a sound one";
}

TEST_F(PipelineCacheTest, IsForItsOwnerAlone) {
  mode_t before = umask(0);
  EXPECT_TRUE(load(makeAffineProgram(8), options));
  umask(before);
  auto modeOf = [](const fs::path &path) {
    return fs::status(path).permissions() & fs::perms::mask;
  };
  EXPECT_EQ(modeOf(folder_), fs::perms(0700));
  EXPECT_EQ(modeOf(options.cacheDirectory), fs::perms(0700));
  EXPECT_EQ(modeOf(file), fs::perms(0600));
}

TEST_F(PipelineCacheTest, ReplacesALinkAndNotItsTarget) {
  fs::create_directories(options.cacheDirectory);
  std::ofstream(folder_ / "victim") << "precious";
  fs::create_symlink(folder_ / "victim", file);
  // The name that a temporary file used to have.
  fs::create_symlink(folder_ / "victim",
                     file.string() + "." + std::to_string(getpid()));
  EXPECT_TRUE(load(makeAffineProgram(8), options));
  EXPECT_EQ(fs::file_size(folder_ / "victim"), 8u);
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_TRUE(fs::is_regular_file(file));
}

TEST_F(PipelineCacheTest, DoesNotTrustAFileThatOthersCanWrite) {
  EXPECT_TRUE(load(makeAffineProgram(8), options));
  auto wasReplaced = [&](fs::perms perms) {
    fs::permissions(file, perms);
    EXPECT_TRUE(load(makeAffineProgram(8), options));
    return fs::status(file).permissions() == fs::perms(0600);
  };
  EXPECT_TRUE(wasReplaced(fs::perms(0602)));
  EXPECT_FALSE(wasReplaced(fs::perms(0644))) << "it has all there is to keep";
}

TEST_F(PipelineCacheTest, DoesWithoutAFolderItCannotMake) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "x";
  options.cacheDirectory = (folder_ / "file" / "sub").string();
  EXPECT_TRUE(load(makeAffineProgram(8), options));
}

} // namespace
