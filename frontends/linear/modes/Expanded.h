//===- Expanded.h - routines with their calls written out -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input of compiled mode: the instructions that a machine may reach, those
// of a routine that is called once for each call; and whether machines of a
// phase can be run one after the other (docs/linear-vm.md, "timing-free").
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vm::linear {

/// Code is emitted for so many instructions at most.
constexpr size_t kMaxSteps = 4096;

struct Expanded {
  /// A call on the way to an instruction; number 0 is none.
  struct Frame {
    uint32_t parent = 0;
    uint32_t call = 0; ///< The step, before loops are unrolled.
    uint32_t depth = 0;
  };
  /// An instruction in a frame.
  struct Step {
    uint32_t instruction;
    uint32_t frame;
    /// Steps that may follow; of a branch that is open the one where it is
    /// taken comes first. None where the machine stops or faults.
    std::vector<uint32_t> next;
  };
  std::vector<Step> steps; ///< The first one is where a machine begins.
  std::vector<Frame> frames;
  /// WRITEs in an order in which a machine may come to them.
  std::vector<uint32_t> writes;
};

/// The routine of `launch`; Usage, with the reason as the end of a sentence
/// ("it has a WAIT in line 7"), where compiled mode has none, Excess where it
/// is too large.
Result<Expanded> expandLaunch(const Program &program, const Launch &launch);

/// Addresses that a launch may read or write, as ranges [first, end) that
/// ascend and do not touch.
struct AddressRange {
  uint32_t first, end;
};
std::vector<AddressRange> addressesOf(const Program &program,
                                      const Launch &launch, bool writes);

/// Usage, with the reason, where it is not proven that no two machines of the
/// phase use one address that one of them writes; `launches` are the phase's.
Status proveIndependent(const Program &program, const Phase &phase,
                        const std::vector<Expanded> &launches);

} // namespace vm::linear
