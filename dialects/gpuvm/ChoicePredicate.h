//===- ChoicePredicate.h - when an element beats the accumulators ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>
#include <variant>

namespace mlir::gpuvm {

/// That of a choice (Combiner.h).
using ChoicePredicate =
    std::variant<arith::CmpIPredicate, arith::CmpFPredicate>;

bool isMaximum(Operation *op);
bool isMinimum(Operation *op);

/// The predicate of the comparison `op`, or its inverse, or with its operands
/// exchanged; nullopt if it is none of a choice.
std::optional<ChoicePredicate> predicateOf(Operation *op, bool invert,
                                           bool swap);

/// Whether equal keys do not beat each other.
bool isStrict(ChoicePredicate predicate);

/// Whether the extremum `op` is the key that `predicate` chooses.
bool agrees(Operation *op, ChoicePredicate predicate);

} // namespace mlir::gpuvm
