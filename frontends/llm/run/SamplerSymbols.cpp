//===- SamplerSymbols.cpp - what the sampler of a plan looks at -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/SamplerSymbols.h"

#include <algorithm>
#include <utility>

namespace vm::llm {

/// The part of a symbol that belongs to a place, of `count` values each.
template <typename T>
static Status write(DevicePlan &plan, uint64_t symbol, uint32_t place,
                    size_t count, std::span<const T> values) {
  return plan.writeGlobals(symbol + place * count * sizeof(T), values.data(),
                           values.size_bytes());
}

Result<SamplerSymbols> SamplerSymbols::find(const DevicePlan &plan,
                                            uint32_t vocabulary,
                                            uint32_t context, uint32_t places) {
  SamplerSymbols all;
  all.vocabulary_ = vocabulary;
  all.context_ = context;
  all.places_.resize(places);
  for (auto [name, offset] : {std::pair(symbols::kLogitBias, &all.biasAt_),
                              {symbols::kPenalties, &all.penaltiesAt_},
                              {symbols::kRecentTokens, &all.recentAt_},
                              {symbols::kStopTable, &all.tableAt_},
                              {symbols::kStopState, &all.stateAt_}}) {
    Result<uint64_t> found = plan.symbolOffset(name);
    if (!found.ok())
      return found.status();
    *offset = *found;
  }
  return all;
}

Status SamplerSymbols::setBias(DevicePlan &plan, uint32_t place,
                               std::vector<float> bias) {
  std::vector<float> &before = places_[place].bias;
  if (bias == before)
    return {};
  before = std::move(bias);
  std::vector<float> all = before;
  all.resize(vocabulary_);
  return write<float>(plan, biasAt_, place, vocabulary_, all);
}

Status SamplerSymbols::setPenalties(DevicePlan &plan, uint32_t place,
                                    const Sampling &sampling,
                                    std::span<const int32_t> sequence) {
  std::array<float, kPenaltyCount> penalties = {1, 0, 0, 0};
  size_t last = 0;
  if (sampling.hasPenalties()) {
    last = sampling.repeatLastN < 0
               ? context_
               : std::min<uint32_t>(uint32_t(sampling.repeatLastN), context_);
    penalties = {sampling.repeatPenalty, sampling.presencePenalty,
                 sampling.frequencyPenalty, static_cast<float>(last)};
  }
  if (penalties != places_[place].penalties)
    VM_RETURN_IF_ERROR(
        write<float>(plan, penaltiesAt_, place, kPenaltyCount, penalties));
  places_[place].penalties = penalties;
  if (last == 0)
    return {};
  std::vector<int32_t> recent(last, -1);
  std::copy_n(sequence.rbegin(), std::min(last, sequence.size()),
              recent.begin());
  return write<int32_t>(plan, recentAt_, place, context_, recent);
}

Status SamplerSymbols::setStops(DevicePlan &plan, uint32_t place,
                                const std::shared_ptr<const StopTable> &stops) {
  Place &own = places_[place];
  if (!std::exchange(own.isNew, false))
    return {};
  size_t size = size_t(vocabulary_) + kStopSteps;
  if (stops && stops != own.table) {
    own.table = stops;
    std::vector<int32_t> words = stops->words;
    words.resize(size);
    VM_RETURN_IF_ERROR(write<int32_t>(plan, tableAt_, place, size, words));
  }
  int32_t state = stops ? stops->start : own.table ? own.table->never : 0;
  return write<int32_t>(plan, stateAt_, place, 1, {&state, 1});
}

} // namespace vm::llm
