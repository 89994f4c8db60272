//===- ScalarBody.h - queries on bodies of operations ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of `linalg.generic` may hold control flow of `scf`. A loop takes an
// unknown time for each element and is code that is better not written out
// several times, so what fuses, unrolls and computes again asks here first.
// Bodies may also read elements of tensors of the stage, wherever they like
// (`tensor.extract`): such a tensor is a *table* of the operation.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::gpuvm {

/// On a `linalg.generic` whose neighbours compute most of their numbers
/// together (random words come four at a time), and on a loop of it that is
/// rarely entered.
inline constexpr const char *kSharesBlocksAttr = "gpuvm.shares_blocks";
inline constexpr const char *kSeldomAttr = "gpuvm.seldom";

/// On a `linalg.generic` that reads each element of its tables about once.
inline constexpr const char *kReadsTablesOnceAttr = "gpuvm.reads_tables_once";

/// The tensors from outside that the body of `op` reads.
llvm::SmallSetVector<Value, 4> getTables(Operation *op);

/// All that `op` reads: its operands and its tables.
SmallVector<Value> getOperandsAndTables(Operation *op);

/// The scalar operations in the regions of `op`, nested ones included.
int64_t countScalarOps(Operation *op);

/// Whether an element may spend its time in a loop.
bool hasLoops(Operation *op);

/// What computing an element costs, in scalar operations, where its neighbours
/// are computed as well.
int64_t costOf(Operation *op);

} // namespace mlir::gpuvm
