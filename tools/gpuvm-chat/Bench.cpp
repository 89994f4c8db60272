//===- Bench.cpp - how fast prompts are read and answers made -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-chat/Bench.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>

namespace vm::chat {

namespace {
constexpr int kRepetitions = 5;
constexpr uint32_t kPromptTokens = 512, kAnswerTokens = 128;

/// Tokens a second of each repetition.
Result<std::vector<double>> measure(uint32_t tokens,
                                    const std::function<Status()> &prepare,
                                    const std::function<Status()> &work) {
  std::vector<double> speeds;
  for (int i = 0; i <= kRepetitions; ++i) {
    VM_RETURN_IF_ERROR(prepare());
    auto start = std::chrono::steady_clock::now();
    VM_RETURN_IF_ERROR(work());
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    if (i > 0)
      speeds.push_back(tokens / time.count());
  }
  return speeds;
}

/// The likeliest ones, at place 0.
Status generate(llm::ModelRun &run, uint32_t tokens) {
  uint32_t made = 0;
  while (made < tokens) {
    llm::Generation greedy = {.most = tokens - made};
    greedy.sampling.temperature = 0;
    VM_RETURN_IF_ERROR(run.generate(
        {&greedy, 1}, [&](size_t, int32_t) { ++made; }, [] { return true; }));
    if (greedy.end == llm::End::Context)
      break;
  }
  return {};
}

void printRow(const std::string &head, const char *test,
              const std::vector<double> &speeds) {
  double mean = 0, squares = 0;
  for (double speed : speeds)
    mean += speed / static_cast<double>(speeds.size());
  for (double speed : speeds)
    squares += (speed - mean) * (speed - mean);
  double deviation =
      std::sqrt(squares / static_cast<double>(speeds.size() - 1));
  fmt::print("{} | {:>13} | {:>19} |\n", head, test,
             fmt::format("{:.2f} ± {:.2f}", mean, deviation));
}
} // namespace

Status bench(llm::ModelRun &run, const llm::GgufFile &file,
             const llm::Model &model) {
  std::mt19937 random(1);
  auto tokens = [&](uint32_t count) {
    std::vector<int32_t> drawn(count);
    for (int32_t &token : drawn)
      token = static_cast<int32_t>(random() % model.vocabulary);
    return drawn;
  };
  auto forget = [&]() -> Status {
    run.forget(0);
    return {};
  };
  // The last token of a prompt is read by what generates.
  auto prompts = measure(kPromptTokens, forget, [&]() -> Status {
    return run.prefill(0, tokens(kPromptTokens + 1)).status();
  });
  if (!prompts.ok())
    return prompts.status();
  auto answers = measure(
      kAnswerTokens,
      [&]() -> Status {
        run.forget(0);
        return run.prefill(0, tokens(1)).status();
      },
      [&]() -> Status { return generate(run, kAnswerTokens); });
  if (!answers.ok())
    return answers.status();

  uint64_t bytes = 0, parameters = 0;
  for (const llm::ModelTensor &tensor : llm::tensorsOf(model)) {
    const llm::GgufTensor *place = file.findTensor(tensor.name);
    bytes += place->sizeBytes;
    uint64_t elements = 1;
    for (int64_t extent : place->shape)
      elements *= static_cast<uint64_t>(extent);
    parameters += elements;
  }
  std::string head = fmt::format(
      "| {:<30} | {:>10} | {:>10} | {:<20}",
      std::filesystem::path(file.path()).stem().string().substr(0, 30),
      fmt::format("{:.2f} MiB", static_cast<double>(bytes) / (1 << 20)),
      fmt::format("{:.2f} M", static_cast<double>(parameters) / 1e6),
      run.device().substr(0, 20));
  fmt::print("| {:<30} | {:>10} | {:>10} | {:<20} | {:>13} | {:>19} |\n",
             "model", "size", "params", "device", "test", "t/s");
  fmt::print(
      "| {:-<30} | {:->9}: | {:->9}: | {:-<20} | {:->12}: | {:->18}: |\n", "",
      "", "", "", "", "");
  printRow(head, "pp512", *prompts);
  printRow(head, "tg128", *answers);
  return {};
}

} // namespace vm::chat
