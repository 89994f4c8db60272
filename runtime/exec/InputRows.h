//===- InputRows.h - inputs with as many rows as the host gives -*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many rows a bounded input has changes from one execution to the next,
// and nothing is recorded again: its upload is recorded for several numbers of
// rows, each at most a quarter more than the one before, and an execution
// begins with the first that is large enough. The count itself is a word of
// Control, which is mapped.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Programs.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vm {

/// Inputs of a program that have as many rows as one symbol says.
struct RowGroup {
  uint32_t symbol = 0;
  std::vector<uint32_t> slots; ///< Their places among the program's inputs.
  uint64_t rowBytes = 0;       ///< Of those that every execution copies.
};
std::vector<RowGroup> rowGroupsOf(const Plan &plan, const Program &program,
                                  const RowSymbols &symbols);

/// The numbers of rows that an upload is recorded for, ascending.
std::vector<uint64_t> uploadSteps(const RowGroup &group, uint64_t bound);

/// The uploads of one group.
struct RowUpload {
  struct Step {
    uint64_t rows = 0;
    VkCommandBuffer commands = VK_NULL_HANDLE;
  };
  std::vector<Step> steps;

  /// The first step with so many rows; null if there is nothing to copy.
  const Step *find(uint64_t rows) const;
};

/// Bytes of one row; `slot` has rows.
uint64_t rowBytesOf(const Slot &slot);

/// How many rows of a bounded input `bytes` are. Code::BadInput if they are no
/// whole rows, or more than there is room for.
Result<uint64_t> rowsIn(const Input &input, uint64_t bytes);

/// How many rows all inputs of a group have; `rows` is by slot. Code::BadInput
/// if they are not as many.
Result<uint64_t> rowsOfGroup(const RowGroup &group, const Plan &plan,
                             const Program &program,
                             std::span<const uint64_t> rows);

} // namespace vm
