//===- Assistant.cpp - a model that answers in text -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/Assistant.h"

#include "frontends/Utf8.h"
#include "frontends/llm/tokenizer/GgufVocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace vm::llm {

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static Result<std::string> planOf(const AssistantOptions &options,
                                  const GgufFile &file, const Model &model,
                                  const std::function<void()> &onCompile) {
  if (!options.plan.empty())
    return options.plan;
  std::vector<std::string> arguments = {
      fmt::format("--program={},{}", symbols::kPrefill, symbols::kGenerate)};
  if (options.embeds)
    arguments.front() += fmt::format(",{}", symbols::kEmbed);
  if (model.vocabulary > kCandidates) {
    arguments.front() += fmt::format(",{}", symbols::kGenerateAll);
    arguments.emplace_back("--llm-generate-all");
  }
  if (options.context)
    arguments.push_back(fmt::format("--llm-context={}", options.context));
  if (options.parallel > 1)
    arguments.push_back(fmt::format("--llm-sequences={}", options.parallel));
  if (options.positions)
    arguments.push_back(fmt::format("--llm-positions={}", options.positions));
  if (options.keys != options.values)
    return Status(Code::Usage,
                  fmt::format("Keys are to be kept as {} and values as {}; a "
                              "plan keeps both as the same type.",
                              options.keys, options.values));
  if (options.keys != "f16")
    arguments.push_back("--llm-cache=" + options.keys);
  if (options.logprobs)
    arguments.emplace_back("--llm-logprobs");
  if (!options.regulate.empty())
    arguments.push_back(fmt::format("--llm-regulate={}", options.regulate));
  // A processor pays for each row of a chunk, and for converting to f16.
  Result<bool> isOnProcessor = DevicePlan::isOnProcessor(options.device);
  if (!isOnProcessor.ok())
    return isOnProcessor.status();
  if (*isOnProcessor)
    arguments.insert(arguments.end(), {"--llm-chunk=32", "--llm-products=f32"});
  if (options.compiler)
    return findPlan(file, arguments, *options.compiler);
  Result<ModelCompiler> compiler = ownCompiler(onCompile);
  return compiler.ok() ? findPlan(file, arguments, *compiler)
                       : compiler.status();
}

static Result<std::optional<ChatTemplate>>
templateOf(const AssistantOptions &options, const GgufFile &file,
           const Tokenizer &tokenizer) {
  constexpr char kKey[] = "tokenizer.chat_template";
  if (options.isRaw || !file.find(kKey))
    return std::optional<ChatTemplate>();
  Result<std::string_view> text = file.stringOf(kKey);
  if (!text.ok())
    return text.status();
  auto chat = ChatTemplate::recognize(*text, std::string(tokenizer.bosName()),
                                      std::string(tokenizer.eosName()));
  if (!chat.ok())
    return chat.status();
  return std::optional(std::move(*chat));
}

Result<Assistant> Assistant::open(const AssistantOptions &options,
                                  const std::function<void()> &onCompile) {
  Result<GgufFile> file = GgufFile::open(options.model);
  if (!file.ok())
    return file.status();
  Result<Model> model = readModel(*file);
  if (!model.ok())
    return model.status();
  Result<Vocabulary> vocabulary = readVocabulary(*file);
  if (!vocabulary.ok())
    return vocabulary.status();
  Result<Tokenizer> tokenizer = Tokenizer::create(std::move(*vocabulary));
  if (!tokenizer.ok())
    return tokenizer.status();
  if (tokenizer->size() > static_cast<int64_t>(model->vocabulary))
    return Status(Code::BadInput,
                  fmt::format("\"{}\": the tokenizer has {} tokens, and the "
                              "model {}.",
                              options.model, tokenizer->size(),
                              model->vocabulary));
  auto chat = templateOf(options, *file, *tokenizer);
  if (!chat.ok())
    return chat.status();
  Result<std::string> plan = planOf(options, *file, *model, onCompile);
  if (!plan.ok())
    return plan.status();
  Result<ModelRun> run = ModelRun::open(*plan, *file, *model, options.device);
  if (!run.ok())
    return run.status();
  return Assistant(std::move(*file), std::move(*model), std::move(*tokenizer),
                   std::move(*chat), std::move(*run));
}

Assistant::Assistant(GgufFile file, Model model, Tokenizer tokenizer,
                     std::optional<ChatTemplate> chat, ModelRun run)
    : file_(std::move(file)), model_(std::move(model)),
      tokenizer_(std::move(tokenizer)), chat_(std::move(chat)),
      texts_(std::make_unique<TokenTexts>(tokenizer_, model_.vocabulary)),
      scheduler_(std::make_unique<Scheduler>(std::move(run))) {
  for (int32_t token = 0;
       token < tokenizer_.size() && ends_.size() < kEndTokens; ++token)
    if (tokenizer_.isEnd(token))
      ends_.push_back(token);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Result<std::vector<int32_t>>
Assistant::promptOf(std::span<const ChatMessage> messages) const {
  if (chat_) {
    auto pieces = chat_->render(messages);
    if (!pieces.ok())
      return pieces.status();
    return tokenizer_.encode(*pieces);
  }
  std::string text;
  for (const ChatMessage &message : messages)
    text += message.content;
  return promptOf(text);
}

Result<std::vector<int32_t>>
Assistant::promptOf(const std::string &text) const {
  const TextPiece piece = {text, /*isTemplate=*/false};
  return tokenizer_.encode({&piece, 1});
}

namespace {
/// A text that ends before the first of some strings, which it may hold back
/// the beginning of.
class StoppedText {
public:
  explicit StoppedText(std::span<const std::string> stops) : stops(stops) {}

  /// What is sure now.
  std::string push(const std::string &text) {
    if (isStopped)
      return "";
    held += text;
    size_t end = std::string::npos;
    for (const std::string &stop : stops)
      end = std::min(end, held.find(stop));
    isStopped = end != std::string::npos;
    return take(isStopped ? end : held.size() - uncertain());
  }
  std::string finish() { return isStopped ? "" : take(held.size()); }
  bool stopped() const { return isStopped; }

private:
  std::string take(size_t bytes) {
    std::string taken = held.substr(0, bytes);
    held.erase(0, bytes);
    return taken;
  }
  /// The longest end that a stop string begins with.
  size_t uncertain() const {
    size_t most = 0;
    for (const std::string &stop : stops)
      for (size_t n = std::min(held.size(), stop.size() - 1); n > most; --n)
        if (held.ends_with(stop.substr(0, n)))
          most = n;
    return most;
  }

  std::span<const std::string> stops;
  std::string held;
  bool isStopped = false;
};

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
} // namespace

Result<Answer>
Assistant::answer(const Question &question,
                  const std::function<bool(const Piece &)> &show) {
  Answer answer;
  answer.promptTokens = question.prompt.size();
  Clock::time_point start = Clock::now();
  Utf8Stream characters;
  StoppedText text(question.stops);
  std::vector<PlacedToken> tokens; // Not shown yet.
  size_t bytes = 0;                // Of characters so far.
  auto add = [&](std::string own, bool isEnd = false) {
    answer.text += own;
    // Of a text that is stopped, those that begin before the stop string.
    auto shown = std::ranges::find_if(tokens, [&](const PlacedToken &token) {
      bool isLast = isEnd && !text.stopped();
      return token.begin >= answer.text.size() && !isLast;
    });
    Piece piece = {std::move(own), {tokens.begin(), shown}};
    tokens.erase(tokens.begin(), shown);
    return (piece.text.empty() && piece.tokens.empty()) || show(piece);
  };
  Continuation wanted = {question.prompt, question.most, question.sampling,
                         ends_, question.isWanted};
  wanted.sampling.stops = texts_->stopsOf(question.stops);
  Result<Continued> done =
      scheduler_->answer(wanted, [&](const DrawnToken &drawn) {
        ++answer.tokens;
        if (tokenizer_.isEnd(drawn.token))
          return true;
        if (drawn.logprobs)
          tokens.push_back({drawn, bytes});
        std::string own = characters.push(tokenizer_.bytes(drawn.token));
        bytes += own.size();
        bool goesOn = add(text.push(own));
        return goesOn && !text.stopped();
      });
  if (!done.ok())
    return done.status();
  std::string last = text.push(characters.finish());
  add(last + text.finish(), /*isEnd=*/true);
  answer.end = text.stopped() ? End::EndToken : done->end;
  answer.computedTokens = done->computedTokens;
  answer.promptSeconds = done->promptSeconds;
  answer.seconds = secondsSince(start) - done->promptSeconds;
  answer.norms = std::move(done->norms);
  return answer;
}

} // namespace vm::llm
