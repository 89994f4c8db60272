//===- Expand.h - steps of a program to a graph of zones ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Sample.h"

#include <memory>

namespace vm::token {

/// The most steps of a workflow once its subroutines are inlined.
constexpr size_t kMaxExpandedSteps = size_t(1) << 22;

/// The graph of a program without errors that has a sequence. Null after an
/// error: extracts that differ (S13), or more zones or steps than the limits
/// (G03). Edges that dangle at the end go to the end.
std::shared_ptr<const CompiledProgram>
expandProgram(std::shared_ptr<const ProgramSteps> steps,
              Diagnostics &diagnostics);

} // namespace vm::token
