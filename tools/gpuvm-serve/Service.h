//===- Service.h - a model for many clients ---------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface is OpenAI's, as llama.cpp's server has it. One request is
// answered at a time, others wait in the order in which they came.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/run/Assistant.h"
#include "tools/gpuvm-serve/Requests.h"

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
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
        limits_(limits) {}

  void addRoutes(httplib::Server &server);

private:
  using Read = Result<Request> (*)(const Json &);

  void complete(const httplib::Request &request, httplib::Response &response,
                bool isChat);
  void stream(Request request, std::vector<int32_t> prompt,
              httplib::Response &response, bool isChat);
  void answerAtOnce(const Request &request, std::span<const int32_t> prompt,
                    httplib::Response &response, bool isChat);
  Result<std::vector<int32_t>> promptOf(const Request &request,
                                        bool isChat) const;
  Json chunk(bool isChat, const std::string &id, int64_t created) const;
  Json usageOf(const llm::Answer &answer) const;
  Result<std::vector<std::vector<int32_t>>>
  textsOf(const EmbeddingRequest &request) const;
  void embed(const httplib::Request &request, httplib::Response &response);
  void tokenize(const httplib::Request &request, httplib::Response &response);
  void detokenize(const httplib::Request &request, httplib::Response &response);
  std::string metrics() const;

  /// The model, for the time of one answer. False: too many wait.
  class Ticket;

  llm::Assistant assistant_;
  std::string name_;
  Limits limits_;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t nextTicket_ = 0, served_ = 0; ///< Requests come and go in order.

  std::atomic<uint64_t> answers_ = 0, promptTokens_ = 0, tokens_ = 0,
                        embeddings_ = 0;
  std::atomic<uint32_t> waiting_ = 0;
  std::atomic<bool> isBusy_ = false;
};

} // namespace vm::serve
