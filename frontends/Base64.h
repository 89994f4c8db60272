//===- Base64.h - bytes as printable characters ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace vm {

/// RFC 4648 section 4: the standard alphabet, padded, without line breaks.
std::string encodeBase64(std::string_view bytes);

/// The bytes of just what encodeBase64 writes. Otherwise nothing, and
/// `badOffset` is where the text stops being that.
std::optional<std::string> decodeBase64(std::string_view text,
                                        size_t &badOffset);

} // namespace vm
