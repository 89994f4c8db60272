//===- StepKernels.h - steps of a chain as kernels --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain that holds more than maps runs each step as its family would run it
// alone, in one workgroup: the step becomes a kernel, whose operands are inputs
// of the chain and what earlier steps hold. These values are kept in workgroup
// memory, where the family takes them for windows, or are in windows if they
// are large. If all that is held has the same leading dimensions, and no step
// reads across them, each of their indices has a workgroup, an instance.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "kernels/family/Family.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::gpuvm {

inline bool isChain(flow::DispatchOp kernel) {
  return kernel.getRoot() == Root::chain;
}

/// The root of a kernel with these operations.
Root getRootOf(ArrayRef<Operation *> ops);

/// Whether lanes that know which of them has an element that is read at an
/// index of the loops, and all take one step at a time, can do `op` on elements
/// in registers.
bool fitsRegisters(Operation *op);

/// Whether all steps of a chain are maps whose elements stay in registers
/// (ChainPlan.h).
bool isOfMaps(flow::DispatchOp chain);

/// How its family lays `kernel` over one workgroup; null if it does not.
std::unique_ptr<KernelLayout> layOutStep(flow::DispatchOp kernel);

/// A step of a chain as a kernel, in a module of its own.
struct StepKernel {
  flow::HoldOp hold;
  OwningOpRef<ModuleOp> module;
  flow::DispatchOp kernel;
  /// The operands, in the chain: its block arguments, and what steps hold. Null
  /// is the number of the instance.
  SmallVector<Value> operands;
  std::unique_ptr<KernelLayout> layout;
};

/// A chain that is not one of maps.
struct StepsPlan {
  /// The leading dimensions whose indices have a workgroup each; empty if there
  /// is one workgroup.
  SmallVector<int64_t> dims;
  int64_t lanes = KernelLayout::kLanes;
  std::vector<StepKernel> steps;

  int64_t numInstances() const { return llvm::product_of(dims); }
  /// Whether some step reads `held`.
  bool isRead(Value held) const;
};

/// The plan of such a chain with the most instances; nothing if no workgroup
/// can run it.
std::optional<StepsPlan> planSteps(flow::DispatchOp chain);

/// The values that steps read but are too large for workgroup memory: they need
/// a window, as a result of the chain.
SmallVector<Value> findLarge(const StepsPlan &plan);

/// The bytes of workgroup memory that the plan takes. Emits an error if a step
/// holds what no kernel can.
FailureOr<int64_t> countStepBytes(flow::DispatchOp chain, StepsPlan plan);

/// Emits such a chain.
LogicalResult emitSteps(EmitterContext &context, StepsPlan plan);

/// Whether a result of such a chain may have the window of an operand.
bool stepsWorkInPlace(flow::DispatchOp chain, unsigned operand,
                      unsigned result);

} // namespace mlir::gpuvm
