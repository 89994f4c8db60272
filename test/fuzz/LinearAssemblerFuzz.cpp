//===- LinearAssemblerFuzz.cpp - any text through the assembler -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text of the linear-algebra VM that is refused has an error with a place. A
// program must be sound, and its disassembly the same program.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Check.h"
#include "frontends/linear/executable/Disassembler.h"
#include "frontends/linear/executable/Executable.h"
#include "frontends/linear/text/Assembler.h"

#include <cstdlib>

using namespace vm;
using namespace vm::linear;

static void require(bool condition) {
  if (!condition)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Result<Program> program = assemble(text, "x");
  if (!program.ok()) {
    require(program.status().code() == Code::BadInput);
    require(program.status().message().starts_with("x:"));
    require(program.status().message().size() < 16384);
    return 0;
  }
  require(checkProgram(*program).ok());
  Result<Program> back = assemble(disassemble(*program), "x");
  require(back.ok() && writeExecutable(*back) == writeExecutable(*program));
  return 0;
}
