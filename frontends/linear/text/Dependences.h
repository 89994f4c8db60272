//===- Dependences.h - launches that wait for others ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch depends on an earlier one that writes what it reads or writes, or
// reads what it writes. Levels of this order are the phases of a `.flow`; a
// `.phase` has one.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

#include <unordered_map>

namespace vm::linear {

/// The launches of one `.phase` or `.flow`, given in the order of the text.
class LaunchLevels {
public:
  struct Level {
    uint32_t number = 0; ///< One more than that of what it waits for, or 0.
    /// Where the number is not 0: the line of the launch it waits for, and the
    /// buffer.
    uint32_t line = 0, buffer = 0;
  };

  /// Of the next launch. Without clauses it neither waits nor is waited for.
  Level add(const Launch &launch);

private:
  struct Use {
    uint32_t next = 0; ///< One more than the highest level; 0: unused.
    uint32_t line = 0;
  };
  struct Uses {
    Use read, written;
  };
  void await(Level &level, const Use &use, uint32_t buffer) const;

  std::unordered_map<uint32_t, Uses> uses_; ///< By buffer.
};

} // namespace vm::linear
