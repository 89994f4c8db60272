//===- gpuvm-chat.cpp - talks with a language model -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/JsonSchema.h"
#include "frontends/llm/run/Assistant.h"
#include "runtime/base/FileLimit.h"
#include "tools/common/CacheFlags.h"
#include "tools/common/DeviceFlags.h"
#include "tools/common/ModelFlags.h"
#include "tools/common/ShortNames.h"
#include "tools/common/StandardOutput.h"
#include "tools/gpuvm-chat/Bench.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <system_error>
#include <unistd.h>

using namespace vm;

static const char *const kHelp =
    R"(Talks with a language model on a GPU, or on the processor.

Examples:
  gpuvm-chat model.gguf
  gpuvm-chat model.gguf -p "What is the capital of France?" -n 64 --temp 0

Each line that is typed is answered until the input ends; Ctrl-C ends an answer,
and the program where there is none. The model is compiled when it is seen for
the first time. Answers go to standard output, everything else to standard
error. Options have llama.cpp's names and defaults (docs/language-models.md).

Exit codes: 0 ok, 2 usage, 3 bad model or plan, 4 no device, 5 device lost or
time out, 6 out of memory.)";

namespace {
struct Options {
  llm::AssistantOptions assistant;
  std::string prompt, system;
  bool hasPrompt = false, bench = false, timings = false;
  int64_t predict = -1, seed = -1;
  llm::Sampling sampling;
  std::vector<std::string> biases;
  std::string grammar, grammarFile, schema, schemaFile;
  std::optional<double> timeoutSeconds;
};

std::atomic<bool> isInterrupted = false;
std::atomic<bool> isAnswering = false;

/// A second one, or one without an answer to end, ends the program.
void onInterrupt(int) {
  if (!isAnswering || isInterrupted.exchange(true))
    _exit(130);
}
} // namespace

static int fail(const Status &status) {
  fmt::print(stderr, "gpuvm-chat: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

static void addGrammarOptions(CLI::App &app, Options &options) {
  auto *group = app.add_option_group("What an answer must be (at most one)");
  group->require_option(0, 1);
  group->add_option("--grammar", options.grammar,
                    "A text of a grammar, in llama.cpp's notation (GBNF)");
  group
      ->add_option("--grammar-file", options.grammarFile,
                   "... of the grammar in this file")
      ->type_name("FILE");
  group->add_option("-j,--json-schema", options.schema,
                    "JSON that fits a schema; {}: any");
  group
      ->add_option("--json-schema-file", options.schemaFile,
                   "... the schema in this file")
      ->type_name("FILE");
}

static void addSamplingOptions(CLI::App &app, Options &options) {
  app.add_option("--temp", options.sampling.temperature,
                 "Temperature; 0: always the likeliest token")
      ->capture_default_str()
      ->check(numberIn(0, 1e6));
  app.add_option("--top-k", options.sampling.topK,
                 "Draw from so many of the likeliest tokens; 0: from all")
      ->capture_default_str();
  app.add_option("--top-p", options.sampling.topP,
                 "... that have this share of the probability together; 1: off")
      ->capture_default_str()
      ->check(numberIn(0, 1));
  app.add_option("--min-p", options.sampling.minP,
                 "... each with this share of the likeliest one's; 0: off")
      ->capture_default_str()
      ->check(numberIn(0, 1));
  app.add_option("--repeat-last-n", options.sampling.repeatLastN,
                 "Penalties are for what is among the last so many tokens; 0: "
                 "off, -1: the whole context")
      ->capture_default_str()
      ->check(CLI::Range(-1, INT32_MAX));
  app.add_option("--repeat-penalty", options.sampling.repeatPenalty,
                 "... by a factor; 1: off")
      ->capture_default_str()
      ->check(numberIn(0.001, 1000));
  app.add_option("--presence-penalty", options.sampling.presencePenalty,
                 "... once for each; 0: off")
      ->capture_default_str()
      ->check(numberIn(-100, 100));
  app.add_option("--frequency-penalty", options.sampling.frequencyPenalty,
                 "... each time; 0: off")
      ->capture_default_str()
      ->check(numberIn(-100, 100));
  app.add_option("-l,--logit-bias", options.biases,
                 "TOKEN+BIAS or TOKEN-BIAS: what is added to the score of a "
                 "token; inf is possible")
      ->take_all();
}

static void addOptions(CLI::App &app, Options &options) {
  app.add_option("model", options.assistant.model, "The model (.gguf)")
      ->envname("GPUVM_MODEL");
  app.add_option("-m,--model", options.assistant.model, "The same");
  app.add_option("-p,--prompt", options.prompt,
                 "Answer this and end, instead of reading lines")
      ->each([&](const std::string &) { options.hasPrompt = true; });
  app.add_option("--system-prompt", options.system,
                 "What the model is told first");
  app.add_flag("--no-template", options.assistant.isRaw,
               "Continue texts as they are, without the model's chat template");
  app.add_option("-n,--predict", options.predict,
                 "Tokens of an answer at most; -1: until it or the context "
                 "ends")
      ->capture_default_str()
      ->check(CLI::Range(int64_t(-1), int64_t(INT32_MAX)));
  app.add_option("-c,--ctx-size", options.assistant.context,
                 "Tokens of the whole conversation; 0: what the model was "
                 "trained with, at most 2048")
      ->capture_default_str()
      ->check(countIn(0, 1 << 24));
  addCacheFlags(app, options.assistant);
  addSamplingOptions(app, options);
  addGrammarOptions(app, options);
  app.add_option("-s,--seed", options.seed,
                 "Of what is drawn; -1: another one each time, which is "
                 "reported")
      ->capture_default_str()
      ->check(CLI::Range(int64_t(-1), INT64_MAX));
  app.add_flag("--bench", options.bench,
               "Print how many tokens a second are read (512) and generated "
               "(128), in llama-bench's table");
  app.add_option("--parallel", options.assistant.parallel,
                 "With --bench: so many answers at once, too")
      ->capture_default_str()
      ->check(countIn(1, 1024));
  app.add_flag("--timings", options.timings, "Print how long each answer took");
  addRegulateFlag(app, options.assistant.regulate);
  app.add_option("--plan", options.assistant.plan,
                 "A plan of the model, instead of one that is compiled")
      ->type_name("FILE");
  app.add_option("--device", options.assistant.device.device,
                 "gpu, cpu, lavapipe, an index, or a part of the name. "
                 "Default: a real GPU if there is one");
  app.add_flag("--validate", options.assistant.device.validate,
               "Run with the Vulkan validation layer");
  addTimeoutFlag(app, options.timeoutSeconds);
  addMemoryFlag(app, options.assistant.device.vramBudgetBytes);
}

//===----------------------------------------------------------------------===//
// Bias and grammars
//===----------------------------------------------------------------------===//

/// TOKEN+BIAS or TOKEN-BIAS, as llama.cpp has it.
static Status readBias(const std::string &text, llm::Sampling &sampling) {
  size_t sign = text.find_first_of("+-", 1);
  int32_t token = 0;
  float bias = 0;
  const char *end = text.data() + text.size();
  bool isRead = false;
  if (sign != std::string::npos) {
    const char *middle = text.data() + sign;
    auto number = std::from_chars(text.data(), middle, token);
    auto value = std::from_chars(middle + 1, end, bias);
    isRead = number.ec == std::errc() && number.ptr == middle &&
             value.ec == std::errc() && value.ptr == end && bias >= 0;
  }
  if (!isRead)
    return {Code::Usage,
            fmt::format("--logit-bias: \"{}\" is neither TOKEN+BIAS nor "
                        "TOKEN-BIAS.",
                        text)};
  sampling.logitBias.emplace_back(token, text[sign] == '-' ? -bias : bias);
  return {};
}

static Result<std::string> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()).good())
    return Status(Code::Usage,
                  fmt::format("\"{}\" cannot be read, or is empty.", path));
  return text.str();
}

/// The grammar of answers; "" for any text.
static Result<std::string> grammarOf(const Options &options) {
  if (!options.grammarFile.empty())
    return readFile(options.grammarFile);
  if (!options.schemaFile.empty()) {
    Result<std::string> schema = readFile(options.schemaFile);
    return schema.ok() ? llm::gbnfOfSchema(*schema) : schema;
  }
  if (!options.schema.empty())
    return llm::gbnfOfSchema(options.schema);
  return options.grammar;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

static void printTimings(const llm::Answer &answer) {
  auto line = [](const char *what, size_t tokens, double seconds) {
    fmt::print(stderr, "{}: {} tokens in {:.2f} s ({:.1f} a second)\n", what,
               tokens, seconds, static_cast<double>(tokens) / seconds);
  };
  line("prompt", answer.computedTokens, answer.promptSeconds);
  line("answer", answer.tokens, answer.seconds);
  if (!answer.norms)
    return;
  const std::vector<float> &norms = answer.norms->largest;
  auto largest = std::ranges::max_element(norms);
  const std::vector<int32_t> &outside = answer.norms->outside;
  fmt::print(stderr,
             "attention: norms up to {} (layer {}), {} out of the band\n",
             *largest, largest - norms.begin(),
             std::accumulate(outside.begin(), outside.end(), int64_t(0)));
}

/// Answers the last message, and adds the answer.
static Status reply(llm::Assistant &assistant, const Options &options,
                    std::vector<llm::ChatMessage> &messages) {
  auto prompt = assistant.promptOf(messages);
  if (!prompt.ok())
    return prompt.status();
  llm::Sampling sampling = options.sampling;
  if (!options.grammar.empty()) {
    auto grammar = assistant.grammarOf(options.grammar);
    if (!grammar.ok())
      return grammar.status();
    sampling.grammar = std::move(*grammar);
  }
  isInterrupted = false;
  isAnswering = true;
  uint32_t most =
      options.predict < 0 ? UINT32_MAX : static_cast<uint32_t>(options.predict);
  llm::Question question = {.prompt = *prompt,
                            .most = most,
                            .sampling = sampling,
                            .isWanted = [] { return !isInterrupted; }};
  Result<llm::Answer> answer =
      assistant.answer(question, [](const llm::Piece &piece) {
        std::fwrite(piece.text.data(), 1, piece.text.size(), stdout);
        std::fflush(stdout);
        return !isInterrupted;
      });
  isAnswering = false;
  if (!answer.ok())
    return answer.status();
  std::fputc('\n', stdout);
  if (answer->end == llm::End::Context)
    fmt::print(stderr, "(The context is full: {} tokens.)\n",
               assistant.context());
  if (options.timings)
    printTimings(*answer);
  messages.push_back({"assistant", std::move(answer->text)});
  return {};
}

static Status talk(llm::Assistant &assistant, const Options &options) {
  std::vector<llm::ChatMessage> messages;
  if (!options.system.empty())
    messages.push_back({"system", options.system});
  if (options.hasPrompt) {
    messages.push_back({"user", options.prompt});
    return reply(assistant, options, messages);
  }
  bool isTerminal = isatty(STDIN_FILENO);
  std::string line;
  while (true) {
    if (isTerminal)
      fmt::print(stderr, "> ");
    if (!std::getline(std::cin, line))
      break;
    if (line.empty())
      continue;
    messages.push_back({"user", line});
    VM_RETURN_IF_ERROR(reply(assistant, options, messages));
  }
  if (isTerminal)
    fmt::print(stderr, "\n");
  return {};
}

static Status runModel(Options &options) {
  if (options.assistant.model.empty())
    return {Code::Usage, "A model (.gguf) is missing."};
  for (const std::string &bias : options.biases)
    VM_RETURN_IF_ERROR(readBias(bias, options.sampling));
  // What is wrong with it is said before the model is compiled.
  Result<std::string> grammar = grammarOf(options);
  if (!grammar.ok())
    return grammar.status();
  options.grammar = std::move(*grammar);
  if (!options.grammar.empty())
    if (auto read = llm::parseGbnf(options.grammar); !read.ok())
      return read.status();
  options.assistant.device.timeoutMs = millisecondsOf(options.timeoutSeconds);
  options.assistant.device.hostMemory = [](uint64_t bytes) {
    warnOfHostMemory("gpuvm-chat", bytes);
  };
  Result<llm::Assistant> assistant =
      llm::Assistant::open(options.assistant, [&] {
        fmt::print(stderr, "Compiling \"{}\" ...\n", options.assistant.model);
      });
  if (!assistant.ok())
    return assistant.status();
  if (options.bench)
    return chat::bench(assistant->run(), assistant->file(), assistant->model());
  if (options.seed < 0 && options.sampling.temperature > 0)
    fmt::print(stderr, "seed: {}\n", options.sampling.seed);
  return talk(*assistant, options);
}

static int runTool(int argc, char **argv) {
  Options options;
  CLI::App app(kHelp, "gpuvm-chat");
  app.set_version_flag("--version", "gpuvm-chat " GPUVM_VERSION);
  addOptions(app, options);
  try {
    parseWithShortNames(app, argc, argv);
  } catch (const CLI::ParseError &error) {
    return answer(app, error);
  }
  std::signal(SIGINT, onInterrupt);
  options.sampling.seed = options.seed < 0
                              ? std::random_device{}()
                              : static_cast<uint64_t>(options.seed);
  Status status = runModel(options);
  if (status.ok())
    status = flushOutput();
  return status.ok() ? 0 : fail(status);
}

int main(int argc, char **argv) {
  surviveFileLimit();
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("gpuvm-chat: error: The host has no memory left.\n", stderr);
    return static_cast<int>(Code::OutOfMemory);
  } catch (const std::system_error &) {
    return fail(systemError());
  }
}
