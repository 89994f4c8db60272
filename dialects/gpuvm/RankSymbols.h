//===- RankSymbols.h - what a lowered program knows of ranks ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpuvm.rank and gpuvm.num_ranks are lowered to loads of two control symbols of
// type tensor<i32>. The runtime and the interpreter set them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir::gpuvm {

inline constexpr llvm::StringLiteral kRankSymbol = "%rank";
inline constexpr llvm::StringLiteral kRanksSymbol = "%ranks";

} // namespace mlir::gpuvm
