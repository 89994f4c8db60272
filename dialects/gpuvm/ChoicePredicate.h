//===- ChoicePredicate.h - when an element beats the accumulators ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Combiner.h"

namespace mlir::gpuvm {

bool isMaximum(Operation *op);
bool isMinimum(Operation *op);

/// The predicate of the comparison `op`, or its inverse, or with its operands
/// exchanged; nullopt if it is none of a choice.
std::optional<Choice::Predicate> predicateOf(Operation *op, bool invert,
                                             bool swap);

/// Whether equal keys do not beat each other.
bool isStrict(Choice::Predicate predicate);

/// Whether the extremum `op` is the key that `predicate` chooses.
bool agrees(Operation *op, Choice::Predicate predicate);

} // namespace mlir::gpuvm
