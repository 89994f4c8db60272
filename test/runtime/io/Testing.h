//===- Testing.h - helpers of the io tests -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder that lives for one test, and tensors from plain values.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/io/HostTensor.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace vm::test {

/// A fresh folder, removed with all it holds.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gpuvm-io-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string &name) const {
    return (path_ / name).string();
  }
  size_t numFiles() const {
    std::filesystem::directory_iterator begin(path_), end;
    return static_cast<size_t>(std::distance(begin, end));
  }

private:
  std::filesystem::path path_;
};

inline std::vector<uint8_t> readBytes(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeBytes(const std::string &path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename T>
HostTensor tensorOf(DType dtype, std::vector<int64_t> shape,
                    std::vector<T> values) {
  HostTensor tensor{dtype, std::move(shape), {}};
  tensor.bytes.resize(values.size() * sizeof(T));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

} // namespace vm::test
