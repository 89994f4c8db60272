//===- Requests.h - what clients ask, from JSON -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/chat/ChatTemplate.h"
#include "frontends/llm/run/ModelRun.h"

#include <nlohmann/json.hpp>

#include <string>
#include <variant>
#include <vector>

namespace vm::serve {

using Json = nlohmann::ordered_json;

/// The most of what one request may have.
inline constexpr size_t kMaxMessages = 4096, kMaxStops = 16,
                        kMaxStopBytes = 256, kMaxBiases = 1024,
                        kMaxLevels = 256, kMaxTexts = 2048;

/// An answer that is asked for, with the defaults of llama.cpp's server.
struct Request {
  std::vector<llm::ChatMessage> messages; ///< Of a chat.
  std::string prompt;                     ///< Of a completion.
  llm::Sampling sampling;
  uint32_t most = UINT32_MAX; ///< Tokens.
  std::vector<std::string> stops;
  bool isStreamed = false;
  bool wantsUsage = false; ///< At the end of a stream.
  std::string grammar;     ///< GBNF of the answer; "": any text.
  uint32_t likeliest = 0;  ///< Tokens with log probabilities, of each step.
};

/// Vectors of texts that are asked for.
struct EmbeddingRequest {
  /// Each a text, or tokens.
  std::vector<std::variant<std::string, std::vector<int32_t>>> texts;
  bool isBase64 = false;
  uint32_t dimensions = 0; ///< The first so many numbers; 0: all.
};

/// The object that a body is; BadInput with a sentence if it is none.
Result<Json> parseObject(const std::string &body);

/// BadInput with a sentence that names the field, what is there and what may
/// be. Fields that nothing here knows are ignored, as of other servers.
Result<Request> readChat(const Json &body);
Result<Request> readCompletion(const Json &body);
/// `vocabulary`: the number of tokens; `width`: of the model's vectors.
Result<EmbeddingRequest> readEmbedding(const Json &body, int32_t vocabulary,
                                       uint32_t width);

/// A field of an object; BadInput if it is missing or of another type.
Result<std::string> stringOf(const Json &body, const char *key);
Result<std::vector<int32_t>> tokensOf(const Json &body, const char *key,
                                      int32_t size);

} // namespace vm::serve
