//===- CheckMachine.h - the rules of instruction tensors ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs streams trusts a machine that was checked: it follows its numbers
// without looking whether they are in range.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"

namespace vm::token {

/// The largest machine.
constexpr int32_t kMaxMachineZones = 1 << 21;
constexpr int32_t kMaxPatternRows = 1 << 21;
constexpr int32_t kMaxTokenData = 1 << 25;

/// Whether a machine keeps every rule; each that is broken is reported at
/// `place`, as long as errors are kept:
///   T13 a table is empty where it must not be, or larger than the limits
///   T14 a token is not in the vocabulary
///   T15 a pattern row has a wrong length or class, or a class has no row
///   T16 a pointer, an address, a row or a tool is out of range
///   T17 a set of classes or tags is not ascending or not in range
///   T18 a zone that feeds or has a limit cannot be forced to advance, a limit
///       is below its pattern, or `output` and `output_callback` disagree
///   T19 a zone is not reached from an entry, or END not from it
///   T20 a workflow's part, names or test model do not fit
bool checkMachine(const Machine &machine, const Place &place,
                  Diagnostics &diagnostics);

/// The rules of the flow alone (T19), for machines with addresses in range. An
/// edge counts where its `active` is set, also with an empty mask.
bool checkFlow(const Machine &machine, const Place &place,
               Diagnostics &diagnostics);

} // namespace vm::token
