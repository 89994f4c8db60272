//===- GgufDump.cpp - prints what a GGUF file holds -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   gpuvm_gguf_dump FILE...
//
// A line for each file, key and tensor; check_gguf.py compares them. Strings
// and the bits of floats are hexadecimal; of a tensor's data, its last bytes.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/gguf/GgufFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdio>

using namespace vm;
using namespace vm::llm;

static std::string hex(std::string_view bytes) {
  return fmt::format(
      "\"{:02x}\"",
      fmt::join(std::span(reinterpret_cast<const uint8_t *>(bytes.data()),
                          bytes.size()),
                ""));
}

static std::string show(uint64_t value) { return std::to_string(value); }
static std::string show(int64_t value) { return std::to_string(value); }
static std::string show(bool value) { return value ? "true" : "false"; }
static std::string show(std::string_view value) { return hex(value); }
static std::string show(double value) {
  return fmt::format("{:016x}", std::bit_cast<uint64_t>(value));
}

template <typename T> static std::string show(const std::vector<T> &values) {
  std::string line;
  for (size_t i = 0; i < values.size(); ++i)
    line += (i ? " " : "") + show(T(values[i]));
  return line;
}

/// The value of the one getter that has one.
static std::string showValue(const GgufFile &file, const std::string &key) {
  std::string shown;
  auto take = [&](const auto &value) {
    if (value.ok())
      shown = show(*value);
  };
  take(file.uintOf(key));
  take(file.floatOf(key));
  take(file.boolOf(key));
  take(file.stringOf(key));
  take(file.intsOf(key));
  take(file.floatsOf(key));
  take(file.boolsOf(key));
  take(file.stringsOf(key));
  return shown;
}

static Status dump(const std::string &path) {
  auto file = GgufFile::open(path);
  if (!file.ok())
    return file.status();
  fmt::print("file {} {}\n", file->version(), file->alignment());
  for (const GgufEntry &entry : file->entries())
    fmt::print("key {} {}{} {}\n", entry.key, nameOf(entry.type),
               entry.isArray ? "[]" : "", showValue(*file, entry.key));
  for (const GgufTensor &tensor : file->tensors()) {
    std::vector<uint8_t> bytes(tensor.sizeBytes);
    VM_RETURN_IF_ERROR(file->readTensor(tensor, bytes));
    std::span<const uint8_t> last = bytes;
    last = last.last(std::min<size_t>(bytes.size(), 16));
    fmt::print("tensor {} {} {} {} {} {:02x}\n", tensor.name,
               nameOf(tensor.type), fmt::join(tensor.shape, "x"), tensor.offset,
               tensor.sizeBytes, fmt::join(last, ""));
  }
  return {};
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; ++i)
    if (Status status = dump(arguments[i]); !status.ok()) {
      fmt::print(stderr, "{}\n", status.message());
      return static_cast<int>(status.code());
    }
  return 0;
}
