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

/// An operation of `arith` or `math`, element by element: on tensors, or on
/// scalars. A scalar operand among tensors (the condition of `arith.select`)
/// is the same for all elements.
Results evaluateElementwise(Operation *op, const Environment &env);

/// `linalg.generic`. Reductions are done in the order that
/// dialects/gpuvm/Reduction.h defines and docs/reduction-order.md specifies.
Results evaluateGeneric(linalg::GenericOp op, const Environment &env);

/// An operation of `tensor`: shapes, slices and single elements.
Results evaluateTensorOp(Operation *op, const Environment &env);

/// `linalg.pack` and `linalg.unpack`.
Results evaluatePack(linalg::PackOp op, const Environment &env);
Results evaluateUnpack(linalg::UnPackOp op, const Environment &env);

/// Decodes packed data by its codec's reference.
vm::HostTensor decode(DecodeOp op, const Environment &env);

/// `gpuvm.attention`.
Results evaluateAttention(AttentionOp op, const Environment &env);

/// Discrete Fourier transforms and convolutions (GpuvmFft.td).
Results evaluateFft(FftOp op, const Environment &env);
Results evaluateConvolve(ConvolveOp op, const Environment &env);
Results evaluateRfft(RfftOp op, const Environment &env);
Results evaluateIrfft(IrfftOp op, const Environment &env);

/// `gpuvm.count` and `gpuvm.filled` (GpuvmBounded.td).
Results evaluateCount(CountOp op, const Environment &env);
Results evaluateFilled(FilledOp op, const Environment &env);

/// `gpuvm.gather`.
Results evaluateGather(GatherOp op, const Environment &env);

/// `gpuvm.random`.
Results evaluateRandom(RandomOp op, const Environment &env);

/// `gpuvm.scan` and `gpuvm.compact`.
Results evaluateScan(ScanOp op, const Environment &env);
Results evaluateCompact(CompactOp op, const Environment &env);

/// `gpuvm.sort` and its kin.
Results evaluateSort(SortOp op, const Environment &env);
Results evaluateTopK(TopKOp op, const Environment &env);
Results evaluateMerge(MergeOp op, const Environment &env);
Results evaluateSearchSorted(SearchSortedOp op, const Environment &env);
/// The steps that gpuvm-generalize expands them to.
Results evaluateSortRuns(SortRunsOp op, const Environment &env);
Results evaluateMergeRuns(MergeRunsOp op, const Environment &env);
Results evaluateCountDigits(CountDigitsOp op, const Environment &env);
Results evaluateScatterDigits(ScatterDigitsOp op, const Environment &env);

/// What groups and finds elements (GpuvmGroups.td).
Results evaluateScatter(ScatterOp op, const Environment &env);
Results evaluateSegmentReduce(SegmentReduceOp op, const Environment &env);
Results evaluateExpand(ExpandOp op, const Environment &env);
Results evaluateDistinct(DistinctOp op, const Environment &env);
Results evaluateMatch(MatchOp op, const Environment &env);

/// Rules of regulators (GpuvmRegulators.td).
Results evaluateRegulate(RegulateOp op, const Environment &env);
Results evaluateRunningMean(RunningMeanOp op, const Environment &env);

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
