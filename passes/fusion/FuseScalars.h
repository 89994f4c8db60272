//===- FuseScalars.h - fusion of scalar dispatches --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Whether `kernel` computes single elements of single elements.
bool isOfScalars(flow::DispatchOp kernel);

/// Whether scalars can be fused into `kernel`: it is a map, a reduction to one
/// element, whose last lane computes them, or a chain in one workgroup, which
/// gets another step.
bool canMakeScalars(flow::DispatchOp kernel);

/// Replaces `host` by a kernel that also computes the results of `all`, kernels
/// of scalars, which may read results of `host`.
flow::DispatchOp joinScalars(flow::DispatchOp host,
                             ArrayRef<flow::DispatchOp> all);

/// The windows that one dispatch with the operands and results of `all` binds.
unsigned countWindows(ArrayRef<flow::DispatchOp> all, uint64_t maxWindowBytes);

} // namespace mlir::gpuvm
