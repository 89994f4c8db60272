//===- ProfileFile.h - a profile that gpuvm-run has printed
//-------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpuvm-run --profile=json prints one object (docs/profiling.md). Here it is
// read again, with care, and compared with the plan that it is said to be of.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace vm {

/// The object of the last line of `text` that is not empty: results of
/// gpuvm-run may stand before it. Code::BadInput, with `name` of the file, if
/// there is none with the keys of a profile, or if it is of another plan: of
/// another program, or with commands or stages that have other names.
Result<nlohmann::json> readProfile(std::string_view text,
                                   const std::string &name, const Plan &plan,
                                   const Deadline &deadline = {});

} // namespace vm
