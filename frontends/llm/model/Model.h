//===- Model.h - sizes and tensors of a language model ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a GGUF file's metadata says of its model, as far as a forward pass
// depends on it. An architecture is a file of this folder and a line of
// Architectures.def; what it has of its own is a field here.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgufFile.h"

#include <string>
#include <vector>

namespace vm::llm {

/// Which numbers of a head rotary embeddings rotate with each other.
enum class Rotation {
  Adjacent, ///< 2 j with 2 j + 1.
  Halves,   ///< j with j + half.
};

enum class Activation { Silu, GeluTanh };

/// Rotary embeddings of one kind of layers: pair j at position p is rotated by
/// p * scale * base^(-2 j / rotated).
struct Angles {
  double base = 10000;
  double scale = 1;
};

/// Which hidden states the vector of a text is made of; values of the key
/// pooling_type.
enum class Pooling : uint32_t { None, Mean, First, Last, Rank };

struct Model {
  std::string architecture;

  uint32_t layers = 0;
  uint32_t width = 0;                 ///< Of the residual stream.
  uint32_t feedForward = 0;           ///< Rows of the gate and up matrices.
  uint32_t heads = 0, cacheHeads = 0; ///< Of queries; of keys and values.
  uint32_t headSize = 0;
  uint32_t rotated = 0;    ///< Numbers of a head that are rotated.
  uint32_t vocabulary = 0; ///< Rows of the embedding.
  uint32_t trainedContext = 0;
  Pooling pooling = Pooling::None;
  float epsilon = 0; ///< Of the norms by the root of the mean square.
  float attentionScale = 0;

  Rotation rotation = Rotation::Adjacent;
  Activation activation = Activation::Silu;
  Angles angles;
  bool hasFrequencyFactors = false; ///< Tensor rope_freqs.weight.
  bool hasBias = false;             ///< Of queries, keys and values.
  bool hasHeadNorms = false;        ///< Of queries and keys, before rotation.
  bool hasPostNorms = false; ///< Of what is added to the residual stream.
  bool isTied = false;       ///< The head is the embedding.
  float embeddingScale = 1;
  /// Scores of attention x become cap * tanh(x / cap); 0: they stay.
  float attentionCap = 0;
  float logitCap = 0; ///< Logits x become cap * tanh(x / cap); 0: they stay.

  /// All layers but each `globalEvery`-th see the last `window` positions, with
  /// angles of their own; 0: all see everything.
  uint32_t window = 0, globalEvery = 0;
  Angles windowAngles;

  bool hasWindow(uint32_t layer) const {
    return window > 0 && (layer + 1) % globalEvery != 0;
  }
};

/// A tensor that the forward pass reads.
struct ModelTensor {
  std::string name;
  std::vector<int64_t> shape; ///< Outermost dimension first.
};

/// The model of a file all of whose tensors are there, in their shapes.
/// BadInput with a sentence for what is not.
Result<Model> readModel(const GgufFile &file);

/// In the order of the forward pass; each once.
std::vector<ModelTensor> tensorsOf(const Model &model);

/// "blk.3.attn_q.weight".
std::string layerTensor(uint32_t layer, std::string_view part);

//===--- For architectures ------------------------------------------------===//

/// Reads keys "<architecture>.<key>".
class ModelKeys {
public:
  ModelKeys(const GgufFile &file, std::string architecture)
      : file(file), architecture(std::move(architecture)) {}

  bool has(std::string_view key) const { return file.find(name(key)); }
  /// From 1 to `most`.
  Status read(std::string_view key, uint32_t &value, uint32_t most) const;
  Status readOptional(std::string_view key, uint32_t &value,
                      uint32_t most) const;
  Status read(std::string_view key, float &value) const;
  Status readOptional(std::string_view key, float &value) const;
  Status readOptional(std::string_view key, double &value) const;
  Result<std::string> text(std::string_view key) const;
  bool hasTensor(std::string_view tensor) const {
    return file.findTensor(tensor);
  }
  /// BadInput: "<key> is <value>, which <why>".
  Status refuse(std::string_view key, std::string_view value,
                std::string_view why) const;

private:
  std::string name(std::string_view key) const;

  const GgufFile &file;
  std::string architecture;
};

/// Fills what differs from the defaults of Model, or refuses. What all have in
/// common has been read.
using ReadArchitecture = Status(const ModelKeys &keys, Model &model);

} // namespace vm::llm
