//===- ForwardPass.h - the layers of a language model as stages -*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/lowering/KeyValueCache.h"
#include "frontends/llm/lowering/Regulator.h"
#include "frontends/llm/lowering/TensorOps.h"
#include "frontends/llm/model/Model.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

/// What a symbol of a tensor of the file is.
using SymbolTypes = llvm::StringMap<Type>;

/// Writes stages of a program. Keys and values of all positions so far are in
/// the caches keyCache(l) and valueCache(l).
class ForwardPass {
public:
  /// With `halves`, products of many rows are of f16 and summed in f32.
  ForwardPass(gpuvm::ProgramBuilder &b, const vm::llm::Model &model,
              const SymbolTypes &types, const CacheLayout &caches, bool halves)
      : b(b), ops(b), model(model), types(types), caches(caches),
        cache(b, caches, model.cacheHeads, model.headSize), halves(halves) {}

  /// The symbols of the caches of all layers.
  void declareCaches();

  static std::string keyCache(uint32_t layer);
  static std::string valueCache(uint32_t layer);
  RankedTensorType pagesType() const;

  /// The residual stream after all layers, a message, for `tokens`:
  /// tensor<i32>, or tensor<R x i32>. With one `position` they are at this one
  /// and those that follow it, in the sequence at `place` (null: there is only
  /// one). With positions of their own, one for each place, each is of another
  /// sequence; at a negative one the row changes no cache.
  Value layers(Value tokens, Value position, Value place = {});

  /// In the body of a stage: the stream as the head reads it.
  Value states(Value stream) { return normalize("output_norm.weight", stream); }
  /// ... and a score for each token of the vocabulary.
  Value logits(Value stream);

  /// Has norms of attention kept in a band from now on.
  void setRegulator(Regulator *regulator) { ownRegulator = regulator; }
  Regulator *regulator() const { return ownRegulator; }

private:
  /// Rows of a sequence.
  int64_t rowsOfEach() const { return rows.value_or(1) / sequences; }
  /// The first dimension of what there is for each row, if there are rows.
  Shape withRows(ArrayRef<int64_t> shape) const;
  std::string row(StringRef loops) const;

  /// The stream, to be normalized with the weights of that name.
  struct Normalized {
    Value stream;
    std::string weights;
  };

  Value matrix(StringRef name);
  Value vector(StringRef name);
  Value multiply(StringRef name, Value x);
  Value multiplyRows(StringRef loops, Value matrix, Value x);
  Value normalize(StringRef name, Value x);
  SmallVector<Value> multiply(StringRef loops, ArrayRef<Value> matrices,
                              const Normalized &x);
  Value normalizeHeads(StringRef name, Value x, int64_t heads);
  Value sumOfSquares(Value x, StringRef loops, StringRef rest);
  std::pair<Value, Value> rotate(Value x, Value y, Value cosine, Value sine);
  Value joinPairs(Value x, Value y, int64_t heads);
  /// Queries or keys of a layer, rotated.
  Value rotated(uint32_t layer, StringRef part, const Normalized &x,
                int64_t heads, Value cosine, Value sine);
  Value project(uint32_t layer, StringRef part, const Normalized &x);
  Value attend(uint32_t layer, Value query, Value keys, Value first,
               Value place);
  SmallVector<Value> projectOutput(uint32_t layer, Value x);
  Value embed(Value tokens);
  Value positionsOfRows(Value position);
  Value pagesOf(Value place);
  Value slotsOf(Value positions, Value place);
  SmallVector<Value> anglesOf(const vm::llm::Angles &angles, Value positions);
  Value feedForward(uint32_t layer, Value stream);

  gpuvm::ProgramBuilder &b;
  TensorOps ops;
  const vm::llm::Model &model;
  const SymbolTypes &types;
  CacheLayout caches;
  KeyValueCache cache;
  bool halves;
  Regulator *ownRegulator = nullptr;
  // Of the pass that is being written.
  std::optional<int64_t> rows;
  int64_t sequences = 1; ///< Of these rows.
};

} // namespace mlir::llm
