//===- Executable.cpp - programs as files of words ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header (magic, version, length, hash of the rest), then sections, each with
// its length. What follows from the program is checked by writing it anew: a
// file that differs from what its program is written as lies.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Executable.h"

#include "frontends/linear/executable/Check.h"
#include "frontends/linear/executable/ExecutableFields.h"
#include "frontends/linear/matrices/Statistics.h"
#include "runtime/base/InputFile.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

namespace vm::linear {

/// 0x89 catches tools that strip the eighth bit, the line ends those that
/// translate text (PNG specification, section 5.2).
static constexpr uint8_t kMagic[8] = {0x89, 'G',  'V',  'L',
                                      '\r', '\n', 0x1A, '\n'};
/// Magic, version, an unused word, bytes of the file, hash.
static constexpr size_t kHeaderBytes = 32;
static constexpr size_t kVersionAt = 8, kUnusedAt = 12, kBytesAt = 16,
                        kHashAt = 24;

static uint64_t load(std::span<const uint8_t> bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= uint64_t(bytes[at + i]) << (8 * i);
  return value;
}

static void store(std::span<uint8_t> bytes, size_t at, size_t size,
                  uint64_t value) {
  for (size_t i = 0; i < size; ++i)
    bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

static uint64_t hashOf(std::span<const uint8_t> bytes) {
  std::span<const uint8_t> rest = bytes.subspan(kHeaderBytes);
  return XXH3_64bits(rest.data(), rest.size());
}

//===--- Writing ----------------------------------------------------------===//

static ArchiveWriter writeAll(const Program &program) {
  ArchiveWriter archive;
  archive.bytes().resize(kHeaderBytes);
  transferProgram(archive, program);
  writeFacts(archive, findFacts(program));
  writeTables(archive, buildTables(program));
  archive.section("statistics",
                  [&] { archive.text("statistics", statisticsJson(program)); });
  std::span<uint8_t> bytes = archive.bytes();
  std::copy(std::begin(kMagic), std::end(kMagic), bytes.begin());
  store(bytes, kVersionAt, 4, kExecutableVersion);
  store(bytes, kBytesAt, 8, bytes.size());
  store(bytes, kHashAt, 8, hashOf(bytes));
  return archive;
}

std::vector<uint8_t> writeExecutable(const Program &program) {
  return std::move(writeAll(program).bytes());
}

//===--- Reading ----------------------------------------------------------===//

bool isExecutable(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof(kMagic) &&
         std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin());
}

static Status checkHeader(std::span<const uint8_t> bytes) {
  if (!isExecutable(bytes))
    LINEAR_REFUSE("Byte 0, field \"magic\": the file does not begin as an "
                  "executable does.");
  if (bytes.size() < kHeaderBytes)
    LINEAR_REFUSE("Byte {}, field \"header\": the file has {} bytes, its "
                  "header {}.",
                  bytes.size(), bytes.size(), kHeaderBytes);
  uint64_t version = load(bytes, kVersionAt, 4);
  if (version != kExecutableVersion)
    LINEAR_REFUSE("Byte {}, field \"version\": the version is {}; this program "
                  "reads version {}.",
                  kVersionAt, version, kExecutableVersion);
  if (load(bytes, kUnusedAt, 4) != 0)
    LINEAR_REFUSE("Byte {}, field \"unused\": it is {}, not 0.", kUnusedAt,
                  load(bytes, kUnusedAt, 4));
  uint64_t size = load(bytes, kBytesAt, 8);
  if (size != bytes.size())
    LINEAR_REFUSE("Byte {}, field \"bytes\": the file has {} bytes, not {}.",
                  kBytesAt, bytes.size(), size);
  if (load(bytes, kHashAt, 8) != hashOf(bytes))
    LINEAR_REFUSE("Byte {}, field \"hash\": the contents have another hash.",
                  kHashAt);
  return {};
}

/// Compares what follows from the program.
static Status checkDerived(std::span<const uint8_t> bytes,
                           const Program &program) {
  ArchiveWriter right = writeAll(program);
  auto differs =
      std::ranges::mismatch(bytes.subspan(kHeaderBytes),
                            std::span(right.bytes()).subspan(kHeaderBytes));
  size_t at = differs.in1 - bytes.begin();
  if (at == bytes.size() && at == right.bytes().size())
    return {};
  const char *name = "";
  for (const ArchiveWriter::Section &section : right.sections())
    if (section.at <= at)
      name = section.name;
  LINEAR_REFUSE("Byte {}, section \"{}\": it is not what follows from the "
                "program.",
                at, name);
}

static Status read(std::span<const uint8_t> bytes, Program &program) {
  VM_RETURN_IF_ERROR(checkHeader(bytes));
  ArchiveReader archive(bytes, kHeaderBytes);
  transferProgram(archive, program);
  VM_RETURN_IF_ERROR(archive.status());
  VM_RETURN_IF_ERROR(checkProgram(program));
  return checkDerived(bytes, program);
}

Result<Program> readExecutable(std::span<const uint8_t> bytes,
                               const std::string &file) {
  Program program;
  program.file = file;
  Status status = read(bytes, program);
  if (!status.ok())
    return status.withContext(fmt::format("reading \"{}\"", file));
  return program;
}

Result<Program> readExecutableFile(const std::string &path) {
  std::string context = fmt::format("reading \"{}\"", path);
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(context);
  Result<std::vector<uint8_t>> bytes = allocateBytes(file->sizeBytes());
  if (!bytes.ok())
    return bytes.status().withContext(context);
  Status status = file->readAt(0, *bytes);
  if (!status.ok())
    return status.withContext(context);
  return readExecutable(*bytes, path);
}

} // namespace vm::linear
