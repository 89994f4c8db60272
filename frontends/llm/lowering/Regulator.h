//===- Regulator.h - norms of attention kept in a band ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/lowering/Lowering.h"
#include "frontends/llm/lowering/TensorOps.h"

namespace mlir::llm {

/// Scales what attention finds where its norm, the root of the mean square of
/// all heads' results, is out of a band, and counts that in metrics of each
/// layer. What is in the band is multiplied by 1.
class Regulator {
public:
  Regulator(gpuvm::ProgramBuilder &b, uint32_t layers, const NormBand &band)
      : b(b), ops(b), layers(layers), band(band) {}

  void addMetrics();

  /// In a body: what to multiply results of these norms by.
  Value scalesOf(Value norms);

  /// A pass begins; in it, each layer has the norms of its rows, a message.
  void beginPass() { norms.clear(); }
  void add(Value message) { norms.push_back(message); }
  /// After the pass: a stage that writes the metrics. The rows of a chunk are
  /// tokens from `begin` on, and count up to `end`.
  void reportChunk(Value begin, Value end);
  /// Rows count if `positions` has none below 0 for them; without it all do.
  void reportSteps(Value positions = {});

private:
  /// Words for each row or for all, and whether row number e[0] counts where
  /// these are e[1].
  using Counts = function_ref<gpuvm::Expr(const gpuvm::Expr &row,
                                          const gpuvm::Expr &word)>;
  void report(ValueRange inputs, function_ref<Value(ValueRange)> wordOf,
              Counts counts);

  gpuvm::ProgramBuilder &b;
  TensorOps ops;
  uint32_t layers;
  NormBand band;
  SmallVector<Value> norms;
};

} // namespace mlir::llm
