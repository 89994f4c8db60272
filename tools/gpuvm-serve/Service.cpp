//===- Service.cpp - a model for many clients -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-serve/Service.h"

#include "frontends/Base64.h"
#include "tools/gpuvm-serve/LogprobFields.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <iterator>
#include <optional>
#include <random>

namespace vm::serve {

//===----------------------------------------------------------------------===//
// Replies
//===----------------------------------------------------------------------===//

static void reply(httplib::Response &response, const Json &json,
                  int status = 200) {
  response.status = status;
  response.set_content(
      json.dump(-1, ' ', false, Json::error_handler_t::replace),
      "application/json");
}

static Json errorOf(const std::string &message, const char *type, int status) {
  return {{"error", {{"message", message}, {"type", type}, {"code", status}}}};
}

static void refuse(httplib::Response &response, const Status &status) {
  bool isClients =
      status.code() == Code::BadInput || status.code() == Code::Usage;
  int code = isClients ? 400 : 500;
  reply(response,
        errorOf(status.message(),
                isClients ? "invalid_request_error" : "server_error", code),
        code);
}

static const char *finishReason(llm::End end) {
  return end == llm::End::Limit || end == llm::End::Context ? "length" : "stop";
}

/// Another one each time.
static std::string newId(bool isChat) {
  static std::atomic<uint64_t> count = std::random_device{}();
  return fmt::format("{}-{:016x}", isChat ? "chatcmpl" : "cmpl", count++);
}

//===----------------------------------------------------------------------===//
// Tickets
//===----------------------------------------------------------------------===//

class Service::Ticket {
public:
  explicit Ticket(Service &service)
      : service(service), isGranted(service.inside_.fetch_add(1) <
                                    service.places_ + service.limits_.waiting) {
  }
  ~Ticket() { --service.inside_; }
  Ticket(const Ticket &) = delete;
  Ticket &operator=(const Ticket &) = delete;

  explicit operator bool() const { return isGranted; }

private:
  Service &service;
  bool isGranted;
};

struct Service::Accepted {
  Accepted(Service &service, const httplib::Request &from, bool isChat)
      : ticket(service), connection(from), isChat(isChat) {}

  Ticket ticket;
  Connection connection;
  bool isChat;
  Request request;
  std::vector<int32_t> prompt;

  llm::Question question() const {
    return {prompt, request.most, request.sampling, request.stops,
            [this] { return connection.isOpen(); }};
  }
};

static void refuseForNow(httplib::Response &response) {
  reply(response, errorOf("Too many requests wait.", "server_error", 503), 503);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Result<std::vector<int32_t>> Service::promptOf(const Request &request,
                                               bool isChat) const {
  if (!isChat)
    return assistant_.promptOf(request.prompt);
  return assistant_.promptOf(request.messages);
}

Json Service::chunk(bool isChat, const std::string &id, int64_t created) const {
  return {{"id", id},
          {"object", isChat ? "chat.completion.chunk" : "text_completion"},
          {"created", created},
          {"model", name_},
          {"system_fingerprint", "gpuvm-" GPUVM_VERSION}};
}

Json Service::usageOf(const llm::Answer &answer) const {
  return {{"prompt_tokens", answer.promptTokens},
          {"completion_tokens", answer.tokens},
          {"total_tokens", answer.promptTokens + answer.tokens},
          {"prompt_tokens_details",
           {{"cached_tokens", answer.promptTokens - answer.computedTokens}}}};
}

/// llama.cpp's `generation_settings`: what tokens were drawn with, of which the
/// seed may have been drawn, too.
static Json settingsOf(const Request &request) {
  const llm::Sampling &sampling = request.sampling;
  return {{"seed", sampling.seed},
          {"temperature", sampling.temperature},
          {"top_k", sampling.topK},
          {"top_p", sampling.topP},
          {"min_p", sampling.minP},
          {"repeat_last_n", sampling.repeatLastN},
          {"repeat_penalty", sampling.repeatPenalty},
          {"presence_penalty", sampling.presencePenalty},
          {"frequency_penalty", sampling.frequencyPenalty}};
}

/// llama.cpp's `timings`.
static Json timingsOf(const llm::Answer &answer) {
  auto perSecond = [](size_t tokens, double seconds) {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  };
  return {{"cache_n", answer.promptTokens - answer.computedTokens},
          {"prompt_n", answer.computedTokens},
          {"prompt_ms", answer.promptSeconds * 1e3},
          {"prompt_per_second",
           perSecond(answer.computedTokens, answer.promptSeconds)},
          {"predicted_n", answer.tokens},
          {"predicted_ms", answer.seconds * 1e3},
          {"predicted_per_second", perSecond(answer.tokens, answer.seconds)}};
}

/// What llama.cpp's server says with an answer, or with the end of a stream.
void Service::addSummary(Json &json, const Request &request,
                         const llm::Answer &answer) const {
  json["generation_settings"] = settingsOf(request);
  json["timings"] = timingsOf(answer);
}

/// With a piece of an answer, whose text is `text` up to its end. `message`: a
/// chat's "message" or "delta".
Json Service::choiceOf(const Accepted &accepted, const llm::Piece &piece,
                       std::string_view text, const Json &message) const {
  Json choice = {{"index", 0}};
  if (accepted.isChat)
    choice.update(message);
  else
    choice["text"] = piece.text;
  const Request &request = accepted.request;
  if (!request.sampling.wantsLogprobs)
    return choice;
  const llm::Tokenizer &tokenizer = assistant_.tokenizer();
  choice["logprobs"] =
      piece.tokens.empty() ? Json()
      : accepted.isChat
          ? logprobsOfChat(tokenizer, piece.tokens, request.likeliest)
          : logprobsOfCompletion(tokenizer, piece.tokens, request.likeliest,
                                 text);
  return choice;
}

void Service::answerAtOnce(const Accepted &accepted,
                           httplib::Response &response) {
  bool isChat = accepted.isChat;
  llm::Piece whole;
  Result<llm::Answer> answer =
      assistant_.answer(accepted.question(), [&](const llm::Piece &piece) {
        whole.text += piece.text;
        std::ranges::copy(piece.tokens, std::back_inserter(whole.tokens));
        return true;
      });
  if (!answer.ok())
    return refuse(response, answer.status());
  count(*answer);

  Json message = {{"role", "assistant"}, {"content", answer->text}};
  Json choice = choiceOf(accepted, whole, answer->text,
                         {{"message", std::move(message)}});
  choice["finish_reason"] = finishReason(answer->end);
  Json json = chunk(isChat, newId(isChat), std::time(nullptr));
  json["object"] = isChat ? "chat.completion" : "text_completion";
  json["choices"] = Json::array({choice});
  json["usage"] = usageOf(*answer);
  addSummary(json, accepted.request, *answer);
  reply(response, json);
}

void Service::stream(std::shared_ptr<const Accepted> accepted,
                     httplib::Response &response) {
  auto provide = [this, accepted = std::move(accepted)](
                     size_t, httplib::DataSink &sink) {
    const Request &request = accepted->request;
    bool isChat = accepted->isChat;
    std::string id = newId(isChat);
    auto created = static_cast<int64_t>(std::time(nullptr));
    auto send = [&](const Json &json) {
      std::string line =
          "data: " + json.dump(-1, ' ', false, Json::error_handler_t::replace) +
          "\n\n";
      return sink.is_writable() && sink.write(line.data(), line.size());
    };
    std::string text; // So far.
    bool isFirst = true;
    auto sendPiece = [&](const llm::Piece &piece, const llm::Answer *finished) {
      Json delta = Json::object();
      if (!finished)
        delta["content"] = piece.text;
      if (isFirst && !finished)
        delta["role"] = "assistant";
      isFirst = false;
      text += piece.text;
      Json choice =
          choiceOf(*accepted, piece, text, {{"delta", std::move(delta)}});
      choice["finish_reason"] =
          finished ? Json(finishReason(finished->end)) : Json();
      Json json = chunk(isChat, id, created);
      json["choices"] = Json::array({choice});
      if (finished)
        addSummary(json, request, *finished);
      return send(json);
    };

    Result<llm::Answer> answer =
        assistant_.answer(accepted->question(), [&](const llm::Piece &piece) {
          return sendPiece(piece, nullptr);
        });
    if (answer.ok()) {
      count(*answer);
      sendPiece({}, &*answer);
      if (request.wantsUsage) {
        Json json = chunk(isChat, id, created);
        json["choices"] = Json::array();
        json["usage"] = usageOf(*answer);
        send(json);
      }
    } else {
      send(errorOf(answer.status().message(), "server_error", 500));
    }
    constexpr std::string_view kEnd = "data: [DONE]\n\n";
    if (sink.is_writable())
      sink.write(kEnd.data(), kEnd.size());
    sink.done();
    return true;
  };
  response.set_chunked_content_provider("text/event-stream",
                                        std::move(provide));
}

void Service::complete(const httplib::Request &request,
                       httplib::Response &response, bool isChat) {
  Result<Json> body = parseObject(request.body);
  if (!body.ok())
    return refuse(response, body.status());
  Result<Request> wanted = isChat ? readChat(*body) : readCompletion(*body);
  if (!wanted.ok())
    return refuse(response, wanted.status());
  if (!wanted->grammar.empty()) {
    auto grammar = assistant_.grammarOf(wanted->grammar);
    if (!grammar.ok())
      return refuse(response, grammar.status());
    wanted->sampling.grammar = std::move(*grammar);
  }
  if (wanted->sampling.wantsLogprobs && !assistant_.hasLogprobs())
    return refuse(response,
                  {Code::BadInput, "\"logprobs\" are not told by this server "
                                   "(it is started without --logprobs)."});
  for (auto [token, bias] : wanted->sampling.logitBias)
    if (uint32_t(token) >= assistant_.model().vocabulary)
      return refuse(response,
                    {Code::BadInput,
                     fmt::format("\"logit_bias\" has token {}, which is none "
                                 "(0 to {}).",
                                 token, assistant_.model().vocabulary - 1)});
  auto prompt = promptOf(*wanted, isChat);
  if (!prompt.ok())
    return refuse(response, prompt.status());
  if (prompt->size() >= assistant_.context())
    return refuse(response,
                  {Code::BadInput,
                   fmt::format("The prompt has {} tokens, and the context has "
                               "room for {} with an answer.",
                               prompt->size(), assistant_.context() - 1)});
  auto accepted = std::make_shared<Accepted>(*this, request, isChat);
  if (!accepted->ticket)
    return refuseForNow(response);
  accepted->request = std::move(*wanted);
  accepted->prompt = std::move(*prompt);
  if (accepted->request.isStreamed)
    stream(std::move(accepted), response);
  else
    answerAtOnce(*accepted, response);
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

/// The first of its numbers, of length 1 again.
static void shorten(std::vector<float> &vector, uint32_t dimensions) {
  if (dimensions == 0 || dimensions == vector.size())
    return;
  vector.resize(dimensions);
  double squares = 0;
  for (float x : vector)
    squares += static_cast<double>(x) * x;
  for (float &x : vector)
    x = squares > 0 ? static_cast<float>(x / std::sqrt(squares)) : 0;
}

/// Base64 of little-endian floats, or an array.
static Json encode(const std::vector<float> &vector, bool isBase64) {
  static_assert(std::endian::native == std::endian::little);
  if (!isBase64)
    return vector;
  return encodeBase64({reinterpret_cast<const char *>(vector.data()),
                       vector.size() * sizeof(float)});
}

Result<std::vector<std::vector<int32_t>>>
Service::textsOf(const EmbeddingRequest &request) const {
  uint32_t context = assistant_.context();
  std::vector<std::vector<int32_t>> texts;
  for (const auto &text : request.texts) {
    Result<std::vector<int32_t>> tokens = std::vector<int32_t>();
    if (auto *given = std::get_if<std::vector<int32_t>>(&text))
      tokens = *given;
    else
      tokens = assistant_.promptOf(std::get<std::string>(text));
    if (!tokens.ok())
      return tokens.status();
    if (tokens->size() > context)
      return Status(Code::BadInput,
                    fmt::format("\"input\" holds a text of {} tokens, and the "
                                "context has room for {}.",
                                tokens->size(), context));
    texts.push_back(std::move(*tokens));
  }
  return texts;
}

void Service::embed(const httplib::Request &request,
                    httplib::Response &response) {
  Result<Json> body = parseObject(request.body);
  if (!body.ok())
    return refuse(response, body.status());
  auto wanted = readEmbedding(*body, assistant_.tokenizer().size(),
                              assistant_.model().width);
  if (!wanted.ok())
    return refuse(response, wanted.status());
  auto texts = textsOf(*wanted);
  if (!texts.ok())
    return refuse(response, texts.status());
  Ticket ticket(*this);
  if (!ticket)
    return refuseForNow(response);
  Connection connection(request);
  auto isWanted = [&] { return connection.isOpen(); };
  size_t count = 0;
  Json data = Json::array();
  for (const std::vector<int32_t> &tokens : *texts) {
    count += tokens.size();
    Result<std::vector<float>> vector = assistant_.embed(tokens, isWanted);
    if (!vector.ok())
      return refuse(response, vector.status());
    if (vector->empty() || !isWanted())
      return; // Nothing reads the answer.
    shorten(*vector, wanted->dimensions);
    data.push_back({{"object", "embedding"},
                    {"index", data.size()},
                    {"embedding", encode(*vector, wanted->isBase64)}});
  }
  embeddings_ += texts->size();
  promptTokens_ += count;
  reply(response,
        {{"object", "list"},
         {"data", std::move(data)},
         {"model", name_},
         {"usage", {{"prompt_tokens", count}, {"total_tokens", count}}}});
}

//===----------------------------------------------------------------------===//
// Other routes
//===----------------------------------------------------------------------===//

void Service::tokenize(const httplib::Request &request,
                       httplib::Response &response) {
  Result<Json> body = parseObject(request.body);
  if (!body.ok())
    return refuse(response, body.status());
  Result<std::string> text = stringOf(*body, "content");
  if (!text.ok())
    return refuse(response, text.status());
  auto tokens = assistant_.tokenizer().encodeText(*text);
  if (!tokens.ok())
    return refuse(response, tokens.status());
  reply(response, {{"tokens", *tokens}});
}

void Service::detokenize(const httplib::Request &request,
                         httplib::Response &response) {
  Result<Json> body = parseObject(request.body);
  if (!body.ok())
    return refuse(response, body.status());
  auto tokens = tokensOf(*body, "tokens", assistant_.tokenizer().size());
  if (!tokens.ok())
    return refuse(response, tokens.status());
  reply(response, {{"content", assistant_.tokenizer().decode(*tokens)}});
}

void Service::count(const llm::Answer &answer) {
  ++answers_;
  promptTokens_ += answer.promptTokens;
  tokens_ += answer.tokens;
  std::lock_guard lock(mutex_);
  norms_ = answer.norms;
}

/// Of each layer.
static std::string metricsOf(const llm::AttentionNorms &norms) {
  std::string text;
  auto add = [&](const char *name, const char *type, const char *help,
                 const auto &values) {
    text += fmt::format("# HELP gpuvm_{0} {2}\n# TYPE gpuvm_{0} {1}\n", name,
                        type, help);
    for (size_t layer = 0; layer < values.size(); ++layer)
      text += fmt::format("gpuvm_{}{{layer=\"{}\"}} {}\n", name, layer,
                          values[layer]);
  };
  add("attention_norm", "gauge", "The largest norm of attention so far.",
      norms.largest);
  add("attention_outside_total", "counter",
      "Tokens whose norm of attention was out of the band.", norms.outside);
  return text;
}

/// In the text format of Prometheus.
std::string Service::metrics() const {
  std::string text;
  auto add = [&](const char *name, const char *type, const char *help,
                 uint64_t value) {
    text += fmt::format("# HELP gpuvm_{0} {2}\n# TYPE gpuvm_{0} {1}\n"
                        "gpuvm_{0} {3}\n",
                        name, type, help, value);
  };
  auto places = assistant_.scheduler().places();
  auto busy = std::ranges::count_if(
      places, [](const auto &place) { return place.isBusy; });
  add("answers_total", "counter", "Answers that were given.", answers_);
  add("embeddings_total", "counter", "Vectors that were made of texts.",
      embeddings_);
  add("prompt_tokens_total", "counter", "Tokens of prompts.", promptTokens_);
  add("tokens_total", "counter", "Tokens that were generated.", tokens_);
  add("requests_processing", "gauge", "Requests that are being answered.",
      busy);
  add("requests_deferred", "gauge", "Requests that wait.",
      assistant_.scheduler().waiting());
  std::lock_guard lock(mutex_);
  if (norms_)
    text += metricsOf(*norms_);
  return text;
}

Json Service::slots() const {
  Json all = Json::array();
  for (const llm::Scheduler::Place &place : assistant_.scheduler().places())
    all.push_back({{"id", all.size()},
                   {"n_ctx", assistant_.context()},
                   {"is_processing", place.isBusy},
                   {"n_past", place.tokens}});
  return all;
}

void Service::addRoutes(httplib::Server &server) {
  using In = const httplib::Request &;
  using Out = httplib::Response &;
  server.Get("/health", [](In, Out out) { reply(out, {{"status", "ok"}}); });
  Json model = {{"id", name_},
                {"object", "model"},
                {"created", static_cast<int64_t>(std::time(nullptr))},
                {"owned_by", "gpuvm"}};
  server.Get("/v1/models", [model](In, Out out) {
    reply(out, {{"object", "list"}, {"data", Json::array({model})}});
  });
  server.Get("/v1/models/(.+)", [this, model](In in, Out out) {
    if (in.matches[1] == name_)
      return reply(out, model);
    reply(out,
          errorOf(fmt::format("There is no model \"{}\", only \"{}\".",
                              in.matches[1].str(), name_),
                  "not_found_error", 404),
          404);
  });
  // What no route answers: a path that is none, a body that is too large.
  server.set_error_handler([](In in, Out out) {
    if (!out.body.empty())
      return;
    std::string message = fmt::format("{} {}: ", in.method, in.path);
    message += out.status == 404   ? "There is no such route."
               : out.status == 413 ? "The body is too large (--max-body)."
                                   : "This is no request.";
    reply(out, errorOf(message, "invalid_request_error", out.status),
          out.status);
  });
  server.Get("/metrics", [this](In, Out out) {
    out.set_content(metrics(), "text/plain; version=0.0.4");
  });
  server.Get("/slots", [this](In, Out out) { reply(out, slots()); });
  server.Post("/v1/chat/completions",
              [this](In in, Out out) { complete(in, out, true); });
  server.Post("/v1/completions",
              [this](In in, Out out) { complete(in, out, false); });
  server.Post("/v1/embeddings", [this](In in, Out out) { embed(in, out); });
  server.Post("/tokenize", [this](In in, Out out) { tokenize(in, out); });
  server.Post("/detokenize", [this](In in, Out out) { detokenize(in, out); });
}

} // namespace vm::serve
