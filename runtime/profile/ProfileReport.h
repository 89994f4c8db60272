//===- ProfileReport.h - a profile as a table and as JSON -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/profile/Profile.h"

#include <string>

namespace vm {

/// Two tables for people, kernels and stages, each with a line of headings;
/// ends with a newline.
std::string profileTable(const Profile &profile, const Plan &plan,
                         const DeviceInfo &device);

/// One JSON object on one line with a newline; docs/profiling.md has its keys.
std::string profileJson(const Profile &profile, const Plan &plan,
                        const DeviceInfo &device);

} // namespace vm
