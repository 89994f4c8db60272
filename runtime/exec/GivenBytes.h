//===- GivenBytes.h - the bytes of an input that were given ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An input can be bound in parts, from several files. It is bound when each of
// its bytes was given.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace vm {

class GivenBytes {
public:
  /// Adds [begin, end), which may overlap or touch what there is.
  void add(uint64_t begin, uint64_t end) {
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second >= begin)
      begin = (--at)->first;
    while (at != ends_.end() && at->first <= end) {
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_.emplace(begin, end);
  }

  /// The first byte that was not given.
  uint64_t firstMissing() const {
    return ends_.empty() || ends_.begin()->first > 0 ? 0
                                                     : ends_.begin()->second;
  }

private:
  std::map<uint64_t, uint64_t> ends_; ///< By begin; they do not touch.
};

} // namespace vm
