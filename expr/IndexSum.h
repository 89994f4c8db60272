//===- IndexSum.h - an index as a sum of known parts ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of an element is a sum: some parts are multiples of a block, the
// others are less than one. So the block and the place in it are sums as well,
// and no division is left where a kernel runs. What remains depends on the lane
// alone, and drivers compute it once.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::gpuvm {

/// x / `divisor` and x % `divisor`, as an `index`, of an `index` that is not
/// negative or of an i32 that is computed of such by casts, sums and products
/// with constants; every part of it fits. Null if x is no sum of which enough
/// is known.
Value emitKnownQuotient(OpBuilder &b, Location loc, Value x, int64_t divisor);
Value emitKnownRemainder(OpBuilder &b, Location loc, Value x, int64_t divisor);

/// The greatest value that such an x can have, if known.
std::optional<int64_t> getUpperBound(Value x);

} // namespace mlir::gpuvm
