//===- LinearTesting.h - programs for tests of the linear-algebra VM ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/executable/Check.h"
#include "frontends/linear/text/Assembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace vm::linear::test {

/// The program of a text that has no mistake, which passes its check.
inline Program mustAssemble(const std::string &text) {
  Result<Program> program = assemble(text, "test.lvm");
  if (!program.ok()) {
    ADD_FAILURE() << program.status().message() << "\n" << text;
    return {};
  }
  Status status = checkProgram(*program);
  EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
  return std::move(*program);
}

/// A program of the instructions `lines`, which HALT follows.
inline std::string wrap(const std::string &lines) {
  return ".routine main\n" + lines + "\nHALT\n.phase p\nrun main 1\n";
}

/// One of everything that a text can say.
inline const char *const kAllOfIt = R"(# All directives, and some labels.
.program everything
.state f16
  .stack DEPTH
.budget 2147483647
.tolerance 1e-4
.threshold 0.12
.buffer late 5 out
.buffer first 3 in
.const DEPTH 200

.routine main
  ADD r0, r1, r2
a:
b: .buffer between 2 inout
c: SUB r3, r2, r1   # three labels
  MOV r0, r3
  SETI r1, -1.5e-3
  LOAD r2, m15
  STORE r3, 0
  COPY m1, m2
  CLEAR r0
  NEG r1, r2
  SCALE r1, r2, nan
  MUL r0, r1, r2
  DIV r0, r1, r2
  MOD r0, r1, r2
  CMP r0, r1, r2
  MIN r0, r1, r2
  MAX r0, r1, r2
  ABS r0, r1
  SQRT r0, r1
  SIN r0, r1
  COS r0, r1
  MULI r0, r1, -inf
  DIVI r0, r1, 3
  MODI r0, r1, .5
  CMPI r0, r1, -0.0
  JUMP b
.routine other
  READ r0, r1
  WRITE r0, r1
  VMID r0
  YIELD
  WAIT r2, r3
  SPAWN main, r0
  SPAWN 3, r0
back: BRANCH_EQ r0, back
  BRANCH_NE r0, 25
  BRANCH_LT r0, back
  BRANCH_GT r0, back
  BRANCH_LE r0, back
  BRANCH_GE r0, back
  CALL main
  CALL back
  CALL 7
  RETURN r0, r3
  RETURN
  KILL
.buffer last 1 temp
.phase one spawn=7 budget=4000 independent
run other 3 r2=1.5 m7=base(late) 0=size(first)
run main 2
.flow two budget=9
run main 1 writes=late
run main 1 reads=first
run other 5 reads=late,first writes=last

run main 1 reads=last
.phase three
run main 1 reads=first writes=late
)";

inline std::vector<std::string> examplePaths() {
  std::vector<std::string> paths;
  for (const auto &entry :
       std::filesystem::directory_iterator(GPUVM_LINEAR_EXAMPLES))
    if (entry.path().extension() == ".lvm")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  EXPECT_GE(paths.size(), 6u);
  return paths;
}

} // namespace vm::linear::test
