//===- TemporaryGguf.h - a file as long as a test runs --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgufFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace vm::llm::test {

class TemporaryGguf {
public:
  ~TemporaryGguf() { std::filesystem::remove(path_); }

  const std::string &path() const { return path_; }

  Result<GgufFile> open(std::string_view bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return GgufFile::open(path_);
  }

  /// What is said of the file, without the place that ends it.
  std::string refuse(std::string_view bytes) {
    Result<GgufFile> file = open(bytes);
    if (file.ok())
      return "accepted";
    EXPECT_EQ(file.status().code(), Code::BadInput);
    std::string message = file.status().message();
    std::string end = " - while reading \"" + path_ + "\".";
    EXPECT_TRUE(message.ends_with(end)) << message;
    return message.substr(0, message.size() - end.size());
  }

private:
  std::string path_ = ::testing::TempDir() + std::to_string(getpid()) + ".gguf";
};

} // namespace vm::llm::test
