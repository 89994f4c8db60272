//===- LinearExecutableFuzz.cpp - any bytes through the executable reader -===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash would stop nearly every mutation at the door, so the mutator puts it
// right. Nearly every mutation of the program then lies about what follows from
// it, so a program's fields are judged alone as well. An executable that is
// accepted is what its program is written as, and its text assembles to the
// same bytes.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Check.h"
#include "frontends/linear/executable/Disassembler.h"
#include "frontends/linear/executable/Executable.h"
#include "frontends/linear/executable/ExecutableFields.h"
#include "frontends/linear/text/Assembler.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace vm;
using namespace vm::linear;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

constexpr size_t kHeaderBytes = 32;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Lines make texts long.
static bool hasShortText(const Program &program) {
  constexpr uint32_t kMostLines = 1 << 16;
  uint32_t last = 0;
  for (const Phase &phase : program.phases)
    for (const Launch &launch : phase.launches)
      last = std::max({last, phase.line, launch.line});
  for (uint32_t line : program.settingLines)
    last = std::max(last, line);
  for (const Buffer &buffer : program.buffers)
    last = std::max(last, buffer.line);
  if (!program.lines.empty())
    last = std::max(last, program.lines.back());
  return last <= kMostLines;
}

static void judge(const Program &program) {
  std::vector<uint8_t> bytes = writeExecutable(program);
  Result<Program> back = readExecutable(bytes, "x");
  require(back.ok() && writeExecutable(*back) == bytes);
  if (!hasShortText(program))
    return;
  Result<Program> text = assemble(disassemble(program), "x");
  require(text.ok() && writeExecutable(*text) == bytes);
}

/// What the reader does before it compares what follows from the program.
static void readFields(std::span<const uint8_t> bytes) {
  Program program;
  ArchiveReader archive(bytes, kHeaderBytes);
  transferProgram(archive, program);
  if (archive.status().ok() && checkProgram(program).ok())
    judge(program);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  Result<Program> program = readExecutable(bytes, "x");
  if (!program.ok()) {
    require(program.status().code() == Code::BadInput);
    require(program.status().message().ends_with('.'));
    require(program.status().message().size() < 16384);
    if (size >= kHeaderBytes)
      readFields(bytes);
    return 0;
  }
  std::vector<uint8_t> right = writeExecutable(*program);
  require(std::ranges::equal(right, bytes));
  judge(*program);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned) {
  size = LLVMFuzzerMutate(data, size, maxSize);
  if (size < kHeaderBytes)
    return size;
  uint64_t bytes = size;
  uint64_t hash = XXH3_64bits(data + kHeaderBytes, size - kHeaderBytes);
  const uint8_t start[12] = {0x89, 'G', 'V', 'L', '\r', '\n', 0x1A, '\n', 1};
  std::memcpy(data, start, sizeof(start));
  std::memcpy(data + 16, &bytes, 8);
  std::memcpy(data + 24, &hash, 8);
  return size;
}
