//===- MergeTable.cpp - the merges of a file ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/MergeTable.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <bit>

using namespace vm;
using namespace vm::llm;

Result<MergeTable> MergeTable::create(const TokenTable &table,
                                      const std::vector<std::string> &merges) {
  MergeTable result;
  result.slots_.resize(std::bit_ceil(2 * merges.size() + 1));
  result.mask_ = result.slots_.size() - 1;
  for (size_t i = 0; i < merges.size(); ++i) {
    std::string_view text = merges[i];
    auto refuse = [&](const char *why) {
      return Status(Code::BadInput, fmt::format("Merge {} (\"{}\") {}.", i,
                                                printable(text), why));
    };
    size_t space = text.find(' ', 1); // A left token may be a space.
    if (space == std::string_view::npos || space + 1 == text.size())
      return refuse("is not two tokens with a space between them");
    std::string merged(text.substr(0, space));
    int32_t left = table.find(merged);
    int32_t right = table.find(text.substr(space + 1));
    merged += text.substr(space + 1);
    int32_t token = table.find(merged);
    if (left < 0 || right < 0 || token < 0)
      return refuse("is of tokens that are not in the vocabulary");
    if (!table.isText(token))
      continue; // No text makes a control token.
    uint64_t key = keyOf(left, right);
    size_t at = result.slotOf(key);
    while (result.slots_[at].merge.token >= 0 && result.slots_[at].key != key)
      at = (at + 1) & result.mask_;
    if (result.slots_[at].merge.token < 0)
      result.slots_[at] = {key, {uint32_t(i), token}};
  }
  return result;
}
