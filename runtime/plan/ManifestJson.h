//===- ManifestJson.h - the manifest of a plan as JSON text ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest is everything in a plan but the SPIR-V words and the initial
// bytes.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <string>
#include <string_view>

namespace vm {

/// The manifest of `plan` with keys in the order of docs/plan-format.md;
/// `indent` spaces a level, or everything on one line if negative.
std::string manifestToJson(const Plan &plan, int indent = -1);

/// The plan that `json`, of a file of that minor version, describes. Kernels
/// come without SPIR-V and the bytes of initialData are zeros of the stated
/// length, both to be filled from the other sections; the sum of those lengths
/// is at most `maxDataBytes`. Only the types and ranges of fields are checked:
/// run verifyPlan on the result. Code::DeviceLost when the deadline is over.
Result<Plan> manifestFromJson(std::string_view json, uint16_t minor,
                              uint64_t maxDataBytes,
                              const Deadline &deadline = {});

} // namespace vm
