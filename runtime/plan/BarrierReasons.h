//===- BarrierReasons.h - whether reasons of barriers are true --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace vm {

/// Code::BadInput if a reason of a barrier names a command that accesses none
/// of its bytes (V39). The first command of a reason may have found them in
/// another window of a rotation. The plan must satisfy verifyPlan.
Status checkReasons(const Plan &plan, const Deadline &deadline = {});

/// Drops the reasons that checkReasons would refuse: what compilers wrote
/// before kMinorOfTrueReasons.
Status dropUntrueReasons(Plan &plan, const Deadline &deadline = {});

} // namespace vm
