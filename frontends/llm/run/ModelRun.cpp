//===- ModelRun.cpp - a language model on a device ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/ModelRun.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm::llm {

namespace {
/// Of one execution, where the caller says nothing: prompts are long, and a
/// processor is slow.
constexpr uint64_t kTimeoutMs = 3600 * 1000;
/// How long a wait for a token is, before the next one.
constexpr uint64_t kWaitMs = 1000;
/// What the device has for the token that it is at when it is cancelled.
constexpr uint64_t kGraceMs = 60 * 1000;

std::string inputOf(const char *program, const char *input) {
  return fmt::format("{}.{}", program, input);
}

std::vector<int32_t> word(size_t value) {
  return {static_cast<int32_t>(value)};
}
} // namespace

Result<ModelRun> ModelRun::open(const std::string &path, const GgufFile &file,
                                const Model &model,
                                const DeviceOptions &options) {
  DeviceOptions own = options;
  own.timeoutMs = options.timeoutMs.value_or(kTimeoutMs);
  Result<DevicePlan> plan = DevicePlan::open(path, own);
  if (!plan.ok())
    return plan.status();
  ModelRun run(std::move(*plan));
  auto rows = run.plan_.inputShape(inputOf(symbols::kPrefill, "prompt"));
  if (!rows.ok())
    return rows.status();
  auto tokens = run.plan_.symbolShape(symbols::kTokens);
  if (!tokens.ok())
    return tokens.status();
  if (rows->size() != 1 || tokens->size() != 1)
    return Status(
        Code::BadInput,
        fmt::format("\"{}\" is not a plan of a language model.", path));
  run.context_ = static_cast<uint32_t>(rows->front());
  run.perExecution_ = static_cast<uint32_t>(tokens->front());
  if (auto vector =
          run.plan_.outputShape(inputOf(symbols::kEmbed, "embedding"));
      vector.ok() && vector->size() == 1)
    run.width_ = static_cast<uint32_t>(vector->front());
  run.pooling_ = model.pooling;
  VM_RETURN_IF_ERROR(run.bindWeights(file, model));
  return run;
}

Status ModelRun::bindWeights(const GgufFile &file, const Model &model) {
  std::vector<ModelTensor> tensors = tensorsOf(model);
  std::vector<gpuvm_file_range> ranges;
  for (const ModelTensor &tensor : tensors) {
    const GgufTensor *place = file.findTensor(tensor.name);
    ranges.push_back({sizeof(gpuvm_file_range), tensor.name.c_str(), 0,
                      place->sizeBytes, place->offset});
  }
  return plan_.bindRanges(file.path(), ranges);
}

//===----------------------------------------------------------------------===//
// Prompts
//===----------------------------------------------------------------------===//

Result<size_t> ModelRun::prefill(std::span<const int32_t> tokens) {
  if (tokens.empty())
    return Status(Code::Usage, "A prompt has no tokens (1 is the least).");
  if (tokens.size() >= context_)
    return Status(
        Code::Usage,
        fmt::format("The prompt has {} tokens, and the context has room "
                    "for {} with an answer.",
                    tokens.size(), context_ - 1));
  // The last token of the sequence is in no cache.
  size_t cached = sequence_.empty() ? 0 : sequence_.size() - 1;
  auto differs = std::mismatch(tokens.begin(), tokens.end(), sequence_.begin(),
                               sequence_.begin() + cached)
                     .first;
  auto from = static_cast<size_t>(differs - tokens.begin());
  from = std::min(from, tokens.size() - 1);

  std::vector<int32_t> rows(context_);
  std::ranges::copy(tokens.subspan(from), rows.begin());
  const char *program = symbols::kPrefill;
  VM_RETURN_IF_ERROR(plan_.bind(inputOf(program, "prompt"), rows));
  VM_RETURN_IF_ERROR(
      plan_.bind(inputOf(program, "length"), word(tokens.size() - from)));
  VM_RETURN_IF_ERROR(plan_.bind(inputOf(program, "from"), word(from)));
  sequence_.clear(); // Of what there is after a failure.
  VM_RETURN_IF_ERROR(plan_.execute(program));
  sequence_.assign(tokens.begin(), tokens.end());
  return tokens.size() - from;
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

Result<std::vector<float>> ModelRun::embed(std::span<const int32_t> tokens) {
  if (!canEmbed())
    return Status(Code::Usage,
                  fmt::format("The plan has no program \"{}\", which makes "
                              "vectors of texts.",
                              symbols::kEmbed));
  if (pooling_ == Pooling::First || pooling_ == Pooling::Rank)
    return Status(
        Code::Usage,
        fmt::format("The model's pooling_type is {}; vectors are made "
                    "by 1 (mean) and 3 (last token).",
                    static_cast<uint32_t>(pooling_)));
  if (tokens.empty() || tokens.size() > context_)
    return Status(Code::Usage,
                  fmt::format("A text has {} tokens; a vector is made of 1 to "
                              "{} tokens.",
                              tokens.size(), context_));
  std::vector<int32_t> rows(context_);
  std::ranges::copy(tokens, rows.begin());
  const char *program = symbols::kEmbed;
  VM_RETURN_IF_ERROR(plan_.bind(inputOf(program, "document"), rows));
  VM_RETURN_IF_ERROR(
      plan_.bind(inputOf(program, "document_length"), word(tokens.size())));
  VM_RETURN_IF_ERROR(plan_.bind(inputOf(program, "last"),
                                word(pooling_ == Pooling::Last ? 1 : 0)));
  sequence_.clear(); // Its keys and values are those of the text now.
  VM_RETURN_IF_ERROR(plan_.execute(program));
  return plan_.read<float>(inputOf(program, "embedding"));
}

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

Status ModelRun::bindControls(const Sampling &sampling,
                              std::span<const int32_t> ends) {
  if (ends.size() > kEndTokens)
    return {Code::Usage,
            fmt::format("{} tokens end an answer (at most {} can).",
                        ends.size(), kEndTokens)};
  std::vector<int32_t> endTokens(kEndTokens, -1);
  std::ranges::copy(ends, endTokens.begin());
  auto bind = [&](const char *name, const auto &values) {
    return plan_.bind(inputOf(symbols::kGenerate, name), values);
  };
  VM_RETURN_IF_ERROR(bind("ends", endTokens));
  VM_RETURN_IF_ERROR(
      bind("temperature", std::vector<float>{sampling.temperature}));
  auto most = static_cast<int32_t>(std::min<uint32_t>(
      sampling.topK == 0 ? INT32_MAX : sampling.topK, INT32_MAX));
  VM_RETURN_IF_ERROR(bind("top_k", std::vector<int32_t>{most}));
  // Sums are rounded: 1 is all of them.
  float share = sampling.topP >= 1 ? 2 : sampling.topP;
  VM_RETURN_IF_ERROR(bind("top_p", std::vector<float>{share}));
  VM_RETURN_IF_ERROR(bind("min_p", std::vector<float>{sampling.minP}));
  return bind("seed", std::vector<uint32_t>{
                          static_cast<uint32_t>(sampling.seed),
                          static_cast<uint32_t>(sampling.seed >> 32)});
}

/// One execution.
Result<End> ModelRun::runOnce(uint32_t most,
                              const std::function<bool(int32_t)> &take) {
  VM_RETURN_IF_ERROR(
      plan_.bind(inputOf(symbols::kGenerate, "limit"),
                 std::vector<int32_t>{static_cast<int32_t>(most)}));
  // What the last execution left would be taken for new tokens.
  int32_t none = 0;
  VM_RETURN_IF_ERROR(plan_.writeSymbol(symbols::kCount, &none, sizeof none));
  VM_RETURN_IF_ERROR(plan_.start(symbols::kGenerate));

  std::vector<int32_t> tokens(perExecution_);
  uint32_t taken = 0;
  bool goesOn = true;
  for (bool isOver = false; !isOver;) {
    auto count = static_cast<int32_t>(taken);
    Result<bool> ended = plan_.waitForChange(symbols::kCount, count, kWaitMs);
    if (!ended.ok())
      return ended.status();
    isOver = *ended;
    auto made =
        std::min(static_cast<uint32_t>(std::max(count, 0)), perExecution_);
    if (made <= taken)
      continue;
    VM_RETURN_IF_ERROR(plan_.readSymbol(symbols::kTokens, tokens.data(),
                                        made * sizeof(int32_t)));
    for (; taken < made; ++taken) {
      sequence_.push_back(tokens[taken]);
      if (goesOn && !take(tokens[taken])) {
        goesOn = false;
        if (!isOver)
          VM_RETURN_IF_ERROR(plan_.cancel(kGraceMs));
      }
    }
  }
  if (!goesOn)
    return End::Cancelled;
  int32_t end = 0;
  VM_RETURN_IF_ERROR(plan_.readSymbol(symbols::kEnd, &end, sizeof end));
  return static_cast<End>(end);
}

Result<End> ModelRun::generate(uint32_t most, const Sampling &sampling,
                               std::span<const int32_t> ends,
                               const std::function<bool(int32_t)> &take) {
  if (sequence_.empty())
    return Status(Code::Usage, "There is no prompt.");
  VM_RETURN_IF_ERROR(bindControls(sampling, ends));
  size_t first = sequence_.size();
  while (true) {
    size_t made = sequence_.size() - first;
    if (made >= most)
      return End::Limit;
    auto limit =
        static_cast<uint32_t>(std::min<size_t>(most - made, perExecution_));
    Result<End> end = runOnce(limit, take);
    if (!end.ok() || *end != End::Limit)
      return end;
  }
}

} // namespace vm::llm
