//===- Tokenizer.cpp - adapters of tokenizers -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/Tokenizer.h"

#include "frontends/PatternFinder.h"
#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

using namespace vm;
using namespace vm::token;

namespace {

constexpr int32_t kPadding = 256;

//===--- Bytes and pieces -------------------------------------------------===//

class PieceTokenizer : public Tokenizer {
public:
  explicit PieceTokenizer(std::vector<std::string> pieces)
      : pieces_(std::move(pieces)), finder_(pieces_) {}

  std::vector<int32_t> encode(const std::string &text) const override;
  std::string bytes(int32_t token) const override;
  int32_t vocabulary() const override {
    return kFirstPiece + int32_t(pieces_.size());
  }
  int32_t padding() const override { return kPadding; }
  std::vector<int32_t> specialTokens() const override { return {kPadding}; }
  std::string identity() const override;

private:
  std::vector<std::string> pieces_;
  PatternFinder finder_;
};

std::vector<int32_t> PieceTokenizer::encode(const std::string &text) const {
  std::vector<int32_t> tokens;
  size_t at = 0;
  auto bytesTo = [&](size_t end) {
    for (; at < end; ++at)
      tokens.push_back(uint8_t(text[at]));
  };
  if (!pieces_.empty())
    for (PatternMatch match : finder_.scan(text)) {
      bytesTo(match.begin);
      tokens.push_back(kFirstPiece + int32_t(match.pattern));
      at += finder_.length(match.pattern);
    }
  bytesTo(text.size());
  return tokens;
}

std::string PieceTokenizer::bytes(int32_t token) const {
  if (token == kPadding)
    return "";
  if (token < 0 || token >= vocabulary())
    return "\xEF\xBF\xBD";
  return token < kPadding ? std::string(1, char(token))
                          : pieces_[size_t(token - kFirstPiece)];
}

/// Names the pieces by their number and hash (FNV-1a of 64 bits, with the
/// length before each).
std::string PieceTokenizer::identity() const {
  if (pieces_.empty())
    return "bytes";
  uint64_t hash = 0xCBF29CE484222325u;
  auto add = [&](uint8_t byte) { hash = (hash ^ byte) * 0x100000001B3u; };
  for (const std::string &piece : pieces_) {
    for (int shift = 0; shift < 32; shift += 8)
      add(uint8_t(piece.size() >> shift));
    for (char c : piece)
      add(uint8_t(c));
  }
  return fmt::format("greedy, {} pieces, {:016x}", pieces_.size(), hash);
}

} // namespace

//===--- The file of pieces -----------------------------------------------===//

bool vm::token::checkPieces(const std::vector<std::string> &pieces,
                            const Place &place, Diagnostics &diagnostics) {
  auto refuse = [&](std::string what) {
    diagnostics.error("P03", place,
                      fmt::format("Key \"pieces\" of the tokenizer {}.", what));
    return false;
  };
  constexpr size_t kMost = size_t(kMaxVocabulary - kFirstPiece);
  if (pieces.size() > kMost)
    return refuse(
        fmt::format("lists {} pieces (the limit is {})", pieces.size(), kMost));
  size_t bytes = 0;
  std::set<std::string_view> seen;
  for (const std::string &piece : pieces) {
    if (piece.empty())
      return refuse(fmt::format("has an empty piece (number {})", seen.size()));
    if (piece.size() > kMaxPieceBytes)
      return refuse(fmt::format("has piece {} of {} bytes (the limit is {})",
                                inQuotes(piece), piece.size(), kMaxPieceBytes));
    if (!seen.insert(piece).second)
      return refuse(fmt::format("has piece {} twice", inQuotes(piece)));
    bytes += piece.size();
  }
  if (bytes > kMaxPiecesBytes)
    return refuse(fmt::format("has pieces of {} bytes (the limit is {})", bytes,
                              kMaxPiecesBytes));
  return true;
}

std::vector<std::string> Tokenizer::texts() const {
  std::vector<std::string> texts;
  for (int32_t token = 0; token < vocabulary(); ++token)
    texts.push_back(bytes(token));
  return texts;
}

std::unique_ptr<Tokenizer> vm::token::makeByteTokenizer() {
  return std::make_unique<PieceTokenizer>(std::vector<std::string>());
}

std::unique_ptr<Tokenizer>
vm::token::makeGreedyTokenizer(std::vector<std::string> pieces) {
  return std::make_unique<PieceTokenizer>(std::move(pieces));
}
