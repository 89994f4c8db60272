//===- Tokenizer.h - adapters of tokenizers -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler of workflows asks of a tokenizer. Two are built in; that of
// a language model is another class of this interface.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"
#include "frontends/token/ground/PathBounds.h"
#include "frontends/token/ground/TextCodec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vm::token {

/// The token of the first piece of `greedy`.
constexpr int32_t kFirstPiece = 257;

/// The most tokens of a vocabulary.
constexpr int32_t kMaxVocabulary = 1 << 20;

/// Token numbers are 0..vocabulary() - 1. encode() adds no special tokens, and
/// gives the same tokens for the same text at any time. Does not change.
class Tokenizer : public TextCodec {
public:
  virtual int32_t vocabulary() const = 0;

  /// The token that is emitted where there is none.
  virtual int32_t padding() const = 0;

  /// Tokens that stand for no text, ascending; padding may be among them.
  virtual std::vector<int32_t> specialTokens() const = 0;

  /// Equal just for tokenizers that are the same; for messages too.
  virtual std::string identity() const = 0;

  /// Whether it is that of a language model, whose file has all of it.
  virtual bool isOfModel() const { return false; }

  /// What each token of the vocabulary says.
  std::vector<std::string> texts() const;
};

/// A token is a byte, or a piece of several: piece i is token 257 + i. Padding
/// is 256, the only special token.
std::unique_ptr<Tokenizer> makeByteTokenizer();
/// encode() takes at each byte the longest piece that matches, else the byte.
/// The pieces must be pairwise different and not empty.
std::unique_ptr<Tokenizer> makeGreedyTokenizer(std::vector<std::string> pieces);

/// Whether they are such pieces, at most kMaxPieceBytes long and in all at most
/// kMaxPiecesBytes; reports P03 where not.
bool checkPieces(const std::vector<std::string> &pieces, const Place &place,
                 Diagnostics &diagnostics);
constexpr size_t kMaxPieceBytes = 1024;
constexpr size_t kMaxPiecesBytes = size_t(1) << 23;

} // namespace vm::token
