//===- gpuvm-serve.cpp - a language model for clients of OpenAI's API -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/FileLimit.h"
#include "tools/common/CacheFlags.h"
#include "tools/common/DeviceFlags.h"
#include "tools/common/ModelFlags.h"
#include "tools/common/ShortNames.h"
#include "tools/common/StandardOutput.h"
#include "tools/gpuvm-serve/Service.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>

using namespace vm;

static const char *const kHelp =
    R"(Serves a language model to clients of OpenAI's API.

Example:
  gpuvm-serve model.gguf --port 8080

Routes: /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/models,
/health, /metrics, /slots, /tokenize and /detokenize (docs/language-models.md). Only programs on
this machine reach it, unless --host says otherwise.

Exit codes: 0 ok, 2 usage, 3 bad model or plan, 4 no device, 5 device lost or
time out, 6 out of memory.)";

namespace {
struct Options {
  llm::AssistantOptions assistant;
  std::string host = "127.0.0.1", apiKey, alias;
  int port = 8080;
  serve::Limits limits;
  uint64_t maxBodyBytes = 4 << 20;
  std::optional<double> timeoutSeconds;
};

/// How long a client may take to send a request, or to read a piece of the
/// answer.
constexpr time_t kClientSeconds = 10;

httplib::Server *running = nullptr;
} // namespace

static int fail(const Status &status) {
  fmt::print(stderr, "gpuvm-serve: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

static void addOptions(CLI::App &app, Options &options) {
  app.add_option("model", options.assistant.model, "The model (.gguf)")
      ->envname("GPUVM_MODEL")
      ->required();
  app.add_option("--host", options.host, "The address to listen at")
      ->capture_default_str();
  app.add_option("--port", options.port, "The port; 0: any that is free")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  app.add_option("--api-key", options.apiKey,
                 "What clients must send as \"Authorization: Bearer KEY\"")
      ->envname("GPUVM_API_KEY");
  app.add_option("-a,--alias", options.alias,
                 "The model's name for clients. Default: the file's");
  app.add_option("-c,--ctx-size", options.assistant.context,
                 "Tokens of a prompt with its answer; 0: what the model was "
                 "trained with, at most 2048")
      ->capture_default_str()
      ->check(countIn(0, 1 << 24));
  addCacheFlags(app, options.assistant);
  app.add_option("--parallel", options.assistant.parallel,
                 "Requests that are answered at once, each with a context of "
                 "its own")
      ->capture_default_str()
      ->check(countIn(1, 1024));
  app.add_option("--positions", options.assistant.positions,
                 "Positions that these have together; what prompts have in "
                 "common counts once. 0: a context for each")
      ->capture_default_str()
      ->check(countIn(0, 1 << 30));
  app.add_option("--max-waiting", options.limits.waiting,
                 "Requests that may wait while others are answered; more get "
                 "503")
      ->capture_default_str();
  app.add_option("--max-body", options.maxBodyBytes,
                 "Bytes of a request at most; a larger one gets 413")
      ->capture_default_str()
      ->check(countIn(1, UINT32_MAX));
  app.add_flag("--logprobs", options.assistant.logprobs,
               "Requests may ask for log probabilities of tokens, which cost "
               "time for each token");
  addRegulateFlag(app, options.assistant.regulate);
  app.add_option("--plan", options.assistant.plan,
                 "A plan of the model, instead of one that is compiled")
      ->type_name("FILE");
  app.add_option("--device", options.assistant.device.device,
                 "gpu, cpu, lavapipe, an index, or a part of the name. "
                 "Default: a real GPU if there is one");
  addTimeoutFlag(app, options.timeoutSeconds);
  addMemoryFlag(app, options.assistant.device.vramBudgetBytes);
}

/// Whether it is `key`, in a time that does not say where they differ.
static bool isKey(const std::string &given, const std::string &key) {
  unsigned difference = given.size() != key.size();
  for (size_t i = 0; i < std::min(given.size(), key.size()); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ key[i]);
  return difference == 0;
}

static void setLimits(httplib::Server &server, const Options &options,
                      size_t places) {
  server.set_payload_max_length(options.maxBodyBytes);
  server.set_read_timeout(kClientSeconds);
  server.set_write_timeout(kClientSeconds);
  // Requests keep a thread each, and /health needs one.
  size_t threads = places + options.limits.waiting + 8;
  server.new_task_queue = [threads] {
    return new httplib::ThreadPool(threads);
  };
  if (options.apiKey.empty())
    return;
  server.set_pre_routing_handler(
      [expected = "Bearer " + options.apiKey](const httplib::Request &request,
                                              httplib::Response &response) {
        if (request.path == "/health" ||
            isKey(request.get_header_value("Authorization"), expected))
          return httplib::Server::HandlerResponse::Unhandled;
        response.status = 401;
        response.set_content(R"({"error":{"message":"The API key is missing )"
                             R"(or wrong.","type":"authentication_error",)"
                             R"("code":401}})",
                             "application/json");
        return httplib::Server::HandlerResponse::Handled;
      });
}

static Status serveModel(Options &options) {
  options.assistant.embeds = true;
  options.assistant.device.timeoutMs = millisecondsOf(options.timeoutSeconds);
  options.assistant.device.hostMemory = [](uint64_t bytes) {
    warnOfHostMemory("gpuvm-serve", bytes);
  };
  Result<llm::Assistant> assistant =
      llm::Assistant::open(options.assistant, [&] {
        fmt::print(stderr, "Compiling \"{}\" ...\n", options.assistant.model);
      });
  if (!assistant.ok())
    return assistant.status();
  std::string name =
      options.alias.empty()
          ? std::filesystem::path(options.assistant.model).stem().string()
          : options.alias;
  size_t places = assistant->scheduler().places().size();
  serve::Service service(std::move(*assistant), name, options.limits);
  httplib::Server server;
  setLimits(server, options, places);
  service.addRoutes(server);
  int port = options.port;
  if (port == 0)
    port = server.bind_to_any_port(options.host.c_str());
  else if (!server.bind_to_port(options.host.c_str(), port))
    port = -1;
  if (port < 0)
    return {Code::Usage, fmt::format("{}:{} cannot be listened at.",
                                     options.host, options.port)};
  fmt::print(stderr, "Listening at http://{}:{}\n", options.host, port);
  running = &server;
  auto stop = [](int) { running->stop(); };
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  server.listen_after_bind();
  return {};
}

static int runTool(int argc, char **argv) {
  Options options;
  CLI::App app(kHelp, "gpuvm-serve");
  app.set_version_flag("--version", "gpuvm-serve " GPUVM_VERSION);
  addOptions(app, options);
  try {
    parseWithShortNames(app, argc, argv);
  } catch (const CLI::ParseError &error) {
    return answer(app, error);
  }
  Status status = serveModel(options);
  return status.ok() ? 0 : fail(status);
}

int main(int argc, char **argv) {
  surviveFileLimit();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("gpuvm-serve: error: The host has no memory left.\n", stderr);
    return static_cast<int>(Code::OutOfMemory);
  } catch (const std::system_error &) {
    return fail(systemError());
  }
}
