//===- GgufFile.h - a model as llama.cpp stores it ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata by key, tensors by name. Opening a file reads what precedes the data
// of tensors; the data stays in the file, from where vm_bind_file takes it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgufHead.h"

namespace vm::llm {

/// A GGUF file of version 2 or 3, little-endian. Not thread-safe; movable.
class GgufFile {
public:
  /// BadInput with a sentence about the first thing that is wrong.
  static Result<GgufFile> open(const std::string &path);

  const std::string &path() const { return path_; }
  uint64_t sizeBytes() const { return file_.sizeBytes(); }
  uint32_t version() const { return head_.version; }
  /// Of each tensor's offset, from where data begins.
  uint32_t alignment() const { return head_.alignment; }

  /// What precedes the data of tensors.
  std::span<const uint8_t> headBytes() const { return head_.bytes; }

  /// All of the metadata, in the order of the file.
  const std::vector<GgufEntry> &entries() const { return head_.entries; }
  /// Null if there is no such key.
  const GgufEntry *find(std::string_view key) const;

  // The value of a key. BadInput, with the key and what is there, if there is
  // no such key or its value is of another type. Strings are any bytes; views
  // are valid as long as this file.

  /// Of any type of integers, at least 0.
  Result<uint64_t> uintOf(std::string_view key) const;
  /// f32 or f64.
  Result<double> floatOf(std::string_view key) const;
  Result<bool> boolOf(std::string_view key) const;
  Result<std::string_view> stringOf(std::string_view key) const;
  /// Of any type of integers, at most INT64_MAX each.
  Result<std::vector<int64_t>> intsOf(std::string_view key) const;
  Result<std::vector<double>> floatsOf(std::string_view key) const;
  Result<std::vector<bool>> boolsOf(std::string_view key) const;
  Result<std::vector<std::string_view>> stringsOf(std::string_view key) const;

  /// In the order of the file.
  const std::vector<GgufTensor> &tensors() const { return head_.tensors; }
  /// Null if there is no such tensor.
  const GgufTensor *findTensor(std::string_view name) const;
  /// Fills `bytes`, as many as the tensor has.
  Status readTensor(const GgufTensor &tensor, std::span<uint8_t> bytes) const;

private:
  GgufFile(std::string path, InputFile file, GgufHead head)
      : path_(std::move(path)), file_(std::move(file)), head_(std::move(head)) {
  }

  Status refuse(std::string message) const;
  /// The entry of `key`, if its values are of a type that is wanted.
  Result<const GgufEntry *> require(std::string_view key, bool isArray,
                                    bool (*isWanted)(GgufType),
                                    const char *wanted) const;
  /// The bytes of a number.
  std::span<const uint8_t> numberAt(const GgufEntry &entry,
                                    uint64_t index) const;

  std::string path_;
  InputFile file_;
  GgufHead head_;
};

} // namespace vm::llm
