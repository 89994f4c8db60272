//===- Evaluate.h - the reference functions, one per kind of operation ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function computes the results of one operation from the values of its
// operands in `env`. On failure an error has been emitted at the operation.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Tensor.h"
#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm::reference {

using Results = FailureOr<SmallVector<Tensor>>;

/// A zeroed value for a result, with so many rows if it is bounded. Emits an
/// error if the machine has no such type.
FailureOr<vm::HostTensor> makeResult(OpResult result, int64_t rows = 0);

/// A scalar repeated for every element of a tensor.
Tensor broadcast(const Tensor &scalar, ArrayRef<int64_t> shape);

/// `rows`, with as many as `type` has, where that says how many there are:
/// those of a bounded value that gpuvm-lower-bounded has seen.
Tensor withMoreRows(const Tensor &rows, Type type);

/// An operation of `arith` or `math`, element by element: on tensors, or on
/// scalars. A scalar operand among tensors (the condition of `arith.select`)
/// is the same for all elements.
Results evaluateElementwise(Operation *op, const Environment &env);

/// `linalg.generic`. Reductions are done in the order that
/// dialects/gpuvm/Reduction.h defines and docs/reduction-order.md specifies.
Results evaluateGeneric(linalg::GenericOp op, const Environment &env);

/// An operation of `tensor`: shapes, slices and single elements.
Results evaluateTensorOp(Operation *op, const Environment &env);

/// Decodes packed data by its codec's reference.
vm::HostTensor decode(DecodeOp op, const Environment &env);

/// The operation of `arith` that combines two elements by `rule`.
std::string getOperationName(Rule rule, bool isFloat);

/// `gpuvm.gather`.
Results evaluate(GatherOp op, const Environment &env);

/// The other operations, a function each.
#define GPUVM_REFERENCE(Op) Results evaluate(Op op, const Environment &env);
#include "compiler/reference/Operations.def"
#undef GPUVM_REFERENCE

/// `whole` with `rows` from row `position` on; those outside are dropped.
vm::HostTensor storeRows(vm::HostTensor whole, const vm::HostTensor &rows,
                         int64_t position);

/// The metadata of a message with this payload: the L2 norm and the largest
/// absolute value, as `tensor<f32>` (docs/reduction-order.md). `slices`: so
/// many are computed together, of slices of one message.
vm::HostTensor computeNorm(const vm::HostTensor &payload, int64_t slices,
                           bool exact);
vm::HostTensor computeMaxAbs(const vm::HostTensor &payload, int64_t slices,
                             bool exact);

} // namespace mlir::gpuvm::reference
