//===- StopTable.h - stop strings for the device ----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm::llm {

/// symbols::kStopTable, and symbols::kStopState at the begin of an answer that
/// stops, and of one that does not.
struct StopTable {
  std::vector<int32_t> words;
  int32_t start = 0, never = 0;
};

/// Of strings in the text that tokens say; nothing if there is no room for
/// them.
std::optional<StopTable> makeStopTable(std::span<const std::string> stops,
                                       std::span<const std::string> tokens);

} // namespace vm::llm
