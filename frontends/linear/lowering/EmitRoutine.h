//===- EmitRoutine.h - a routine as a function ------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/modes/CompiledProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::linear {

/// Fills `function`, (vm_id: i32, shared memory: tensor<?xi32>) -> the results
/// that `code` names, with what a machine of a launch does: blocks and branches
/// between them, with the state in their arguments.
void emitRoutine(func::FuncOp function, const vm::linear::Program &program,
                 const vm::linear::CompiledLaunch &code);

/// The same as one block, with scf.if and scf.while, in a function without a
/// parent; Excess, with the reason as the end of a sentence, where a kernel
/// cannot have such code.
vm::Result<OwningOpRef<func::FuncOp>>
makeRoutine(Location loc, const vm::linear::Program &program,
            const vm::linear::CompiledLaunch &code);

} // namespace mlir::linear
