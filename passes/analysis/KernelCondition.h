//===- KernelCondition.h - what kernels choose by ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition that several kernels choose by: what a command makes and they
// read, or what each of them computes for itself, by the same operations on
// the same operands.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

class KernelCondition {
public:
  /// A condition that exists.
  explicit KernelCondition(Value made) : made(made) {}
  /// The condition that `inside`, a tensor<i1> in the body of `kernel`, is;
  /// nothing if it is neither an operand nor made of single elements alone.
  static std::optional<KernelCondition> get(KernelOp kernel, Value inside);

  /// Whether `inside`, a value in the body of `kernel`, is this condition.
  bool is(KernelOp kernel, Value inside) const;
  bool operator==(const KernelCondition &other) const;

  /// The condition in the body of `other`, made before `place`; `other` gets
  /// the operands that it takes.
  Value compute(KernelOp other, Operation *place) const;

  /// What it is made of: values outside of kernels.
  SmallVector<Value> getSources() const;
  /// Whether a command makes it.
  bool exists() const { return made != nullptr; }
  /// The value that a command makes; a kernel is added for it if need be, which
  /// all of `kernels` then read.
  Value make(ArrayRef<KernelOp> kernels);

private:
  KernelCondition(KernelOp kernel, Value inside)
      : kernel(kernel), inside(inside) {}

  Value made;      ///< Null if each kernel makes it.
  KernelOp kernel; ///< One of them, and
  Value inside;    ///< what it makes.
};

/// Whether an operation of a kernel is on single elements, or a constant.
bool isOnElements(Operation *op);

/// The operand of `kernel` that is `value`, which it gets if it has none.
unsigned addInput(KernelOp kernel, Value value);

} // namespace mlir::gpuvm
