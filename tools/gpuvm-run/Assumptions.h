//===- Assumptions.h - features that tests take a device to have -*- C++
//-*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of its kernels a plan runs depends on the device. This lets one device
// run those of others, if it can: a plan is changed after it has been verified.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <string>
#include <vector>

namespace vm::run {

/// Whether `text` is the name of a feature, perhaps after a minus sign.
bool isAssumption(const std::string &text);

/// "name": no kernel asks for the feature, so that any device runs what does.
/// "-name": kernels that can do without the feature do (OptionalFeatures.h);
/// Code::NoDevice if another one needs it.
Status assume(Plan &plan, const std::vector<std::string> &assumptions);

} // namespace vm::run
