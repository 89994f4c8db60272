//===- ModelRun.cpp - a language model on a device ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/ModelRun.h"

#include "frontends/llm/run/BindWeights.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace vm::llm {

namespace {
/// Of one execution, where the caller says nothing: prompts are long, and a
/// processor is slow.
constexpr uint64_t kTimeoutMs = 3600 * 1000;
/// How long a wait for a token is, before the next one.
constexpr uint64_t kWaitMs = 1000;
/// What the device has for the token that it is at when it is cancelled.
constexpr uint64_t kGraceMs = 60 * 1000;

std::string inputOf(const char *program, const char *input) {
  return fmt::format("{}.{}", program, input);
}

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<int32_t> word(size_t value) {
  return {static_cast<int32_t>(value)};
}
} // namespace

Result<ModelRun> ModelRun::open(const std::string &path, const GgufFile &file,
                                const Model &model,
                                const DeviceOptions &options) {
  DeviceOptions own = options;
  own.timeoutMs = options.timeoutMs.value_or(kTimeoutMs);
  Result<DevicePlan> plan = DevicePlan::open(path, own);
  if (!plan.ok())
    return plan.status();
  ModelRun run(std::move(*plan));
  auto rows = run.plan_.inputShape(inputOf(symbols::kPrefill, "prompt"));
  if (!rows.ok())
    return rows.status();
  auto tokens = run.plan_.symbolShape(symbols::kTokens);
  if (!tokens.ok())
    return tokens.status();
  Result<uint64_t> offset = run.plan_.symbolOffset(symbols::kTokens);
  if (!offset.ok())
    return offset.status();
  if (rows->size() != 1 || tokens->empty() || tokens->size() > 2)
    return Status(
        Code::BadInput,
        fmt::format("\"{}\" is not a plan of a language model.", path));
  run.context_ = static_cast<uint32_t>(rows->front());
  run.perExecution_ = static_cast<uint32_t>(tokens->front());
  if (auto vector =
          run.plan_.outputShape(inputOf(symbols::kEmbed, "embedding"));
      vector.ok() && vector->size() == 1)
    run.width_ = static_cast<uint32_t>(vector->front());
  run.pooling_ = model.pooling;
  run.tokensAt_ = *offset;
  run.sequences_.resize(tokens->size() == 2 ? tokens->back() : 1);
  if (tokens->size() == 2)
    VM_RETURN_IF_ERROR(run.openPages());
  run.vocabulary_ = model.vocabulary;
  run.hasAll_ =
      run.plan_.inputShape(inputOf(symbols::kGenerateAll, "limit")).ok();
  Result<SamplerSymbols> sampler = SamplerSymbols::find(
      run.plan_, run.vocabulary_, run.context_, run.places());
  if (!sampler.ok())
    return sampler.status();
  run.sampler_ = std::move(*sampler);
  if (auto norms = run.plan_.symbolShape(symbols::kAttentionNorm);
      norms.ok() && norms->size() == 1)
    run.regulated_ = static_cast<uint32_t>(norms->front());
  VM_RETURN_IF_ERROR(run.openLogprobs());
  VM_RETURN_IF_ERROR(bindWeights(run.plan_, file, model));
  return run;
}

//===----------------------------------------------------------------------===//
// Prompts
//===----------------------------------------------------------------------===//

Status ModelRun::openPages() {
  auto table = plan_.symbolShape(symbols::kPages);
  if (!table.ok())
    return table.status();
  auto cache = plan_.symbolShape(fmt::format("{}0", symbols::kKeys));
  if (!cache.ok())
    return cache.status();
  pool_.emplace(cache->front() / kPageRows, kPageRows, places(), table->back());
  return {};
}

Result<bool> ModelRun::takePages(uint32_t place,
                                 std::span<const int32_t> tokens, size_t room) {
  if (!pool_)
    return true;
  if (!pool_->begin(place, tokens, std::min<size_t>(room, context_)))
    return false;
  const std::vector<int32_t> &table = pool_->table();
  VM_RETURN_IF_ERROR(plan_.writeSymbol(symbols::kPages, table.data(),
                                       table.size() * sizeof(int32_t)));
  return true;
}

/// How many tokens two sequences have in common.
static size_t commonTokens(std::span<const int32_t> a,
                           std::span<const int32_t> b) {
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

Result<bool> ModelRun::begin(uint32_t place, std::span<const int32_t> tokens,
                             size_t room) {
  if (tokens.empty())
    return Status(Code::Usage, "A prompt has no tokens (1 is the least).");
  if (tokens.size() >= context_)
    return Status(
        Code::Usage,
        fmt::format("The prompt has {} tokens, and the context has room "
                    "for {} with an answer.",
                    tokens.size(), context_ - 1));
  Sequence &own = sequences_[place];
  auto first = tokens.first(tokens.size() - 1);
  size_t cached =
      pool_ ? pool_->cached(first)
            : commonTokens(first, std::span(own.tokens).first(own.cached));
  Result<bool> hasPages = takePages(place, tokens, room);
  if (!hasPages.ok() || !*hasPages)
    return hasPages;
  sampler_.begin(place);
  own.tokens.assign(tokens.begin(), tokens.end());
  own.cached = cached;
  return true;
}

void ModelRun::publish(uint32_t place) {
  const Sequence &own = sequences_[place];
  if (pool_)
    pool_->publish(place, std::span(own.tokens).first(own.cached));
}

void ModelRun::end(uint32_t place) {
  if (!pool_) // The next one may begin with the same tokens.
    return;
  publish(place);
  pool_->end(place);
  sequences_[place] = {};
}

Result<size_t> ModelRun::prefill(uint32_t place, size_t most) {
  size_t count = std::min(unread(place), most);
  Sequence own = std::exchange(sequences_[place], {}); // After a failure.
  // And the token after these, which the next piece or generation reads.
  std::vector<int32_t> rows(context_);
  std::copy_n(own.tokens.begin() + own.cached, count + 1, rows.begin());
  auto bind = [&](const char *name, size_t value) {
    return plan_.bind(inputOf(symbols::kPrefill, name), word(value));
  };
  VM_RETURN_IF_ERROR(plan_.bind(inputOf(symbols::kPrefill, "prompt"), rows));
  VM_RETURN_IF_ERROR(bind("length", count + 1));
  VM_RETURN_IF_ERROR(bind("from", own.cached));
  if (places() > 1)
    VM_RETURN_IF_ERROR(bind("place", place));
  VM_RETURN_IF_ERROR(plan_.execute(symbols::kPrefill));
  own.cached += count;
  sequences_[place] = std::move(own);
  publish(place);
  return count;
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

Result<std::vector<float>> ModelRun::embed(uint32_t place,
                                           std::span<const int32_t> tokens) {
  if (!canEmbed())
    return Status(Code::Usage,
                  fmt::format("The plan has no program \"{}\", which makes "
                              "vectors of texts.",
                              symbols::kEmbed));
  if (pooling_ == Pooling::First || pooling_ == Pooling::Rank)
    return Status(
        Code::Usage,
        fmt::format("The model's pooling_type is {}; vectors are made "
                    "by 1 (mean) and 3 (last token).",
                    static_cast<uint32_t>(pooling_)));
  if (tokens.empty() || tokens.size() > context_)
    return Status(Code::Usage,
                  fmt::format("A text has {} tokens; a vector is made of 1 to "
                              "{} tokens.",
                              tokens.size(), context_));
  sequences_[place] = {}; // Its keys and values are overwritten.
  Result<bool> hasPages = takePages(place, {}, tokens.size());
  if (!hasPages.ok())
    return hasPages.status();
  if (!*hasPages)
    return Status(Code::OutOfMemory,
                  fmt::format("A text has {} tokens, for which there are not "
                              "enough pages now.",
                              tokens.size()));
  std::vector<int32_t> rows(context_);
  std::ranges::copy(tokens, rows.begin());
  const char *program = symbols::kEmbed;
  VM_RETURN_IF_ERROR(plan_.bind(inputOf(program, "document"), rows));
  VM_RETURN_IF_ERROR(
      plan_.bind(inputOf(program, "document_length"), word(tokens.size())));
  VM_RETURN_IF_ERROR(plan_.bind(inputOf(program, "last"),
                                word(pooling_ == Pooling::Last ? 1 : 0)));
  if (places() > 1)
    VM_RETURN_IF_ERROR(plan_.bind(inputOf(program, "place"), word(place)));
  VM_RETURN_IF_ERROR(plan_.execute(program));
  return plan_.read<float>(inputOf(program, "embedding"));
}

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

/// Whether it gets tokens now.
static bool takesPart(const Generation &own) {
  return own.status.ok() && own.end == End::Running;
}

Result<const std::vector<bool> *> ModelRun::allowedOf(const Generation &own) {
  Clock::time_point start = Clock::now();
  auto allowed = own.sampling.grammar->allowed();
  grammarSeconds_ += secondsSince(start);
  return allowed;
}

/// Of grammars, for the next execution; what is wrong is said there.
void ModelRun::findAllowed(std::span<const Generation> all) {
  for (const Generation &own : all)
    if (own.sampling.grammar && own.status.ok() && own.end != End::EndToken)
      (void)allowedOf(own);
}

/// What is added to scores now; empty: nothing.
Result<std::vector<float>> ModelRun::biasOf(const Generation &own) {
  std::vector<float> bias;
  if (TokenGrammar *grammar = own.sampling.grammar.get()) {
    auto allowed = allowedOf(own);
    if (!allowed.ok())
      return allowed.status();
    bias.assign(vocabulary_, kForbidden);
    bool isAny = false;
    auto allow = [&](size_t token) {
      bias[token] = 0;
      isAny = true;
    };
    for (size_t token = 0; token < (*allowed)->size(); ++token)
      if ((**allowed)[token])
        allow(token);
    if (grammar->mayEnd())
      std::ranges::for_each(own.ends, allow);
    if (!isAny)
      return Status(Code::Usage, "No token of the vocabulary goes on with what "
                                 "the grammar allows.");
  }
  if (!own.sampling.logitBias.empty())
    bias.resize(vocabulary_);
  for (auto [token, more] : own.sampling.logitBias) {
    if (token < 0 || uint32_t(token) >= vocabulary_)
      return Status(Code::Usage,
                    fmt::format("Token {} of the logit bias is none (0 to {}).",
                                token, vocabulary_ - 1));
    // What is forbidden stays so.
    float &sum = bias[size_t(token)];
    sum = sum <= kForbidden ? sum : std::max(sum + more, kForbidden);
  }
  return bias;
}

/// Of those that take part. What is wrong with one of them is its own.
Status ModelRun::setSampler(std::span<Generation> all) {
  for (Generation &own : all) {
    const TokenGrammar *grammar = own.sampling.grammar.get();
    if (grammar && grammar->mustEnd() && own.ends.empty())
      own.end = End::EndToken;
    if (!takesPart(own))
      continue;
    Result<std::vector<float>> bias = biasOf(own);
    if (!bias.ok()) {
      own.status = bias.status();
      continue;
    }
    VM_RETURN_IF_ERROR(sampler_.setBias(plan_, own.place, std::move(*bias)));
    VM_RETURN_IF_ERROR(sampler_.setPenalties(plan_, own.place, own.sampling,
                                             sequences_[own.place].tokens));
    VM_RETURN_IF_ERROR(sampler_.setStops(plan_, own.place, own.sampling.stops));
  }
  return {};
}

Status ModelRun::bindControls(const char *program,
                              std::span<const Generation> all) {
  for (const Generation &own : all) {
    if (own.ends.size() > kEndTokens)
      return {Code::Usage,
              fmt::format("{} tokens end an answer (at most {} can).",
                          own.ends.size(), kEndTokens)};
    if (sequences_[own.place].tokens.empty() || unread(own.place) != 0)
      return {Code::Usage, "There is no prompt."};
  }
  // `count` values for each place; `set` writes those of a generation.
  auto bind = [&](const char *name, size_t count, auto none,
                  auto set) -> Status {
    std::vector<decltype(none)> values(count * places(), none);
    for (const Generation &own : all)
      if (takesPart(own))
        set(own, &values[count * own.place]);
    return plan_.bind(inputOf(program, name), values);
  };
  using Own = const Generation &;
  constexpr int32_t kZero = 0, kNone = -1;
  // What a grammar allows depends on each token. Meanwhile others go on.
  bool isOne = std::ranges::any_of(
      all, [](Own own) { return own.sampling.grammar != nullptr; });
  double meanwhile = stepSeconds_ > 0 ? grammarSeconds_ / stepSeconds_ : 0;
  uint32_t most = perExecution_;
  if (isOne && meanwhile < perExecution_ - 1)
    most = 1 + static_cast<uint32_t>(meanwhile);
  VM_RETURN_IF_ERROR(bind("limit", 1, kZero, [&](Own own, int32_t *limit) {
    uint32_t ownMost = own.sampling.grammar ? 1 : most;
    *limit = static_cast<int32_t>(std::min(own.most, ownMost));
  }));
  VM_RETURN_IF_ERROR(
      bind("ends", kEndTokens, kNone,
           [](Own own, int32_t *ends) { std::ranges::copy(own.ends, ends); }));
  VM_RETURN_IF_ERROR(bind("temperature", 1, 0.0F, [](Own own, float *value) {
    *value = own.sampling.temperature;
  }));
  VM_RETURN_IF_ERROR(bind("top_k", 1, kZero, [](Own own, int32_t *most) {
    uint32_t k = own.sampling.topK;
    *most = k == 0 ? INT32_MAX : std::min<uint32_t>(k, INT32_MAX);
  }));
  VM_RETURN_IF_ERROR(bind("top_p", 1, 0.0F, [](Own own, float *share) {
    // Sums are rounded: 1 is all of them.
    *share = own.sampling.topP >= 1 ? 2 : own.sampling.topP;
  }));
  VM_RETURN_IF_ERROR(bind("min_p", 1, 0.0F, [](Own own, float *share) {
    *share = own.sampling.minP;
  }));
  return bind("seed", 2, uint32_t(0), [](Own own, uint32_t *seed) {
    seed[0] = static_cast<uint32_t>(own.sampling.seed);
    seed[1] = static_cast<uint32_t>(own.sampling.seed >> 32);
  });
}

/// Of generations whose last tokens have been taken.
Status ModelRun::readEnds(std::span<Generation> all, bool isOver,
                          const int32_t *lastTokens) {
  std::vector<int32_t> ends(places());
  VM_RETURN_IF_ERROR(plan_.readSymbol(symbols::kEnd, ends.data(),
                                      ends.size() * sizeof(int32_t)));
  for (Generation &own : all)
    if (takesPart(own) && (isOver || lastTokens[own.place] < 0))
      own.end = static_cast<End>(ends[own.place]);
  return {};
}

/// Goes on in the grammar.
static void accept(Generation &own, int32_t token) {
  TokenGrammar *grammar = own.sampling.grammar.get();
  bool isEnd = std::ranges::find(own.ends, token) != own.ends.end();
  if (grammar && !isEnd && !grammar->accept(token))
    own.status = {Code::WrongResult,
                  fmt::format("The device drew token {}, which the grammar "
                              "does not allow.",
                              token)};
}

Status
ModelRun::generate(std::span<Generation> all,
                   const std::function<void(size_t, const DrawnToken &)> &take,
                   const std::function<bool()> &goesOn) {
  bool wantsLogprobs = std::ranges::any_of(
      all, [](const Generation &own) { return own.sampling.wantsLogprobs; });
  if (wantsLogprobs && !hasLogprobs())
    return {Code::Usage, "The plan does not tell log probabilities."};
  VM_RETURN_IF_ERROR(setSampler(all));
  if (std::ranges::none_of(all, takesPart)) {
    goesOn();
    return {};
  }
  bool isOfAll = hasAll_ && std::ranges::any_of(all, [](const Generation &own) {
                   uint32_t most = own.sampling.topK;
                   return most == 0 || most > kCandidates;
                 });
  const char *program = isOfAll ? symbols::kGenerateAll : symbols::kGenerate;
  VM_RETURN_IF_ERROR(bindControls(program, all));
  grammarSeconds_ = 0;
  // What the last execution left would be taken for new tokens.
  int32_t none = 0;
  VM_RETURN_IF_ERROR(plan_.writeSymbol(symbols::kCount, &none, sizeof none));
  VM_RETURN_IF_ERROR(plan_.start(program));

  Clock::time_point start = Clock::now();
  std::vector<int32_t> tokens(places());
  int32_t taken = 0;
  bool isCancelled = false;
  for (bool isOver = false; !isOver;) {
    int32_t made = taken;
    Result<bool> ended = plan_.waitForChange(symbols::kCount, made, kWaitMs);
    if (!ended.ok())
      return ended.status();
    isOver = *ended;
    made = std::clamp(made, taken, static_cast<int32_t>(perExecution_));
    if (taken == 0 && made > 0)
      stepSeconds_ = secondsSince(start) / made;
    for (; taken < made; ++taken) {
      size_t bytes = tokens.size() * sizeof(int32_t);
      VM_RETURN_IF_ERROR(
          plan_.readMetrics(tokensAt_ + taken * bytes, tokens.data(), bytes));
      for (size_t i = 0; i < all.size(); ++i)
        if (int32_t token = tokens[all[i].place]; token >= 0) {
          Sequence &own = sequences_[all[i].place];
          own.tokens.push_back(token);
          ++own.cached;
          accept(all[i], token);
          DrawnToken drawn = {token, {}};
          if (all[i].sampling.wantsLogprobs) {
            auto logprobs = readLogprobs(taken, all[i].place);
            if (!logprobs.ok())
              return logprobs.status();
            drawn.logprobs = std::move(*logprobs);
          }
          take(i, drawn);
        }
    }
    VM_RETURN_IF_ERROR(readEnds(all, isOver, tokens.data()));
    if (!goesOn() && !isOver && !isCancelled) {
      isCancelled = true;
      VM_RETURN_IF_ERROR(plan_.cancel(kGraceMs));
    }
    findAllowed(all);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Log probabilities
//===----------------------------------------------------------------------===//

Status ModelRun::openLogprobs() {
  auto shape = plan_.symbolShape(symbols::kLikeliest);
  if (!shape.ok())
    return {}; // There are none.
  likeliest_ = static_cast<uint32_t>(shape->back());
  for (auto [name, at] :
       {std::pair(symbols::kLogprob, &logprobAt_),
        std::pair(symbols::kLikeliest, &likeliestAt_),
        std::pair(symbols::kLikeliestLogprobs, &likeliestLogprobsAt_)}) {
    Result<uint64_t> found = plan_.symbolOffset(name);
    if (!found.ok())
      return found.status();
    *at = *found;
  }
  return {};
}

Result<Logprobs> ModelRun::readLogprobs(int32_t step, uint32_t place) {
  Logprobs all;
  std::vector<int32_t> tokens(likeliest_);
  std::vector<float> logprobs(likeliest_);
  size_t row = size_t(step) * places() + place;
  auto read = [&](uint64_t at, auto *values, size_t count) {
    size_t bytes = count * sizeof *values;
    return plan_.readMetrics(at + row * bytes, values, bytes);
  };
  VM_RETURN_IF_ERROR(read(logprobAt_, &all.own, 1));
  VM_RETURN_IF_ERROR(read(likeliestAt_, tokens.data(), likeliest_));
  VM_RETURN_IF_ERROR(read(likeliestLogprobsAt_, logprobs.data(), likeliest_));
  for (uint32_t i = 0; i < likeliest_; ++i)
    all.likeliest.emplace_back(tokens[i], logprobs[i]);
  return all;
}

//===----------------------------------------------------------------------===//
// Regulation
//===----------------------------------------------------------------------===//

Result<std::optional<AttentionNorms>> ModelRun::attentionNorms() {
  if (regulated_ == 0)
    return std::optional<AttentionNorms>();
  AttentionNorms norms;
  norms.largest.resize(regulated_);
  norms.outside.resize(regulated_);
  VM_RETURN_IF_ERROR(plan_.readSymbol(symbols::kAttentionNorm,
                                      norms.largest.data(),
                                      regulated_ * sizeof(float)));
  VM_RETURN_IF_ERROR(plan_.readSymbol(symbols::kAttentionOutside,
                                      norms.outside.data(),
                                      regulated_ * sizeof(int32_t)));
  return std::optional(std::move(norms));
}

} // namespace vm::llm
