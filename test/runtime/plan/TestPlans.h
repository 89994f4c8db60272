//===- TestPlans.h - valid plans for tests to use and to break ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

namespace vm::test {

/// A small valid plan in which every list has an element, every command occurs
/// and every field differs from its default where it can.
Plan makeSamplePlan();

/// A plan with the regions of makeSamplePlan and nothing in them.
Plan makeEmptyPlan();

/// The operation of command `index`, which is of this kind.
template <typename T> T &op(Plan &plan, size_t index) {
  return std::get<T>(plan.commands[index].op);
}

/// A dispatch of kernel `kernel` over windows of region registers: bindings 0,
/// 5, 10, ... in order.
Command dispatchRegisters(uint32_t kernel,
                          std::vector<std::array<uint64_t, 2>> ranges);

} // namespace vm::test
