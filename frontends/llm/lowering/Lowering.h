//===- Lowering.h - from a language model to programs of gpuvm --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/model/Model.h"
#include "frontends/llm/model/Symbols.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace mlir::llm {

/// What keys and values are kept as.
enum class CacheType {
  F16,
  F32,
  Q8_0, ///< Blocks of kCacheBlock numbers of 8 bits, each with a scale of f16.
};
inline constexpr int64_t kCacheBlock = 32;

/// Norms of attention: from `low` on, up to `high`.
struct NormBand {
  float low = 0, high = 0;
};

struct ModelOptions {
  uint32_t context = 2048; ///< Positions of a sequence, whole chunks.
  uint32_t sequences = 1;  ///< That are generated at once.
  uint32_t positions = 0;  ///< Of several together; 0: the context of each.
  uint32_t chunk = 0;      ///< Tokens of a prompt at a time.
  uint32_t tokens = 256;   ///< That one execution generates at most.
  bool halves = true;      ///< Products of many rows are of f16, summed in f32.
  CacheType cache = CacheType::F16;
  /// The likeliest tokens, of which one is drawn.
  uint32_t candidates = vm::llm::kCandidates;
  bool logprobs = false;        ///< With kLogprob and its like.
  bool drawsFromAll = false;    ///< With the program `generate_all`.
  std::optional<NormBand> band; ///< In which a regulator keeps them.
};

/// Why a tensor of the file cannot be computed with; or Ok.
vm::Status checkTypes(const vm::llm::GgufFile &file,
                      const vm::llm::Model &model);

/// Programs prefill, generate, score and embed (docs/language-models.md), which
/// share the file's tensors, symbols of their names. All types are known.
OwningOpRef<ModuleOp> buildModule(MLIRContext &context,
                                  const vm::llm::GgufFile &file,
                                  const vm::llm::Model &model,
                                  const ModelOptions &options);

} // namespace mlir::llm
