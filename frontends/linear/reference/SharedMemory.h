//===- SharedMemory.h - shared memory of machines -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "runtime/base/Status.h"

#include <vector>

namespace vm::linear {

/// All buffers as one array, those of kind `in` first.
class SharedMemory {
public:
  /// With the inputs of run(). `program` must live longer.
  static Result<SharedMemory>
  create(const Program &program, const std::vector<std::vector<float>> &inputs);

  float &operator[](uint32_t address) { return words_[address]; }
  const float &operator[](uint32_t address) const { return words_[address]; }
  uint32_t size() const { return static_cast<uint32_t>(words_.size()); }
  uint32_t inputWords() const { return inputWords_; }

  /// Into Program::buffers.
  uint32_t bufferOf(uint32_t address) const;
  std::vector<std::vector<float>> buffers() const;

private:
  explicit SharedMemory(const Program &program);

  const Program *program_;
  std::vector<float> words_;
  uint32_t inputWords_ = 0;      ///< Those of kind `in`.
  std::vector<uint32_t> byBase_; ///< Buffers by ascending base.
};

/// What the machines of a launch may touch.
class AccessRights {
public:
  AccessRights(const Program &program, const Launch &launch);

  bool mayRead(const SharedMemory &memory, uint32_t address) const {
    return !isLimited_ || readable_[memory.bufferOf(address)];
  }
  bool mayWrite(const SharedMemory &memory, uint32_t address) const {
    return address >= memory.inputWords() &&
           (!isLimited_ || writable_[memory.bufferOf(address)]);
  }

private:
  bool isLimited_;
  std::vector<bool> readable_, writable_; ///< By buffer.
};

} // namespace vm::linear
