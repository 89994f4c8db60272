//===- CompiledProgram.h - compiled mode: launches as stages --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In compiled mode a launch is a stage that runs each of its machines to its
// end: its body is the routine, with the state in values. What several machines
// write to shared memory is scattered when all are done, which is what an epoch
// after the other does as long as no two machines meet (Expanded.h).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/modes/Expanded.h"
#include "frontends/linear/modes/Fuse.h"
#include "runtime/base/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace vm::linear {

/// The code of a launch and what comes out of it, of each machine: the elements
/// of the state that it uses, where it stopped (IP, 2^24 status, 2^27 fault),
/// how many instructions of each class it executed, and of each WRITE its
/// address, or -1, and its bits.
struct CompiledLaunch {
  Expanded code;
  const Launch *launch = nullptr;
  uint32_t firstMachine = 0;
  uint32_t budget = 0;
  std::vector<uint32_t> elements; ///< 1 to 20, ascending.
  std::string function;           ///< Its name.
  std::optional<FusedCode> fused; ///< In fused mode.

  size_t results() const {
    return elements.size() + 5 + 2 * code.writes.size();
  }
};

struct CompiledPhase {
  const Phase *phase = nullptr;
  std::vector<CompiledLaunch> launches;
};

/// Of phase number `phase`. Usage, with the reason as the end of a sentence,
/// where it must run faithfully; Excess where that is for its size.
Result<CompiledPhase> planPhase(const Program &program, size_t phase);

} // namespace vm::linear
