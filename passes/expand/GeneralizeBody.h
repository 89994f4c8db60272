//===- GeneralizeBody.h - constraints on bodies ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// Emits an error if a body takes anything from around it but constants.
LogicalResult checkCaptures(Block &body);

/// Emits an error if a body is not scalar code of `arith` and `math`, and in
/// `linalg.generic` of `scf`, or if its loops run more often than devices are
/// known to allow.
LogicalResult checkBody(Block &body);

/// Writes out the loops of a body if all run a known, small number of times.
void unrollShortLoops(linalg::GenericOp op);

} // namespace mlir::gpuvm
