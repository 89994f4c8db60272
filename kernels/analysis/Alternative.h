//===- Alternative.h - results that are chosen by a condition ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An elementwise operation that makes one of two tensors, by a condition that
// is the same for all elements: what gpuvm-lower-when makes of the messages and
// stores of a stage with a condition.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

struct Alternative {
  Value condition, yes, no; ///< Tensors.
};

std::optional<Alternative> getAlternative(linalg::GenericOp op);

/// Such an operation: `yes` where the condition holds, else `no`.
Value chooseElements(OpBuilder &b, Location loc, Value condition, Value yes,
                     Value no);

/// The same of a result of a kernel, which it chooses last of all; null for
/// what is not an operand of the kernel.
std::optional<Alternative> getAlternative(flow::DispatchOp kernel,
                                          unsigned result);

} // namespace mlir::gpuvm
