//===- ForwardPass.h - the layers of a language model as stages -*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/lowering/TensorOps.h"
#include "frontends/llm/model/Model.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

/// What a symbol of a tensor of the file is.
using SymbolTypes = llvm::StringMap<Type>;

/// Writes stages of a program. Keys and values of all positions so far are in
/// the symbols keyCache(l) and valueCache(l), of `cacheRows` rows each.
class ForwardPass {
public:
  /// With `halves`, products of many rows are of f16 and summed in f32.
  ForwardPass(gpuvm::ProgramBuilder &b, const vm::llm::Model &model,
              const SymbolTypes &types, int64_t cacheRows, bool halves)
      : b(b), ops(b), model(model), types(types), cacheRows(cacheRows),
        halves(halves) {}

  static std::string keyCache(uint32_t layer);
  static std::string valueCache(uint32_t layer);
  RankedTensorType cacheType() const;

  /// The residual stream after all layers, a message, for `tokens` at
  /// `position` and those that follow it: tensor<i32>, or tensor<R x i32>.
  Value layers(Value tokens, Value position);

  /// In the body of a stage: the stream as the head reads it.
  Value states(Value stream) { return normalize("output_norm.weight", stream); }
  /// ... and a score for each token of the vocabulary.
  Value logits(Value stream);

private:
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
  void append(Value x, StringRef cache, Value position);
  Value attend(uint32_t layer, Value query, Value keys);
  Value embed(Value tokens);
  SmallVector<Value> anglesOf(const vm::llm::Angles &angles, Value position);
  Value feedForward(uint32_t layer, Value stream);

  gpuvm::ProgramBuilder &b;
  TensorOps ops;
  const vm::llm::Model &model;
  const SymbolTypes &types;
  int64_t cacheRows;
  bool halves;
  std::optional<int64_t> rows; ///< Of the pass that is being written.
};

} // namespace mlir::llm
