//===- HostileAssemblyTest.cpp - texts that are hostile ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/linear/LinearTesting.h"

#include <sstream>

using namespace vm;
using namespace vm::linear;
using namespace vm::linear::test;

/// Whatever a text is, it is refused with places or gives a sound program.
static void judge(const std::string &text) {
  Result<Program> program = assemble(text, "t.lvm");
  if (program.ok()) {
    Status status = checkProgram(*program);
    EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
  } else {
    EXPECT_TRUE(program.status().message().starts_with("t.lvm:"));
  }
}

TEST(HostileAssembly, TakesAnyPrefix) {
  std::string text = kAllOfIt;
  for (size_t size = 0; size <= text.size(); ++size)
    judge(text.substr(0, size));
}

TEST(HostileAssembly, TakesAnyByteAnywhere) {
  std::string text = kAllOfIt;
  for (size_t i = 0; i < text.size(); ++i)
    for (char c : {'\0', '\n', ' ', '#', ':', '.', ',', '=', '(', '-', '9', 'r',
                   '\xff'}) {
      std::string changed = text;
      changed[i] = c;
      judge(changed);
    }
}

TEST(HostileAssembly, TakesAnyLineAnywhere) {
  std::vector<std::string> lines;
  std::istringstream in(kAllOfIt);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line + "\n");
  for (size_t from = 0; from < lines.size(); ++from)
    for (size_t to = 0; to < lines.size(); ++to) {
      std::string text;
      for (size_t i = 0; i < lines.size(); ++i)
        text += i == to ? lines[from] : i == from ? "" : lines[i];
      judge(text);
    }
}

TEST(HostileAssembly, TakesLinesOfAnyLength) {
  std::string commas(10'000'000, ',');
  judge(wrap("ADD r0" + commas));
  judge(wrap("SETI r0, " + std::string(10'000'000, '1')));
  judge(wrap("SETI r0, 0." + std::string(10'000'000, '0') + "1e10000001"));
  judge(wrap(std::string(10'000'000, 'x') + ":"));
  judge(wrap(std::string(10'000'000, '(')));
  judge(std::string(3'000'000, '\n'));
}

TEST(HostileAssembly, TakesManyNamesAndLaunches) {
  std::string text = ".routine main\n";
  for (int i = 0; i < 100'000; ++i)
    text += "label" + std::to_string(i) + ": JUMP label" +
            std::to_string(99'999 - i) + "\n";
  text += ".flow f\n";
  for (int i = 0; i < 20'000; ++i) {
    text += ".buffer b" + std::to_string(i) + " 1 inout\n";
    text += "run main 1 writes=b" + std::to_string(i) + " reads=b" +
            std::to_string(i / 2) + "\n";
  }
  Program program = mustAssemble(text);
  EXPECT_EQ(program.instructions[0].operands[0], 99'999u);
  EXPECT_EQ(program.phases.size(), 16u); // 19999, 9999, 4999, .., 1, 0.
}

TEST(HostileAssembly, TakesManyMistakes) {
  std::string text;
  for (int i = 0; i < 300'000; ++i)
    text += "STROE r0, m1\n.bufer x 1 in\nrun x\nADD r9\n";
  judge(text);
  judge(wrap(text));
}
