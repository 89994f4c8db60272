//===- Distinct.h - a claim that positions differ ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir::gpuvm {

/// On a scatter whose positions inside of the results all differ: each update
/// is the last one of its position.
inline constexpr llvm::StringLiteral kDistinctAttr = "gpuvm.distinct";

} // namespace mlir::gpuvm
