//===- TestModel.cpp - the model that the specification defines for tests -===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/TestModel.h"

using namespace vm::token;

namespace {

/// The finalizer of MurmurHash3.
uint32_t fmix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  return h ^ (h >> 16);
}

} // namespace

TestModelState::TestModelState(uint32_t seed, uint32_t stream)
    : hash_(fmix(seed ^ fmix(stream + 0x9E3779B9u))) {}

void TestModelState::observe(int32_t token) {
  hash_ = fmix((hash_ ^ uint32_t(token)) + 0x9E3779B9u);
}

int32_t TestModelState::propose(const TestModel &model) {
  if (phrase_ < 0) {
    uint32_t random = fmix(hash_ ^ 0x5BD1E995u);
    if (int32_t(random & 255) >= model.weight || model.phrases.empty())
      return model.fillers[(random >> 8) % model.fillers.size()];
    phrase_ = int32_t((random >> 8) % model.phrases.size());
    at_ = 0;
  }
  const std::vector<int32_t> &phrase = model.phrases[phrase_];
  int32_t token = phrase[at_++];
  if (at_ == phrase.size())
    phrase_ = -1;
  return token;
}
