//===- Tokenizer.cpp - texts to tokens of a language model, and back ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/Tokenizer.h"

#include "frontends/PatternFinder.h"
#include "frontends/Utf8.h"
#include "frontends/llm/tokenizer/TextEncoder.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::llm;

/// Places in a text are 32 bits, and a space is three bytes while it is
/// encoded.
static constexpr size_t kMaxTextBytes = size_t(1) << 30;

namespace {

/// Tokens that are found in a text by their names.
class NamedTokens {
public:
  NamedTokens(const TokenTable &table, bool withControl)
      : tokens_(tokensOf(table, withControl)),
        finder_(namesOf(table, tokens_)) {}

  /// Calls `token(number)` and `text(part)` for all of a text, in order.
  template <typename Token, typename Text>
  void scan(std::string_view text, const Token &onToken,
            const Text &onText) const {
    size_t at = 0;
    if (!tokens_.empty())
      for (PatternMatch match : finder_.scan(text)) {
        onText(text.substr(at, match.begin - at));
        onToken(tokens_[match.pattern]);
        at = match.begin + finder_.length(match.pattern);
      }
    onText(text.substr(at));
  }

private:
  static std::vector<int32_t> tokensOf(const TokenTable &table,
                                       bool withControl) {
    std::vector<int32_t> tokens;
    for (int32_t token = 0; token < table.size(); ++token) {
      TokenType type = table.type(token);
      bool isControl = type == TokenType::Control || type == TokenType::Unknown;
      bool isNamed =
          type == TokenType::UserDefined || (withControl && isControl);
      if (isNamed && !table.name(token).empty())
        tokens.push_back(token);
    }
    return tokens;
  }
  static std::vector<std::string> namesOf(const TokenTable &table,
                                          const std::vector<int32_t> &tokens) {
    std::vector<std::string> names;
    for (int32_t token : tokens)
      names.push_back(table.name(token));
    return names;
  }

  std::vector<int32_t> tokens_;
  PatternFinder finder_;
};

/// Where the file does not say.
struct Habits {
  bool addsBos = false;
  bool addsSpacePrefix = false;
};

} // namespace

struct Tokenizer::State {
  explicit State(TokenTable tokens)
      : table(std::move(tokens)), ofTemplates(table, /*withControl=*/true),
        ofTexts(table, /*withControl=*/false) {}

  TokenTable table;
  NamedTokens ofTemplates;
  NamedTokens ofTexts;
  std::unique_ptr<TextEncoder> encoder;
  std::optional<int32_t> bos;
  std::optional<int32_t> eos;
  std::vector<int32_t> ends; ///< Ascending.
  bool addsBos = false;
  bool addsEos = false;
  bool addsSpacePrefix = false;

  Status encode(std::span<const TextPiece> pieces,
                std::vector<int32_t> &tokens) const;
};

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer &&) noexcept = default;
Tokenizer &Tokenizer::operator=(Tokenizer &&) noexcept = default;
Tokenizer::~Tokenizer() = default;

//===--- What the file says -----------------------------------------------===//

static Result<std::unique_ptr<TextEncoder>>
makeEncoder(const TokenTable &table, const Vocabulary &vocabulary,
            Habits &habits) {
  if (vocabulary.model == "llama") {
    habits = {.addsBos = true, .addsSpacePrefix = true};
    return makeScoreEncoder(table, vocabulary);
  }
  if (vocabulary.model == "gemma4") {
    habits.addsBos = true;
    return makeLineEncoder(table, vocabulary);
  }
  Result<PreTokenizer> words = PreTokenizer::create(vocabulary.preTokenizer);
  if (!words.ok())
    return words.status();
  habits.addsBos = words->addsBos();
  return makeByteLevelEncoder(table, vocabulary, std::move(*words));
}

/// Tokens that end an answer in models whose files name only the one that ends
/// a text, or the opposite.
static std::vector<int32_t> endsOf(const TokenTable &table,
                                   const Vocabulary &vocabulary) {
  std::vector<int32_t> ends;
  for (std::optional<int32_t> token : {vocabulary.eos, vocabulary.eot})
    if (token)
      ends.push_back(*token);
  for (const char *name :
       {"<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>",
        "<|endoftext|>", "<|end_of_text|>", "<|end_of_turn|>", "<|return|>",
        "<end_of_utterance>", "<|END_OF_TURN_TOKEN|>", "<EOT>", "[EOT]",
        "<\xEF\xBD\x9C"
        "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"})
    if (int32_t token = table.find(name);
        token >= 0 && table.type(token) == TokenType::Control)
      ends.push_back(token);
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

Result<Tokenizer> Tokenizer::create(Vocabulary vocabulary) {
  constexpr std::string_view kModels[] = {"gpt2", "llama", "gemma4"};
  if (std::ranges::find(kModels, vocabulary.model) == std::end(kModels))
    return Status(Code::BadInput,
                  fmt::format("The tokenizer is of type \"{}\", which is not "
                              "known (\"gpt2\", \"llama\" and \"gemma4\" are).",
                              printable(vocabulary.model)));
  Result<TokenTable> table =
      TokenTable::create(vocabulary, vocabulary.model == "gpt2");
  if (!table.ok())
    return table.status();
  auto state = std::make_unique<State>(std::move(*table));
  Habits habits;
  Result<std::unique_ptr<TextEncoder>> encoder =
      makeEncoder(state->table, vocabulary, habits);
  if (!encoder.ok())
    return encoder.status();
  state->encoder = std::move(*encoder);
  state->bos = vocabulary.bos;
  state->eos = vocabulary.eos;
  state->ends = endsOf(state->table, vocabulary);
  state->addsBos = vocabulary.addBos.value_or(habits.addsBos);
  state->addsEos = vocabulary.addEos.value_or(false);
  state->addsSpacePrefix =
      vocabulary.addSpacePrefix.value_or(habits.addsSpacePrefix);
  if (state->addsBos && !state->bos)
    return Status(Code::BadInput,
                  "Texts are to begin with a BOS token, and the vocabulary "
                  "does not say which that is.");
  if (state->addsEos && !state->eos)
    return Status(Code::BadInput,
                  "Texts are to end with an EOS token, and the vocabulary does "
                  "not say which that is.");
  return Tokenizer(std::move(state));
}

//===--- Encoding ---------------------------------------------------------===//

Status Tokenizer::State::encode(std::span<const TextPiece> pieces,
                                std::vector<int32_t> &tokens) const {
  std::string text; // Since the last token that has a name.
  Status status;
  auto flush = [&] {
    if (text.empty() || !status.ok())
      return;
    if (addsSpacePrefix)
      text.insert(text.begin(), ' ');
    status = encoder->encode(text, tokens);
    text.clear();
  };
  auto onToken = [&](int32_t token) {
    flush();
    tokens.push_back(token);
  };
  size_t sizeBytes = 0;
  for (const TextPiece &piece : pieces) {
    sizeBytes += piece.text.size();
    if (sizeBytes > kMaxTextBytes)
      return Status(Code::BadInput,
                    fmt::format("The text has {} bytes or more (the limit is "
                                "{}).",
                                sizeBytes, kMaxTextBytes));
    (piece.isTemplate ? ofTemplates : ofTexts)
        .scan(toUtf8(piece.text), onToken,
              [&](std::string_view part) { text += part; });
  }
  flush();
  return status;
}

Result<std::vector<int32_t>>
Tokenizer::encode(std::span<const TextPiece> pieces) const {
  std::vector<int32_t> tokens;
  if (state_->addsBos)
    tokens.push_back(*state_->bos);
  VM_RETURN_IF_ERROR(state_->encode(pieces, tokens));
  if (state_->addsBos && tokens.size() > 1 && tokens[1] == *state_->bos)
    tokens.erase(tokens.begin()); // A template wrote it.
  if (state_->addsEos)
    tokens.push_back(*state_->eos);
  return tokens;
}

Result<std::vector<int32_t>>
Tokenizer::encodeText(std::string_view text) const {
  std::vector<int32_t> tokens;
  TextPiece piece{std::string(text)};
  VM_RETURN_IF_ERROR(state_->encode({&piece, 1}, tokens));
  return tokens;
}

//===--- Tokens -----------------------------------------------------------===//

int32_t Tokenizer::size() const { return state_->table.size(); }

const std::string &Tokenizer::bytes(int32_t token) const {
  return state_->table.bytes(token);
}

const std::string &Tokenizer::name(int32_t token) const {
  return state_->table.name(token);
}

int32_t Tokenizer::find(std::string_view name) const {
  return state_->table.find(name);
}

bool Tokenizer::isEnd(int32_t token) const {
  return std::ranges::binary_search(state_->ends, token);
}

std::optional<int32_t> Tokenizer::bos() const { return state_->bos; }
std::optional<int32_t> Tokenizer::eos() const { return state_->eos; }

std::string_view Tokenizer::bosName() const {
  return state_->bos ? std::string_view(name(*state_->bos)) : "";
}

std::string_view Tokenizer::eosName() const {
  return state_->eos ? std::string_view(name(*state_->eos)) : "";
}

std::string Tokenizer::decode(std::span<const int32_t> tokens) const {
  std::string text;
  for (int32_t token : tokens)
    text += bytes(token);
  if (state_->addsSpacePrefix && text.starts_with(' '))
    text.erase(0, 1);
  return toUtf8(text);
}
