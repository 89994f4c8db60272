//===- Combiner.h - a reduction's body taken apart ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body combines each element with accumulators. Lanes that share the work
// also have to combine two partial results, so the part of the body that does
// it must be known: docs/reduction-order.md, section 1.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <variant>
#include <vector>

namespace mlir::gpuvm {

/// A user's claim, on a `linalg.generic`, that its body combines accumulators
/// and elements by an associative and commutative operation.
inline constexpr llvm::StringLiteral kAssociativeAttr = "gpuvm.associative";

/// Accumulators that take the element as a whole or not at all: arg-min and
/// arg-max. An element takes their place if its key beats theirs.
struct Choice {
  using Predicate = std::variant<arith::CmpIPredicate, arith::CmpFPredicate>;

  SmallVector<unsigned> accumulators; ///< The key's among them.
  unsigned key;
  /// An element beats the accumulators if `key of element <predicate> key`.
  Predicate predicate;
  bool flushes;   ///< The comparison takes subnormal numbers for zeros.
  bool keepsTies; ///< Of equal keys the first wins; otherwise the last.
  /// The minimum or maximum that gives the key; null if it is selected, too.
  Operation *extremum = nullptr;
};

/// Accumulators of which the user says that they can be combined in any order.
struct Claim {
  SmallVector<unsigned> accumulators;
  /// What computes the yielded values from accumulators and elements, in the
  /// order of the body.
  SmallVector<Operation *> ops;
};

struct Combiner {
  /// What accumulator i is combined with: a value of the body that does not
  /// depend on any accumulator.
  SmallVector<Value> elements;
  /// The associative and commutative operation that combines accumulator i with
  /// its element; null if a choice or a claim does.
  SmallVector<Operation *> ops;
  std::vector<Choice> choices;
  std::vector<Claim> claims;
};

/// The combiner of a reduction's body, or nullopt if it has another form, so
/// that partial results cannot be combined; then the order is sequential
/// whatever the shape.
std::optional<Combiner> matchCombiner(linalg::GenericOp op);

/// The operation of a body that is no combiner that partial results cannot be
/// combined by: the last one that does something else with an accumulator, or
/// the terminator.
Operation *findNonCombining(linalg::GenericOp op);

/// `value`, or the operand of the `gpuvm.flush` that computes it.
Value skipFlush(Value value);

} // namespace mlir::gpuvm
