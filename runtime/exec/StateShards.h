//===- StateShards.h - a state for another number of ranks ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state that several ranks have saved can go on on another number of ranks,
// or on one, in a plan that is compiled for these. What is a part of something
// larger on each rank is known by its type: the leading dimension is as much
// longer as there are fewer ranks.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/StateReader.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vm {

/// `path` with the number of a rank for each "{rank}".
std::string pathOfRank(std::string path, uint32_t rank);

class StateShards {
public:
  /// The files of all ranks that have saved: `path` has "{rank}", and that of
  /// rank 0 says how many they are. They are of one save, none is damaged, and
  /// each symbol is either cut along its leading dimension, or the same on all
  /// ranks (of metrics, which executions compute, it is that of rank 0). Else
  /// Code::BadInput says of which symbol that is not so.
  static Result<StateShards> open(const Plan &plan, const std::string &path,
                                  uint32_t ranks);

  uint64_t save() const { return files_.front().part().save; }
  /// Calls `write` for the values of one of the ranks of now.
  Status put(const Plan &plan, uint32_t rank, const WriteValues &write) const;

private:
  /// Where the values of a symbol are.
  struct Place {
    uint64_t at = 0;    ///< In the values of each file.
    uint64_t bytes = 0; ///< In each file.
    bool isCut = false; ///< They follow one another; else they are the same.
  };
  Status openFiles(const std::string &path);
  Status place(const Plan &plan, uint32_t ranks);
  Status checkSame(const Symbol &symbol, const Place &place) const;
  /// Of a symbol, from byte `from` of the values of all ranks on.
  Status read(const Place &place, uint64_t from,
              std::span<uint8_t> bytes) const;

  std::vector<StateReader> files_; ///< By rank.
  std::vector<Place> places_;      ///< By symbol of the plan.
};

} // namespace vm
