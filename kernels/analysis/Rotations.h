//===- Rotations.h - windows that rotate in a loop --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a rotation of flow.loop change their places after each
// iteration: what is in one of them is in the next one's place then.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// The intersection of two windows; null if they do not meet.
WindowAttr intersect(WindowAttr a, WindowAttr b);

/// The windows that rotate in a loop.
using Rotations = SmallVector<SmallVector<WindowAttr>>;
Rotations getRotations(flow::LoopOp op);
/// What is in `window` after `turns` more iterations; `turns` may be negative.
WindowAttr rotate(WindowAttr window, const Rotations &rotations, int64_t turns);

/// Whether `next` begins where `before` ends, but for padding.
bool isNext(WindowAttr before, WindowAttr next);
/// Whether it does in each iteration.
bool isAlwaysNext(WindowAttr before, WindowAttr next,
                  const Rotations &rotations);
/// Makes one rotation of those of which one of `windows` covers several.
void joinRotations(Rotations &rotations, ArrayRef<WindowAttr> windows);

} // namespace mlir::gpuvm
