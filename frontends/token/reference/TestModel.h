//===- TestModel.h - the model that the specification defines for tests ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its proposals depend on a hash of the whole raw stream, so a model that
// missed a token or saw one too many is found out.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"

namespace vm::token {

/// The state of the test model of one stream.
class TestModelState {
public:
  TestModelState(uint32_t seed, uint32_t stream);

  /// Its next proposal; moves the phrase it is in.
  int32_t propose(const TestModel &model);
  void observe(int32_t token);

  uint32_t hash() const { return hash_; }

private:
  uint32_t hash_ = 0;
  int32_t phrase_ = -1; ///< -1 = none.
  uint32_t at_ = 0;     ///< The next token of the phrase.
};

} // namespace vm::token
