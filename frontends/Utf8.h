//===- Utf8.h - bytes that ought to be UTF-8 ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens are pieces of texts, so what a stream says may begin or end inside a
// character.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>
#include <string_view>

namespace vm {

bool isUtf8(std::string_view bytes);

/// The text with each maximal part of a character, and each byte that begins
/// none, replaced by U+FFFD, as the decoder of the WHATWG Encoding Standard
/// (section 8.1.1) does it. A byte order mark is kept.
std::string toUtf8(std::string_view bytes);

/// The same of a text that comes in pieces: a character that may go on in the
/// next piece is held.
class Utf8Stream {
public:
  std::string push(std::string_view bytes);

  /// What is left of a text that ends within a character.
  std::string finish();

private:
  std::string tail_;
};

} // namespace vm
