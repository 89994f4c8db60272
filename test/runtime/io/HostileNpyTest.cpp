//===- HostileNpyTest.cpp - every hostile .npy gets its message ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// test/hostile/npy holds the files and messages.txt, one `name: message` a line
// (generate.py makes both). A file without a line, or a line without a file,
// fails as well.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/io/Testing.h"

#include <gtest/gtest.h>
#include <map>

using namespace vm;
using namespace vm::test;

static const std::filesystem::path kFolder = GPUVM_HOSTILE_NPY;

static std::map<std::string, std::string> readMessages() {
  std::map<std::string, std::string> messages;
  std::ifstream in(kFolder / "messages.txt");
  for (std::string line; std::getline(in, line);) {
    size_t colon = line.find(": ");
    messages[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return messages;
}

TEST(HostileNpy, EveryFileHasAMessage) {
  std::map<std::string, std::string> messages = readMessages();
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".npy")
      continue;
    ++files;
    EXPECT_EQ(messages.count(entry.path().stem()), 1u) << entry.path();
  }
  EXPECT_EQ(files, messages.size());
  EXPECT_GE(files, 40u);
}

class HostileNpy
    : public testing::TestWithParam<std::pair<const std::string, std::string>> {
};

TEST_P(HostileNpy, GetsItsMessage) {
  const auto &[name, message] = GetParam();
  std::string path = (kFolder / (name + ".npy")).string();

  Result<HostTensor> parsed = parseNpy(readBytes(path));
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().message(), message);
  EXPECT_EQ(parsed.status().code(), Code::BadInput);

  Result<HostTensor> read = readNpy(path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message(), message.substr(0, message.size() - 1) +
                                         " - while reading \"" + path + "\".");
}

static std::string
caseName(const testing::TestParamInfo<HostileNpy::ParamType> &info) {
  std::string name = info.param.first;
  for (char &c : name)
    c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, HostileNpy, testing::ValuesIn(readMessages()),
                         caseName);
