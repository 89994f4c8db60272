//===- KeyValueCache.h - keys or values of all positions --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row for each position, with the numbers of all heads: as f16, or in blocks
// of 32 numbers of 8 bits with a scale of f16 (ggml's q8_0).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/lowering/Lowering.h"
#include "frontends/llm/lowering/TensorOps.h"

namespace mlir::llm {

/// How the keys and values of sequences are kept.
struct CacheLayout {
  int64_t rows;       ///< Of each symbol.
  int64_t places = 1; ///< Sequences.
  /// Several have pages of kPageRows rows. The symbol kPages has their numbers,
  /// `pages` of each sequence, negative where there is none.
  int64_t pages = 0;
  CacheType type = CacheType::F16;
};

/// Caches of one shape; each has a name. Blocks have two symbols: the numbers,
/// of the cache's name, and the scales.
class KeyValueCache {
public:
  KeyValueCache(gpuvm::ProgramBuilder &b, const CacheLayout &layout,
                int64_t heads, int64_t headSize)
      : b(b), ops(b), layout(layout), heads(heads), headSize(headSize) {}

  void declare(const std::string &name);

  // In the body of a stage.

  /// Stores `count` rows of f32. `slots`: where each is; of a single sequence
  /// where the first is. Those that are outside of the cache are not stored.
  void store(Value x, int64_t count, const std::string &name, Value slots);
  /// The rows of each head, of f16 or f32; blocks are decoded where that is
  /// read.
  /// `pages`: the pages of one sequence or several, one after the other; null:
  /// all rows.
  Value load(const std::string &name, Value pages, int64_t sequences);

private:
  Type elementType() const;
  bool hasBlocks() const { return layout.type == CacheType::Q8_0; }
  int64_t width() const { return heads * headSize; }
  int64_t blocks() const { return width() / kCacheBlock; }
  RankedTensorType numbersType() const;
  RankedTensorType scalesType() const;
  void storeBlocks(Value x, int64_t count, const std::string &name,
                   Value slots);
  Value decode(Value numbers, Value scales);
  Value pagesOf(Value all, Value pages);

  gpuvm::ProgramBuilder &b;
  TensorOps ops;
  CacheLayout layout;
  int64_t heads, headSize;
};

} // namespace mlir::llm
