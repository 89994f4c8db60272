//===- TextCodec.cpp - between texts and tokens ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/TextCodec.h"

#include "frontends/Utf8.h"

using namespace vm;
using namespace vm::token;

std::string TextCodec::decode(const std::vector<int32_t> &tokens) const {
  std::string text;
  for (int32_t token : tokens)
    text += bytes(token);
  return toUtf8(text);
}

std::string TextCodec::decode(const std::vector<TokenPart> &tokens) const {
  std::string text;
  for (const TokenPart &part : tokens)
    text.append(bytes(part.token), 0, size_t(part.bytes));
  return toUtf8(text);
}
