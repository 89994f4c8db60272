//===- KernelCondition.h - predicates of selects in kernels -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A predicate that the selects of several kernels have: an operand that a
// command computes, or a value that each of them computes for itself, by the
// same operations on the same operands.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

class KernelCondition {
public:
  /// A condition that exists.
  explicit KernelCondition(Value made) : made(made) {}
  /// The predicate that `inside`, a tensor<i1> in the body of `kernel`, is;
  /// nothing if it is neither an operand nor computed of single elements alone.
  static std::optional<KernelCondition> get(flow::DispatchOp kernel,
                                            Value inside);

  /// Whether `inside`, a value in the body of `kernel`, is this condition.
  bool is(flow::DispatchOp kernel, Value inside) const;
  bool operator==(const KernelCondition &other) const;

  /// The predicate in the body of `other`, computed before `place`; `other`
  /// gets the operands that it needs.
  Value compute(flow::DispatchOp other, Operation *place) const;

  /// The values outside of kernels that it is computed of.
  SmallVector<Value> getSources() const;
  /// Whether a command computes it.
  bool exists() const { return made != nullptr; }
  /// The value that a command computes. If there is none, a kernel is added for
  /// it, whose result all of `kernels` then read.
  Value make(ArrayRef<flow::DispatchOp> kernels);

private:
  KernelCondition(flow::DispatchOp kernel, Value inside)
      : kernel(kernel), inside(inside) {}

  Value made;              ///< Null if each kernel computes it.
  flow::DispatchOp kernel; ///< One of them, and
  Value inside;            ///< what it computes.
};

/// Whether an operation of a kernel is on single elements, or a constant.
bool isOnElements(Operation *op);

/// The operand of `kernel` that is `value`, which it gets if it has none.
unsigned addInput(flow::DispatchOp kernel, Value value);

/// Has `dispatch`, which has a predicate, always run, and select what its
/// results are.
void runAlways(flow::DispatchOp dispatch);

} // namespace mlir::gpuvm
