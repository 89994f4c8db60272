//===- GgufFuzz.cpp - any bytes through the GGUF reader -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is accepted must be sound: each key and tensor is found by its
// name, each value is of one type, and tensors are apart and in the file.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/gguf/GgufFile.h"

#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

using namespace vm;
using namespace vm::llm;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// The path of a file in memory with these bytes, until the next call.
static std::string place(std::span<const uint8_t> bytes) {
  static const int fd = memfd_create("gguf", 0);
  require(fd >= 0 && ftruncate(fd, 0) == 0);
  require(pwrite(fd, bytes.data(), bytes.size(), 0) ==
          static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(fd);
}

static void requireSentence(const Status &status) {
  require(status.code() == Code::BadInput);
  require(status.message().ends_with("\"."));
  require(status.message().size() < 1024);
}

/// Whether there is a value; if not, it is said why.
template <typename T> static bool has(const Result<T> &value) {
  if (!value.ok())
    requireSentence(value.status());
  return value.ok();
}

static void judge(const GgufFile &file, const GgufEntry &entry) {
  const std::string &key = entry.key;
  require(file.find(key) == &entry);
  bool isUint = has(file.uintOf(key)), isFloat = has(file.floatOf(key)),
       isBool = has(file.boolOf(key)), isString = has(file.stringOf(key));
  auto ints = file.intsOf(key);
  auto floats = file.floatsOf(key);
  auto bools = file.boolsOf(key);
  auto strings = file.stringsOf(key);
  int lists = has(ints) + has(floats) + has(bools) + has(strings);
  require(isUint + isFloat + isBool + isString + lists <= 1);
  require(lists == 0 || entry.isArray);
  require(!ints.ok() || ints->size() == entry.count);
  require(!floats.ok() || floats->size() == entry.count);
  require(!bools.ok() || bools->size() == entry.count);
  require(!strings.ok() || strings->size() == entry.count);
  for (size_t i = 0; strings.ok() && i < strings->size(); ++i)
    require((*strings)[i].size() < file.sizeBytes());
}

static void judge(const GgufFile &file, const GgufTensor &tensor) {
  require(file.findTensor(tensor.name) == &tensor);
  require(!tensor.shape.empty() && tensor.shape.size() <= kMaxDimensions);
  GgmlBlock block = blockOf(tensor.type);
  uint64_t blocks = tensor.shape.back() / block.elements;
  for (size_t i = 0; i + 1 < tensor.shape.size(); ++i)
    blocks *= tensor.shape[i];
  require(tensor.sizeBytes == blocks * block.bytes);
  std::vector<uint8_t> bytes(tensor.sizeBytes);
  require(file.readTensor(tensor, bytes).ok());
  for (const GgufTensor &other : file.tensors())
    require(&other == &tensor ||
            other.offset + other.sizeBytes <= tensor.offset ||
            tensor.offset + tensor.sizeBytes <= other.offset);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<GgufFile> file = GgufFile::open(place({data, size}));
  if (!file.ok()) {
    requireSentence(file.status());
    return 0;
  }
  for (const GgufEntry &entry : file->entries())
    judge(*file, entry);
  for (const GgufTensor &tensor : file->tensors())
    judge(*file, tensor);
  return 0;
}
