//===- ChainRuns.h - runs of kernels that may become one ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what is legal is asked here: a kernel joins the run of one it reads
// from, unless something that must come between them is not in the run.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "passes/analysis/Effects.h"

namespace mlir::gpuvm {

/// Kernels in block order; each but the first reads a result of another.
using ChainRun = SmallVector<flow::DispatchOp>;

/// The runs of two or more kernels of a program. No way leads out of a run and
/// back into it, also if every other run is one command.
SmallVector<ChainRun> findChainRuns(ProgramOp program, const Effects &effects);

/// The runs that hold kernels of several families, or maps that do not fit
/// registers. All their results have the same `dims` leading dimensions, and
/// each is the work of one workgroup for each of their indices. Nothing that
/// waits for a run has to wait for more commands than it did.
SmallVector<ChainRun> findFamilyRuns(ProgramOp program, const Effects &effects,
                                     unsigned dims);

/// Whether nothing outside `run` has to come after one of its kernels and
/// before another.
bool isClosed(const ChainRun &run, const Effects &effects);

/// One kernel with root `chain` that does what `run` does, at the place of its
/// last kernel; the run itself is left as it is. The results are those that
/// others than the run use, in order. With `holdInputs`, inputs that several
/// steps read, or that are read at other indices, are held from the beginning.
/// After these results come those of `others`, results of the run.
flow::DispatchOp buildChain(ArrayRef<flow::DispatchOp> run, bool holdInputs,
                            ValueRange others = {});

/// Puts `chain` in the place of `run`, with a name that nothing else in `names`
/// has. What the host could read of the values in between is gone.
void replaceRun(ArrayRef<flow::DispatchOp> run, flow::DispatchOp chain,
                SymbolTable &names);

} // namespace mlir::gpuvm
