//===- Phases.h - the walks of a kernel that reduces ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// How many reductions follow each other on the way to `value`, a value of a
/// kernel; `known` remembers them.
unsigned countReductions(Value value,
                         llvm::DenseMap<Operation *, unsigned> &known);

/// Whether a kernel whose reductions have these loops stores `yielded` on its
/// walk over them, and not as a result or what is made of results.
bool isByProduct(Value yielded, ArrayRef<int64_t> loops);

/// How often a kernel that reduces walks over all elements: once for each
/// reduction that follows another, and for by-products of the last one.
unsigned countPhases(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
