//===- IntegerRange.h - grammars of integers within bounds ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string>

namespace vm::llm {

/// Integers of JSON that a grammar makes have 16 digits at most.
inline constexpr int64_t kLargestInteger = 9'999'999'999'999'999;

/// An expression of GBNF for the decimal integers from `least` to `most`, both
/// within the largest one of either sign, and `least` the smaller one.
std::string gbnfOfIntegers(int64_t least, int64_t most);

} // namespace vm::llm
