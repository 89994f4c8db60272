//===- Lowering.h - from the linear-algebra VM to gpuvm ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/linear/Linear.h"
#include "frontends/linear/Program.h"
#include "frontends/linear/modes/Modes.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

namespace mlir::linear {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "frontends/linear/lowering/Passes.h.inc"

/// A module with `program` as a linear.program, whose operations have the
/// places of its text.
OwningOpRef<ModuleOp> buildModule(MLIRContext &context,
                                  const vm::linear::Program &program);

/// The program that a verified linear.program is.
vm::linear::Program readProgram(ProgramOp op);

/// The mode of each phase that linear-lower takes.
std::vector<vm::linear::PhaseMode>
chooseModes(const vm::linear::Program &program, std::string_view wanted);

} // namespace mlir::linear
