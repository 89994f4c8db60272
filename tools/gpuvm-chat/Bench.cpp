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

/// A sequence of a place becomes this prompt.
Status read(llm::ModelRun &run, uint32_t place,
            const std::vector<int32_t> &prompt) {
  Result<bool> hasBegun = run.begin(place, prompt, run.context());
  if (!hasBegun.ok())
    return hasBegun.status();
  if (!*hasBegun)
    return {Code::OutOfMemory, "The caches have no room for the sequences."};
  return run.prefill(place).status();
}

/// So many tokens, the likeliest ones, at each of the first places.
Status generate(llm::ModelRun &run, uint32_t places, uint32_t tokens) {
  for (uint32_t made = 0; made < tokens;) {
    std::vector<llm::Generation> all(places);
    for (uint32_t place = 0; place < places; ++place) {
      all[place].place = place;
      all[place].most = tokens - made;
      all[place].sampling.temperature = 0;
    }
    VM_RETURN_IF_ERROR(run.generate(
        all, [&](size_t i, const llm::DrawnToken &) { made += i == 0; },
        [] { return true; }));
    if (all.front().end == llm::End::Context)
      break;
  }
  return {};
}

void printRow(const std::string &head, const std::string &test,
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
  // The last token of a prompt is read by what generates. Each prompt is
  // another one, so that the caches have none of it.
  auto prompts = measure(
      kPromptTokens, [] { return Status(); },
      [&]() -> Status { return read(run, 0, tokens(kPromptTokens + 1)); });
  if (!prompts.ok())
    return prompts.status();
  auto answersOf = [&](uint32_t places) {
    return measure(
        kAnswerTokens * places,
        [&, places]() -> Status {
          for (uint32_t place = 0; place < places; ++place)
            VM_RETURN_IF_ERROR(read(run, place, tokens(1)));
          return {};
        },
        [&, places]() -> Status {
          return generate(run, places, kAnswerTokens);
        });
  };
  auto answers = answersOf(1);
  if (!answers.ok())
    return answers.status();
  auto together = run.places() > 1 ? answersOf(run.places()) : answers;
  if (!together.ok())
    return together.status();

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
  if (run.places() > 1)
    printRow(head, fmt::format("tg128 x {}", run.places()), *together);
  return {};
}

} // namespace vm::chat
