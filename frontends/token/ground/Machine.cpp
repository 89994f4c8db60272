//===- Machine.cpp - the instruction tensors of workflows -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/Machine.h"

#include <algorithm>

using namespace vm::token;

bool Machine::matchesText() const {
  return std::ranges::any_of(workflows, &WorkflowNames::matchesText);
}

const std::string &Machine::textOf(int32_t token) const {
  static const std::string kNone;
  return size_t(token) < tokenTexts.size() ? tokenTexts[size_t(token)] : kNone;
}

int32_t Machine::workflowOfZone(int32_t zone) const {
  auto after =
      std::ranges::upper_bound(workflows, zone, {}, &WorkflowNames::entry);
  return int32_t(std::max<ptrdiff_t>(after - workflows.begin(), 1) - 1);
}
