//===- OpPlaces.h - what stands where --------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traits that say what the region of an operation holds, and in what an
// operation stands. They join dialects that do not know each other: what a
// stage holds may stand in a `flow.dispatch`, too.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/OpDefinition.h"

namespace mlir::gpuvm {

/// Code on tensors: a stage, and what stages are lowered to.
template <typename OpT>
class HoldsCode : public OpTrait::TraitBase<OpT, HoldsCode> {};

/// Stages: a program, a repeat, and a loop.
template <typename OpT>
class HoldsStages : public OpTrait::TraitBase<OpT, HoldsStages> {};

/// Commands: a program, and a loop.
template <typename OpT>
class HoldsCommands : public OpTrait::TraitBase<OpT, HoldsCommands> {};

template <template <typename> class PlaceT>
LogicalResult verifyPlace(Operation *op, StringRef place) {
  Operation *parent = op->getParentOp();
  if (parent && parent->hasTrait<PlaceT>())
    return success();
  return op->emitOpError("expects to be in ") << place;
}

template <typename OpT> class InCode : public OpTrait::TraitBase<OpT, InCode> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyPlace<HoldsCode>(op, "a stage or a dispatch");
  }
};

template <typename OpT>
class InStages : public OpTrait::TraitBase<OpT, InStages> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyPlace<HoldsStages>(op, "a program, a repeat or a loop");
  }
};

template <typename OpT>
class InCommands : public OpTrait::TraitBase<OpT, InCommands> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyPlace<HoldsCommands>(op, "a program or a loop");
  }
};

/// A value that stages may be given, or compute.
template <typename OpT>
class InCodeOrStages : public OpTrait::TraitBase<OpT, InCodeOrStages> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    Operation *parent = op->getParentOp();
    if (parent && parent->hasTrait<HoldsCode>())
      return success();
    return verifyPlace<HoldsStages>(op, "a program, a repeat or a stage");
  }
};

/// Moves bytes between ranks: what all of them have to do in one order.
template <typename OpT>
class IsExchange : public OpTrait::TraitBase<OpT, IsExchange> {};

} // namespace mlir::gpuvm
