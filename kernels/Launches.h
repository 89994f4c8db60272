//===- Launches.h - how a kernel is laid over which devices -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel has one launch or more (#gpuvm.launch). What a launch says is what
// gpuvm-choose-launches has decided, or whoever edits the IR; all else about
// the layout (KernelConfig) follows from the kernel and its launch.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

/// The launches of `kernel` for `targets`: the first one that a device can run
/// is taken, and every device that the plan is for can run the last one.
/// `exact`: matrix units, which add in an order of their own, are not used.
SmallVector<LaunchAttr> chooseLaunches(flow::DispatchOp kernel,
                                       ArrayRef<TargetAttr> targets,
                                       bool exact);

/// Those that the kernel has; without, its only one for any device.
SmallVector<LaunchAttr> getLaunches(flow::DispatchOp kernel);

/// The launch of the kernel that computes what one of `kernel` leaves where
/// drivers end loops; null if none leaves anything.
LaunchAttr getResumingLaunch(flow::DispatchOp kernel);

/// Whether `kernel` can be laid out as its launches say; reports why not.
LogicalResult checkLaunches(flow::DispatchOp kernel);

/// Changes what the launches of `kernel` say, as far as that no longer holds
/// since its body has changed; drops those that it cannot have any more.
void refitLaunches(flow::DispatchOp kernel);

/// `launch` with `groups` workgroups; null if `kernel` has none such.
LaunchAttr withGroups(flow::DispatchOp kernel, LaunchAttr launch,
                      int64_t groups);

/// `kernel` laid out as one of its launches says.
std::unique_ptr<KernelLayout> layOutLaunch(flow::DispatchOp kernel,
                                           LaunchAttr launch);

/// `kernel` laid out as its last launch says, which any device can run.
std::unique_ptr<KernelLayout> layOutKernel(flow::DispatchOp kernel);

/// The scratch memory that all launches of `kernel` share, of which one runs.
std::vector<Scratch> getScratch(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
