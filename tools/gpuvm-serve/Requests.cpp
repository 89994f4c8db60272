//===- Requests.cpp - what clients ask, from JSON -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-serve/Requests.h"

#include "frontends/llm/grammar/JsonSchema.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <random>

namespace vm::serve {

static Status bad(std::string message) {
  return {Code::BadInput, std::move(message)};
}

Result<Json> parseObject(const std::string &body) {
  // What is printed, or read as a schema, level by level.
  if (size_t depth = llm::jsonDepth(body); depth > kMaxLevels)
    return bad(fmt::format("The JSON of the body has {} levels (at "
                           "most {} are allowed).",
                           depth, kMaxLevels));
  Json json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return bad("The body is not JSON.");
  if (!json.is_object())
    return bad(fmt::format("The body is {}, not an object.", json.type_name()));
  return json;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// Null where it is missing or null.
static const Json *find(const Json &body, const char *key) {
  auto found = body.find(key);
  return found == body.end() || found->is_null() ? nullptr : &*found;
}

Result<std::string> stringOf(const Json &body, const char *key) {
  const Json *value = find(body, key);
  if (!value)
    return bad(fmt::format("\"{}\" is missing.", key));
  if (!value->is_string())
    return bad(
        fmt::format("\"{}\" is {}, not a string.", key, value->type_name()));
  return value->get<std::string>();
}

static Result<std::vector<int32_t>> tokensIn(const Json &array, const char *key,
                                             int32_t size) {
  std::vector<int32_t> tokens;
  for (const Json &token : array) {
    if (!token.is_number_integer() || token.get<int64_t>() < 0 ||
        token.get<int64_t>() >= size)
      return bad(fmt::format("\"{}\" holds {}, which is no token (0 to {}).",
                             key, token.dump().substr(0, 40), size - 1));
    tokens.push_back(token.get<int32_t>());
  }
  return tokens;
}

Result<std::vector<int32_t>> tokensOf(const Json &body, const char *key,
                                      int32_t size) {
  const Json *value = find(body, key);
  if (!value || !value->is_array())
    return bad(fmt::format("\"{}\" is not an array of tokens.", key));
  return tokensIn(*value, key, size);
}

static Status readNumber(const Json &body, const char *key, double least,
                         double most, float &number) {
  const Json *value = find(body, key);
  if (!value)
    return {};
  if (!value->is_number() || !(value->get<double>() >= least) ||
      !(value->get<double>() <= most))
    return bad(fmt::format("\"{}\" is {}, not a number from {} to {}.", key,
                           value->dump().substr(0, 40), least, most));
  number = value->get<float>();
  return {};
}

template <typename T>
static Status readCount(const Json &body, const char *key, int64_t least,
                        int64_t most, T &number) {
  const Json *value = find(body, key);
  if (!value)
    return {};
  if (!value->is_number_integer() || value->get<int64_t>() < least ||
      value->get<int64_t>() > most)
    return bad(fmt::format("\"{}\" is {}, not an integer from {} to {}.", key,
                           value->dump().substr(0, 40), least, most));
  number = static_cast<T>(value->get<int64_t>());
  return {};
}

static Status readFlag(const Json &body, const char *key, bool &flag) {
  const Json *value = find(body, key);
  if (!value)
    return {};
  if (!value->is_boolean())
    return bad(fmt::format("\"{}\" is {}, not true or false.", key,
                           value->dump().substr(0, 40)));
  flag = value->get<bool>();
  return {};
}

static Status readStops(const Json &body, std::vector<std::string> &stops) {
  const Json *value = find(body, "stop");
  if (!value)
    return {};
  Json list = value->is_array() ? *value : Json::array({*value});
  if (list.size() > kMaxStops)
    return bad(fmt::format("\"stop\" has {} strings (at most {} are allowed).",
                           list.size(), kMaxStops));
  for (const Json &stop : list) {
    if (!stop.is_string() || stop.get_ref<const std::string &>().empty() ||
        stop.get_ref<const std::string &>().size() > kMaxStopBytes)
      return bad(fmt::format("\"stop\" holds {}, not a string of 1 to {} "
                             "bytes.",
                             stop.dump().substr(0, 40), kMaxStopBytes));
    stops.push_back(stop.get<std::string>());
  }
  return {};
}

/// {"token": bias}, or [[token, bias]], where false is a bias of -infinity.
static Status readBias(const Json &body, llm::Sampling &sampling) {
  const Json *value = find(body, "logit_bias");
  if (!value)
    return {};
  if ((!value->is_object() && !value->is_array()) || value->size() > kMaxBiases)
    return bad(fmt::format("\"logit_bias\" is not an object of at most {} "
                           "tokens.",
                           kMaxBiases));
  for (const auto &[key, entry] : value->items()) {
    bool isPair = value->is_array() && entry.is_array() && entry.size() == 2 &&
                  entry[0].is_number_integer();
    std::string name = isPair ? std::to_string(entry[0].get<int64_t>())
                       : value->is_object() ? key
                                            : "";
    const Json &own = isPair ? entry[1] : entry;
    int32_t token = -1;
    auto read = std::from_chars(name.data(), name.data() + name.size(), token);
    bool isToken = !name.empty() && read.ec == std::errc() && token >= 0 &&
                   read.ptr == name.data() + name.size();
    bool isBias = own.is_number() && std::abs(own.get<double>()) <= 1e6;
    if (!isToken || (!isBias && own != Json(false)))
      return bad("\"logit_bias\" has what is no token with a number from "
                 "-1000000 to 1000000.");
    sampling.logitBias.emplace_back(token, isBias ? own.get<float>()
                                                  : llm::kForbidden);
  }
  return {};
}

static Status readSchema(const Json &schema, Request &request) {
  Result<std::string> gbnf = llm::gbnfOfSchema(schema.dump());
  if (!gbnf.ok())
    return gbnf.status();
  request.grammar = std::move(*gbnf);
  return {};
}

/// OpenAI's `response_format`.
static Status readFormat(const Json &format, Request &request) {
  if (!format.is_object())
    return bad("\"response_format\" is not an object.");
  Result<std::string> type = stringOf(format, "type");
  if (!type.ok())
    return type.status();
  const Json *schema = find(format, "schema");
  if (*type == "json_schema")
    if (const Json *inner = find(format, "json_schema");
        inner && inner->is_object())
      schema = find(*inner, "schema");
  if (*type == "text")
    return {};
  if (*type != "json_object" && *type != "json_schema")
    return bad(fmt::format("\"response_format\" is of type \"{}\", not "
                           "\"text\", \"json_object\" or \"json_schema\".",
                           type->substr(0, 40)));
  if (schema)
    return readSchema(*schema, request);
  if (*type == "json_schema")
    return bad("\"response_format\" has no \"json_schema\" with a \"schema\".");
  request.grammar = llm::gbnfOfObjects();
  return {};
}

static Status readGrammar(const Json &body, Request &request) {
  const Json *grammar = find(body, "grammar");
  const Json *schema = find(body, "json_schema");
  const Json *format = find(body, "response_format");
  if ((grammar != nullptr) + (schema != nullptr) + (format != nullptr) > 1)
    return bad("Of \"grammar\", \"json_schema\" and \"response_format\" more "
               "than one is there.");
  if (schema)
    return readSchema(*schema, request);
  if (format)
    return readFormat(*format, request);
  if (!grammar)
    return {};
  Result<std::string> text = stringOf(body, "grammar");
  if (!text.ok())
    return text.status();
  request.grammar = std::move(*text);
  return {};
}

static Status readPenalties(const Json &body, llm::Sampling &sampling) {
  VM_RETURN_IF_ERROR(
      readCount(body, "repeat_last_n", -1, INT32_MAX, sampling.repeatLastN));
  VM_RETURN_IF_ERROR(
      readNumber(body, "repeat_penalty", 0.001, 1000, sampling.repeatPenalty));
  VM_RETURN_IF_ERROR(readNumber(body, "presence_penalty", -100, 100,
                                sampling.presencePenalty));
  return readNumber(body, "frequency_penalty", -100, 100,
                    sampling.frequencyPenalty);
}

/// What chats and completions have in common.
static Status readOptions(const Json &body, Request &request) {
  llm::Sampling &sampling = request.sampling;
  VM_RETURN_IF_ERROR(
      readNumber(body, "temperature", 0, 100, sampling.temperature));
  VM_RETURN_IF_ERROR(readNumber(body, "top_p", 0, 1, sampling.topP));
  VM_RETURN_IF_ERROR(readNumber(body, "min_p", 0, 1, sampling.minP));
  VM_RETURN_IF_ERROR(readCount(body, "top_k", 0, INT32_MAX, sampling.topK));
  int64_t seed = -1;
  VM_RETURN_IF_ERROR(readCount(body, "seed", -1, INT64_MAX, seed));
  sampling.seed =
      seed < 0 ? std::random_device{}() : static_cast<uint64_t>(seed);
  VM_RETURN_IF_ERROR(readCount(body, "max_tokens", 0, INT32_MAX, request.most));
  VM_RETURN_IF_ERROR(
      readCount(body, "max_completion_tokens", 0, INT32_MAX, request.most));
  uint32_t answers = 1;
  VM_RETURN_IF_ERROR(readCount(body, "n", 1, 1, answers));
  VM_RETURN_IF_ERROR(readPenalties(body, sampling));
  VM_RETURN_IF_ERROR(readBias(body, sampling));
  VM_RETURN_IF_ERROR(readGrammar(body, request));
  VM_RETURN_IF_ERROR(readStops(body, request.stops));
  VM_RETURN_IF_ERROR(readFlag(body, "stream", request.isStreamed));
  if (const Json *options = find(body, "stream_options")) {
    if (!options->is_object())
      return bad("\"stream_options\" is not an object.");
    VM_RETURN_IF_ERROR(readFlag(*options, "include_usage", request.wantsUsage));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// A string, or an array of parts of which each has a text.
static Result<std::string> contentOf(const Json &message) {
  const Json *content = find(message, "content");
  if (!content || !content->is_array())
    return stringOf(message, "content");
  std::string all;
  for (const Json &part : *content) {
    if (!part.is_object() || part.value("type", "") != "text")
      return bad("A part of a message's \"content\" is not a text.");
    Result<std::string> text = stringOf(part, "text");
    if (!text.ok())
      return text.status();
    all += *text;
  }
  return all;
}

/// `logprobs` (a flag) and `top_logprobs` of OpenAI's chats.
static Status readChatLogprobs(const Json &body, Request &request) {
  bool &isWanted = request.sampling.wantsLogprobs;
  VM_RETURN_IF_ERROR(readFlag(body, "logprobs", isWanted));
  VM_RETURN_IF_ERROR(
      readCount(body, "top_logprobs", 0, llm::kLogprobs, request.likeliest));
  if (request.likeliest > 0 && !isWanted)
    return bad("\"top_logprobs\" is there without \"logprobs\": true.");
  return {};
}

Result<Request> readChat(const Json &body) {
  Request request;
  VM_RETURN_IF_ERROR(readOptions(body, request));
  VM_RETURN_IF_ERROR(readChatLogprobs(body, request));
  const Json *messages = find(body, "messages");
  if (!messages || !messages->is_array() || messages->empty())
    return bad("\"messages\" is not an array of at least one message.");
  if (messages->size() > kMaxMessages)
    return bad(fmt::format("\"messages\" has {} messages (at most {} are "
                           "allowed).",
                           messages->size(), kMaxMessages));
  for (const Json &message : *messages) {
    if (!message.is_object())
      return bad(
          fmt::format("A message is {}, not an object.", message.type_name()));
    Result<std::string> role = stringOf(message, "role");
    if (!role.ok())
      return role.status();
    Result<std::string> content = contentOf(message);
    if (!content.ok())
      return content.status();
    request.messages.push_back({std::move(*role), std::move(*content)});
  }
  return request;
}

Result<Request> readCompletion(const Json &body) {
  Request request;
  VM_RETURN_IF_ERROR(readOptions(body, request));
  VM_RETURN_IF_ERROR(
      readCount(body, "logprobs", 0, llm::kLogprobs, request.likeliest));
  request.sampling.wantsLogprobs = find(body, "logprobs") != nullptr;
  Result<std::string> prompt = stringOf(body, "prompt");
  if (!prompt.ok())
    return prompt.status();
  request.prompt = std::move(*prompt);
  return request;
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

static Status addText(const Json &text, int32_t vocabulary,
                      EmbeddingRequest &request) {
  if (text.is_string() && !text.get_ref<const std::string &>().empty()) {
    request.texts.emplace_back(text.get<std::string>());
    return {};
  }
  if (!text.is_array() || text.empty())
    return bad(fmt::format("\"input\" holds {}, which is neither a text nor an "
                           "array of tokens, of one at least.",
                           text.dump().substr(0, 40)));
  Result<std::vector<int32_t>> tokens = tokensIn(text, "input", vocabulary);
  if (!tokens.ok())
    return tokens.status();
  request.texts.emplace_back(std::move(*tokens));
  return {};
}

Result<EmbeddingRequest> readEmbedding(const Json &body, int32_t vocabulary,
                                       uint32_t width) {
  EmbeddingRequest request;
  VM_RETURN_IF_ERROR(
      readCount(body, "dimensions", 1, width, request.dimensions));
  if (find(body, "encoding_format")) {
    Result<std::string> format = stringOf(body, "encoding_format");
    if (!format.ok())
      return format.status();
    if (*format != "float" && *format != "base64")
      return bad(fmt::format("\"encoding_format\" is {}, not \"float\" or "
                             "\"base64\".",
                             Json(*format).dump().substr(0, 40)));
    request.isBase64 = *format == "base64";
  }
  const Json *input = find(body, "input");
  if (!input)
    return bad("\"input\" is missing.");
  bool isList = input->is_array() && !input->empty() &&
                (input->front().is_string() || input->front().is_array());
  if (!isList) {
    VM_RETURN_IF_ERROR(addText(*input, vocabulary, request));
    return request;
  }
  if (input->size() > kMaxTexts)
    return bad(fmt::format("\"input\" has {} texts (at most {} are allowed).",
                           input->size(), kMaxTexts));
  for (const Json &text : *input)
    VM_RETURN_IF_ERROR(addText(text, vocabulary, request));
  return request;
}

} // namespace vm::serve
