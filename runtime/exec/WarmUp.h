//===- WarmUp.h - compiles what a driver leaves for the first dispatch ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvmpipe compiles a kernel to machine code when it is first dispatched, which
// can take seconds. That is no part of an execution, so it is done at load, by
// dispatches of no workgroups: they compile and do nothing else.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/Descriptors.h"
#include "runtime/exec/Pipelines.h"
#include "runtime/exec/Submission.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Programs.h"

#include <map>
#include <span>

namespace vm {

/// Whether a pipeline of this device is compiled only when it is dispatched.
inline bool compilesAtDispatch(const DeviceInfo &info) { return info.lavapipe; }

/// The first of `commands` that dispatches each kernel.
std::map<uint32_t, size_t> firstDispatches(const Plan &plan,
                                           CommandRange commands);

/// Dispatches each of `kernels` once as one of `commands` does, but without
/// workgroups: one submit each. Code::DeviceLost: a kernel takes `timeoutNs` of
/// the process's time, and as much by the clock; or 16 times as much by the
/// clock. `submission` is used, and left idle unless this fails.
Status warmUp(const Device &device, const Plan &plan, CommandRange commands,
              std::span<const uint32_t> kernels, const Pipelines &pipelines,
              const Descriptors &descriptors, const CompileProgress &progress,
              uint64_t timeoutNs, Submission &submission);

} // namespace vm
