//===- Dependences.cpp - launches that wait for others --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Dependences.h"

namespace vm::linear {

void LaunchLevels::await(Level &level, const Use &use, uint32_t buffer) const {
  if (use.next > level.number)
    level = {use.next, use.line, buffer};
}

LaunchLevels::Level LaunchLevels::add(const Launch &launch) {
  static const std::vector<uint32_t> kNone;
  const auto &reads = launch.reads ? *launch.reads : kNone;
  const auto &writes = launch.writes ? *launch.writes : kNone;
  Level level;
  for (uint32_t buffer : reads)
    await(level, uses_[buffer].written, buffer);
  for (uint32_t buffer : writes) {
    await(level, uses_[buffer].written, buffer);
    await(level, uses_[buffer].read, buffer);
  }
  auto note = [&](Use &use) {
    if (level.number + 1 > use.next)
      use = {level.number + 1, launch.line};
  };
  for (uint32_t buffer : reads)
    note(uses_[buffer].read);
  for (uint32_t buffer : writes)
    note(uses_[buffer].written);
  return level;
}

} // namespace vm::linear
