//===- Picture.h - workflows as pictures ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/SampledWorkflow.h"

#include <string>

namespace vm::token {

/// An SVG of the graph, from the first zone at the top to the end. Zone 3 is
/// the element `zone-3`, the end `zone-end`, its edges `edge-3-4-next` and
/// `edge-3-end-jump`. The links must be in range. Takes time and space linear
/// in the workflow (times the logarithm of its zones).
std::string drawWorkflow(const SampledWorkflow &workflow);

} // namespace vm::token
