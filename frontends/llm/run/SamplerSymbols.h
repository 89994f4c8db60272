//===- SamplerSymbols.h - what the sampler of a plan looks at ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/DevicePlan.h"
#include "frontends/llm/model/Symbols.h"
#include "frontends/llm/run/Sampling.h"

#include <array>
#include <span>

namespace vm::llm {

/// Bias, penalties and stop strings on a device, of sequences at places. Only
/// what is another one than before is written.
class SamplerSymbols {
public:
  SamplerSymbols() = default;
  static Result<SamplerSymbols> find(const DevicePlan &plan,
                                     uint32_t vocabulary, uint32_t context,
                                     uint32_t places);

  /// What is added to the score of each token; empty: nothing.
  Status setBias(DevicePlan &plan, uint32_t place, std::vector<float> bias);
  /// For an execution after `sequence`.
  Status setPenalties(DevicePlan &plan, uint32_t place,
                      const Sampling &sampling,
                      std::span<const int32_t> sequence);

  /// An answer begins at a place.
  void begin(uint32_t place) { places_[place].isNew = true; }
  /// Of the answer there; null: none.
  Status setStops(DevicePlan &plan, uint32_t place,
                  const std::shared_ptr<const StopTable> &stops);

private:
  struct Place {
    std::vector<float> bias; ///< Empty: zeros.
    std::array<float, kPenaltyCount> penalties = {1, 0, 0, 0};
    std::shared_ptr<const StopTable> table; ///< Null: zeros.
    bool isNew = true;
  };

  uint32_t vocabulary_ = 0, context_ = 0;
  std::vector<Place> places_;
  /// Where they are in Globals.
  uint64_t biasAt_ = 0, penaltiesAt_ = 0, recentAt_ = 0, tableAt_ = 0,
           stateAt_ = 0;
};

} // namespace vm::llm
