//===- Assistant.h - a model that answers in text ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/chat/ChatTemplate.h"
#include "frontends/llm/run/PlanCache.h"
#include "frontends/llm/run/Scheduler.h"
#include "frontends/llm/run/TokenTexts.h"
#include "frontends/llm/tokenizer/Tokenizer.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace vm::llm {

struct AssistantOptions {
  std::string model;    ///< A GGUF file.
  std::string plan;     ///< Of it; empty: compiled, and kept for the next time.
  uint32_t context = 0; ///< Tokens; 0: gpuvm-compile chooses.
  uint32_t parallel = 1;  ///< Answers at once, of a plan that is compiled.
  uint32_t positions = 0; ///< Of all answers together; 0: a context for each.
  /// What keys and values are kept as, both the same (--llm-cache).
  std::string keys = "f16", values = "f16";
  bool isRaw = false;    ///< Without the file's chat template.
  std::string regulate;  ///< "LOW,HIGH": of --llm-regulate; empty: not.
  bool logprobs = false; ///< A plan that is compiled tells log probabilities.
  bool embeds = false; ///< A plan that is compiled makes vectors of texts, too.
  /// Nothing: gpuvm-compile in the folder of this program.
  std::optional<ModelCompiler> compiler;
  DeviceOptions device;
};

/// What is to be continued, and how.
struct Question {
  std::span<const int32_t> prompt;
  uint32_t most = UINT32_MAX; ///< Tokens.
  Sampling sampling;
  std::span<const std::string> stops; ///< The text ends before the first.
  std::function<bool()> isWanted;     ///< Of Continuation.
};

/// A token, and the byte of the answer's text where it begins.
struct PlacedToken {
  DrawnToken drawn;
  size_t begin = 0;
};

/// The next part of an answer's text, and the tokens that begin in it; these
/// only if log probabilities are wanted.
struct Piece {
  std::string text;
  std::vector<PlacedToken> tokens;
};

struct Answer {
  std::string text; ///< UTF-8, without the stop string.
  End end = End::Running;
  size_t promptTokens = 0;
  size_t computedTokens = 0; ///< Of the prompt, those not in the caches.
  size_t tokens = 0;
  double promptSeconds = 0;            ///< With the wait for a place.
  double seconds = 0;                  ///< From the end of the prompt.
  std::optional<AttentionNorms> norms; ///< Of all answers so far.
};

/// A model, its tokenizer and its chat template. Several threads may use it,
/// but for run().
class Assistant {
public:
  /// `onCompile` is called before gpuvm-compile starts.
  static Result<Assistant> open(const AssistantOptions &options,
                                const std::function<void()> &onCompile);

  const GgufFile &file() const { return file_; }
  const Model &model() const { return model_; }
  const Tokenizer &tokenizer() const { return tokenizer_; }
  /// While no answer is under way.
  ModelRun &run() { return scheduler_->run(); }
  const Scheduler &scheduler() const { return *scheduler_; }
  uint32_t context() const { return scheduler_->context(); }
  /// Whether Sampling may want log probabilities.
  bool hasLogprobs() const { return scheduler_->hasLogprobs(); }
  bool hasTemplate() const { return chat_.has_value(); }

  /// The prompt that asks for an answer to the last message. Without a
  /// template, all contents one after the other.
  Result<std::vector<int32_t>>
  promptOf(std::span<const ChatMessage> messages) const;
  /// What is to be continued.
  Result<std::vector<int32_t>> promptOf(const std::string &text) const;

  /// For Sampling: what the answer must be, as GBNF says.
  Result<std::shared_ptr<TokenGrammar>>
  grammarOf(const std::string &gbnf) const {
    return texts_->grammarOf(gbnf);
  }

  /// `show` is given pieces of the text as soon as they are sure; if it returns
  /// false, that is the end.
  Result<Answer> answer(const Question &question,
                        const std::function<bool(const Piece &)> &show);

  /// A vector for a text (Scheduler::embed).
  Result<std::vector<float>> embed(std::span<const int32_t> tokens,
                                   const std::function<bool()> &isWanted) {
    return scheduler_->embed(tokens, isWanted);
  }

private:
  Assistant(GgufFile file, Model model, Tokenizer tokenizer,
            std::optional<ChatTemplate> chat, ModelRun run);

  GgufFile file_;
  Model model_;
  Tokenizer tokenizer_;
  std::optional<ChatTemplate> chat_;
  std::unique_ptr<TokenTexts> texts_;
  std::unique_ptr<Scheduler> scheduler_; ///< It stays where it is.
  std::vector<int32_t> ends_;            ///< Tokens that end an answer.
};

} // namespace vm::llm
