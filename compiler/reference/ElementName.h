//===- ElementName.h - names of elementwise operations ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace mlir::gpuvm::reference {

/// The name by which Elementwise.h knows result `result` of `op`: that of the
/// operation, with ".predicate" of a comparison and "#i" if there are several.
std::string getElementwiseName(Operation *op, unsigned result);

} // namespace mlir::gpuvm::reference
