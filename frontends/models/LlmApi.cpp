//===- LlmApi.cpp - vml_... of gpuvm-models.h -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/JsonSchema.h"
#include "frontends/llm/run/Assistant.h"
#include "frontends/models/Handle.h"

#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <span>
#include <thread>

using namespace vm;
using namespace vm::models;

namespace {
/// What a thread was given last.
struct Given {
  std::vector<int32_t> tokens;
  std::string text;
  std::vector<float> vector;
};
} // namespace

struct gpuvm_llm {
  explicit gpuvm_llm(llm::Assistant opened)
      : assistant(std::move(opened)), device(assistant.run().device()),
        parallel(assistant.run().places()) {}

  llm::Assistant assistant;
  std::string device;
  uint32_t parallel;

  /// A call, which may be within another one (of `show`).
  class Use {
  public:
    explicit Use(gpuvm_llm &llm) : llm(llm) {
      std::lock_guard lock(llm.mutex);
      ++llm.uses;
    }
    ~Use() {
      std::lock_guard lock(llm.mutex);
      if (--llm.uses == 0)
        llm.unused.notify_all();
    }
    Use(const Use &) = delete;

  private:
    gpuvm_llm &llm;
  };
  void waitForCalls() {
    std::unique_lock lock(mutex);
    unused.wait(lock, [this] { return uses == 0; });
  }

  Given &mine() {
    std::lock_guard lock(mutex);
    return given[std::this_thread::get_id()];
  }

private:
  std::mutex mutex; ///< Of what follows.
  std::condition_variable unused;
  size_t uses = 0;
  std::map<std::thread::id, Given> given;
};

static_assert(GPUVM_LLM_END == static_cast<int>(llm::End::EndToken) &&
              GPUVM_LLM_LIMIT == static_cast<int>(llm::End::Limit) &&
              GPUVM_LLM_CONTEXT == static_cast<int>(llm::End::Context) &&
              GPUVM_LLM_CANCELLED == static_cast<int>(llm::End::Cancelled));

static Status nullPointer(const char *what) {
  return {Code::Usage, fmt::format("The {} is a null pointer.", what)};
}

/// Runs `body(llm)`, which returns a Status; vml_close waits for its end.
template <typename Body> static int call(gpuvm_llm *llm, Body body) {
  return guard([&] {
    if (!llm)
      return nullPointer("model");
    gpuvm_llm::Use use(*llm);
    return body(*llm);
  });
}

//===--- Opening ----------------------------------------------------------===//

const char *vml_version(void) { return GPUVM_VERSION; }

uint32_t vml_abi_version(void) { return GPUVM_MODELS_ABI_VERSION; }

const char *vml_last_error(void) { return lastError().c_str(); }

void vml_options_init(gpuvm_llm_options *options) {
  if (!options)
    return;
  *options = {};
  options->struct_bytes = sizeof *options;
  options->parallel = 1;
  options->cache_type = "f16";
}

/// The caller's compiler.
static llm::ModelCompiler compilerOf(const gpuvm_llm_options &options) {
  llm::ModelCompiler compiler;
  compiler.identity = textOf(options.compiler);
  compiler.run = [compile = options.compile, user = options.user](
                     const std::vector<std::string> &arguments) -> Status {
    std::vector<const char *> words;
    for (const std::string &argument : arguments)
      words.push_back(argument.c_str());
    int code = compile(user, words.data(), words.size());
    if (code == 0)
      return {};
    bool isKnown = code > 0 && code <= static_cast<int>(Code::Excess);
    return {isKnown ? Code(code) : Code::BadInput,
            "The model is not compiled."};
  };
  return compiler;
}

static llm::AssistantOptions translate(const gpuvm_llm_options &options) {
  llm::AssistantOptions result;
  result.model = textOf(options.model);
  result.plan = textOf(options.plan);
  result.context = options.context;
  result.parallel = std::max<uint32_t>(1, options.parallel);
  result.positions = options.positions;
  result.keys = result.values = options.cache_type ? options.cache_type : "f16";
  result.isRaw = options.raw != 0;
  result.regulate = textOf(options.regulate);
  result.logprobs = options.logprobs != 0;
  result.embeds = options.embeddings != 0;
  result.device = deviceOf(options.place);
  if (options.compile)
    result.compiler = compilerOf(options);
  return result;
}

int vml_open(const gpuvm_llm_options *options, gpuvm_llm **llm) {
  return guard([&]() -> Status {
    if (!llm)
      return nullPointer("place of the model");
    *llm = nullptr;
    auto full = widen(options, vml_options_init);
    if (!full.ok())
      return full.status();
    auto opened = llm::Assistant::open(translate(*full), [] {});
    if (!opened.ok())
      return opened.status();
    *llm = new gpuvm_llm(std::move(*opened));
    return {};
  });
}

void vml_close(gpuvm_llm *llm) {
  if (llm)
    llm->waitForCalls();
  delete llm;
}

int vml_describe(gpuvm_llm *llm, gpuvm_llm_info *info) {
  return call(llm, [&](gpuvm_llm &own) {
    const llm::Model &model = own.assistant.model();
    gpuvm_llm_info full = {};
    full.architecture = model.architecture.c_str();
    full.device = own.device.c_str();
    full.context = own.assistant.context();
    full.vocabulary = model.vocabulary;
    full.layers = model.layers;
    full.width = model.width;
    full.parallel = own.parallel;
    full.has_template = own.assistant.hasTemplate();
    full.has_logprobs = own.assistant.hasLogprobs();
    return fill(info, full);
  });
}

//===--- Tokens -----------------------------------------------------------===//

static Status give(gpuvm_llm &llm, Result<std::vector<int32_t>> found,
                   const int32_t **tokens, size_t *count) {
  if (!found.ok())
    return found.status();
  if (!tokens || !count)
    return nullPointer("place of the tokens");
  std::vector<int32_t> &mine = llm.mine().tokens;
  mine = std::move(*found);
  *tokens = mine.data();
  *count = mine.size();
  return {};
}

int vml_encode(gpuvm_llm *llm, const char *text, size_t bytes,
               const int32_t **tokens, size_t *count) {
  return call(llm, [&](gpuvm_llm &own) {
    if (!text && bytes)
      return nullPointer("text");
    return give(own, own.assistant.promptOf(std::string(text, bytes)), tokens,
                count);
  });
}

int vml_chat(gpuvm_llm *llm, const char *const *roles,
             const char *const *contents, size_t messages,
             const int32_t **tokens, size_t *count) {
  return call(llm, [&](gpuvm_llm &own) {
    if ((!roles || !contents) && messages)
      return nullPointer("list of messages");
    std::vector<llm::ChatMessage> all;
    for (size_t i = 0; i < messages; ++i)
      all.push_back({textOf(roles[i]), textOf(contents[i])});
    return give(own, own.assistant.promptOf(all), tokens, count);
  });
}

static Status checkToken(const gpuvm_llm &llm, int32_t token) {
  int32_t size = llm.assistant.tokenizer().size();
  if (token >= 0 && token < size)
    return {};
  return {Code::Usage,
          fmt::format("There is no token {} (the model has {}, counted from "
                      "0).",
                      token, size)};
}

int vml_decode(gpuvm_llm *llm, const int32_t *tokens, size_t count,
               const char **text, size_t *bytes) {
  return call(llm, [&](gpuvm_llm &own) {
    if ((!tokens && count) || !text || !bytes)
      return nullPointer("list of tokens");
    std::span<const int32_t> given(tokens, count);
    for (int32_t token : given)
      VM_RETURN_IF_ERROR(checkToken(own, token));
    std::string &mine = own.mine().text;
    mine = own.assistant.tokenizer().decode(given);
    *text = mine.c_str();
    *bytes = mine.size();
    return Status();
  });
}

int vml_token(gpuvm_llm *llm, int32_t token, const char **text, size_t *bytes,
              const char **name) {
  return call(llm, [&](gpuvm_llm &own) {
    if (!text || !bytes || !name)
      return nullPointer("place of the text");
    VM_RETURN_IF_ERROR(checkToken(own, token));
    const std::string &found = own.assistant.tokenizer().bytes(token);
    *text = found.c_str();
    *bytes = found.size();
    *name = own.assistant.tokenizer().name(token).c_str();
    return Status();
  });
}

//===--- Answers ----------------------------------------------------------===//

void vml_question_init(gpuvm_llm_question *question) {
  if (!question)
    return;
  const llm::Sampling sampling;
  *question = {};
  question->struct_bytes = sizeof *question;
  question->most = UINT32_MAX;
  question->temperature = sampling.temperature;
  question->top_k = sampling.topK;
  question->top_p = sampling.topP;
  question->min_p = sampling.minP;
  question->repeat_last_n = sampling.repeatLastN;
  question->repeat_penalty = sampling.repeatPenalty;
  question->presence_penalty = sampling.presencePenalty;
  question->frequency_penalty = sampling.frequencyPenalty;
}

static Status checkRange(const char *name, double value, double least,
                         double most) {
  if (value >= least && value <= most)
    return {};
  return {Code::Usage, fmt::format("{} is {} ({} to {} is possible).", name,
                                   value, least, most)};
}

static Status checkNumbers(const gpuvm_llm_question &question) {
  VM_RETURN_IF_ERROR(checkRange("temperature", question.temperature, 0, 1e6));
  VM_RETURN_IF_ERROR(checkRange("top_p", question.top_p, 0, 1));
  VM_RETURN_IF_ERROR(checkRange("min_p", question.min_p, 0, 1));
  VM_RETURN_IF_ERROR(
      checkRange("repeat_last_n", question.repeat_last_n, -1, INT32_MAX));
  VM_RETURN_IF_ERROR(
      checkRange("repeat_penalty", question.repeat_penalty, 1e-3, 1e3));
  VM_RETURN_IF_ERROR(
      checkRange("presence_penalty", question.presence_penalty, -100, 100));
  return checkRange("frequency_penalty", question.frequency_penalty, -100, 100);
}

static Result<std::shared_ptr<llm::TokenGrammar>>
grammarOf(const llm::Assistant &assistant, const gpuvm_llm_question &question) {
  std::string gbnf = textOf(question.grammar);
  if (question.schema) {
    if (question.grammar)
      return Status(Code::Usage, "An answer has a grammar or a schema, not "
                                 "both.");
    auto made = llm::gbnfOfSchema(question.schema);
    if (!made.ok())
      return made.status();
    gbnf = std::move(*made);
  }
  if (gbnf.empty())
    return std::shared_ptr<llm::TokenGrammar>();
  return assistant.grammarOf(gbnf);
}

static Result<llm::Sampling> samplingOf(const gpuvm_llm &llm,
                                        const gpuvm_llm_question &question) {
  VM_RETURN_IF_ERROR(checkNumbers(question));
  llm::Sampling sampling;
  sampling.temperature = question.temperature;
  sampling.topK = question.top_k;
  sampling.topP = question.top_p;
  sampling.minP = question.min_p;
  sampling.seed = question.seed;
  sampling.repeatLastN = question.repeat_last_n;
  sampling.repeatPenalty = question.repeat_penalty;
  sampling.presencePenalty = question.presence_penalty;
  sampling.frequencyPenalty = question.frequency_penalty;
  for (size_t i = 0; question.biases && i < question.num_biases; ++i) {
    VM_RETURN_IF_ERROR(checkToken(llm, question.biases[i].token));
    sampling.logitBias.emplace_back(question.biases[i].token,
                                    question.biases[i].bias);
  }
  sampling.wantsLogprobs = question.logprobs != 0;
  if (sampling.wantsLogprobs && !llm.assistant.hasLogprobs())
    return Status(Code::Usage, "The model was opened without logprobs.");
  auto grammar = grammarOf(llm.assistant, question);
  if (!grammar.ok())
    return grammar.status();
  sampling.grammar = std::move(*grammar);
  return sampling;
}

/// Calls `show` with a piece as C has it.
static bool show(const gpuvm_llm_question &question, const llm::Piece &piece) {
  std::vector<std::vector<int32_t>> likeliest(piece.tokens.size());
  std::vector<std::vector<float>> logprobs(piece.tokens.size());
  std::vector<gpuvm_llm_token> tokens;
  for (size_t i = 0; i < piece.tokens.size(); ++i) {
    const auto &[drawn, begin] = piece.tokens[i];
    for (auto [token, logprob] : drawn.logprobs->likeliest) {
      likeliest[i].push_back(token);
      logprobs[i].push_back(logprob);
    }
    tokens.push_back({drawn.token, drawn.logprobs->own, begin,
                      likeliest[i].data(), logprobs[i].data(),
                      likeliest[i].size()});
  }
  gpuvm_llm_piece given = {piece.text.c_str(), piece.text.size(), tokens.data(),
                           tokens.size()};
  return question.show(question.user, &given) == 0;
}

static Status answer(gpuvm_llm &llm, const gpuvm_llm_question &question,
                     gpuvm_llm_answer *answer) {
  auto sampling = samplingOf(llm, question);
  if (!sampling.ok())
    return sampling.status();
  std::span<const int32_t> prompt(question.prompt, question.prompt_tokens);
  if (prompt.empty())
    return {Code::Usage, "The prompt has no tokens."};
  for (int32_t token : prompt)
    VM_RETURN_IF_ERROR(checkToken(llm, token));
  std::vector<std::string> stops = textsOf(question.stops, question.num_stops);
  llm::Question wanted;
  wanted.prompt = prompt;
  wanted.most = question.most;
  wanted.sampling = std::move(*sampling);
  wanted.stops = stops;
  wanted.isWanted = [&] { return !isSet(question.cancel); };
  auto found = llm.assistant.answer(wanted, [&](const llm::Piece &piece) {
    bool goesOn = !question.show || show(question, piece);
    return goesOn && !isSet(question.cancel);
  });
  if (!found.ok())
    return found.status();
  if (!answer)
    return {};
  gpuvm_llm_answer full = {};
  full.end = static_cast<int>(found->end);
  full.prompt_tokens = found->promptTokens;
  full.computed_tokens = found->computedTokens;
  full.tokens = found->tokens;
  full.prompt_seconds = found->promptSeconds;
  full.seconds = found->seconds;
  return fill(answer, full);
}

int vml_answer(gpuvm_llm *llm, const gpuvm_llm_question *question,
               gpuvm_llm_answer *found) {
  return call(llm, [&](gpuvm_llm &own) {
    auto full = widen(question, vml_question_init);
    return full.ok() ? answer(own, *full, found) : full.status();
  });
}

int vml_embed(gpuvm_llm *llm, const int32_t *tokens, size_t count,
              const float **vector, size_t *width) {
  return call(llm, [&](gpuvm_llm &own) {
    if (!tokens || !vector || !width)
      return nullPointer("list of tokens");
    std::span<const int32_t> given(tokens, count);
    if (!own.assistant.run().canEmbed())
      return Status(Code::Usage, "The model was opened without embeddings.");
    for (int32_t token : given)
      VM_RETURN_IF_ERROR(checkToken(own, token));
    auto found = own.assistant.embed(given, [] { return true; });
    if (!found.ok())
      return found.status();
    std::vector<float> &mine = own.mine().vector;
    mine = std::move(*found);
    *vector = mine.data();
    *width = mine.size();
    return Status();
  });
}
