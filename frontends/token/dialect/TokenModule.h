//===- TokenModule.h - machines of the token-stream VM as IR ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/token/Token.h"
#include "frontends/token/ground/Machine.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::token {

/// The dialect with the rules of machine/CheckMachine.h, by which a
/// token.machine is verified.
void registerTokenDialect(DialectRegistry &registry);

/// A module with a machine, which was checked, as a token.machine. The context
/// must know the dialect.
OwningOpRef<ModuleOp> buildModule(MLIRContext &context,
                                  const vm::token::Machine &machine);

/// The machine that a token.machine is: of a verified one that of buildModule.
/// Of another one whose operations are verified it may break the rules of
/// machine/CheckMachine.h.
vm::token::Machine readMachine(MachineOp op);

} // namespace mlir::token
