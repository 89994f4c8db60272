//===- Service.h - a model for many clients ---------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface is OpenAI's, as llama.cpp's server has it. As many requests as
// the plan has places are answered at a time, others wait in the order in which
// they came.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/run/Assistant.h"
#include "tools/gpuvm-serve/Connection.h"
#include "tools/gpuvm-serve/Requests.h"

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace vm::serve {

struct Limits {
  uint32_t waiting = 16; ///< Requests that wait.
};

class Service {
public:
  /// `name`: of the model, as clients see it.
  Service(llm::Assistant assistant, std::string name, Limits limits)
      : assistant_(std::move(assistant)), name_(std::move(name)),
        limits_(limits), places_(assistant_.scheduler().places().size()) {}

  void addRoutes(httplib::Server &server);

private:
  /// Of a request that is answered or waits. False: too many wait.
  class Ticket;

  /// What is asked, with its place and the client that asked.
  struct Accepted;

  void complete(const httplib::Request &request, httplib::Response &response,
                bool isChat);
  void stream(std::shared_ptr<const Accepted> accepted,
              httplib::Response &response);
  void answerAtOnce(const Accepted &accepted, httplib::Response &response);
  Result<std::vector<int32_t>> promptOf(const Request &request,
                                        bool isChat) const;
  Json chunk(bool isChat, const std::string &id, int64_t created) const;
  Json choiceOf(const Accepted &accepted, const llm::Piece &piece,
                std::string_view text, const Json &message) const;
  Json usageOf(const llm::Answer &answer) const;
  void addSummary(Json &json, const Request &request,
                  const llm::Answer &answer) const;
  Result<std::vector<std::vector<int32_t>>>
  textsOf(const EmbeddingRequest &request) const;
  void embed(const httplib::Request &request, httplib::Response &response);
  void tokenize(const httplib::Request &request, httplib::Response &response);
  void detokenize(const httplib::Request &request, httplib::Response &response);
  void count(const llm::Answer &answer);
  std::string metrics() const;
  Json slots() const;

  llm::Assistant assistant_;
  std::string name_;
  Limits limits_;

  size_t places_; ///< Requests that are answered at once.
  std::atomic<size_t> inside_ =
      0;                     ///< Requests with a ticket, and refused ones.
  mutable std::mutex mutex_; ///< Of the norms.

  std::optional<llm::AttentionNorms> norms_; ///< Of the last answer.
  std::atomic<uint64_t> answers_ = 0, promptTokens_ = 0, tokens_ = 0,
                        embeddings_ = 0;
};

} // namespace vm::serve
