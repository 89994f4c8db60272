//===- Plan.h - the plan dialect ------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialect that mirrors the plan file (PlanOps.td).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/plan/PlanDialect.h.inc"
#include "dialects/plan/PlanEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.h.inc"

namespace mlir::plan {

/// What a dispatch of `kernel` has windows for: the bindings of the kernel and
/// of its variants, which stand next to it, ascending, each with what any of
/// them does to it.
SmallVector<BindingAttr> getDispatchBindings(KernelOp kernel,
                                             SymbolTableCollection &symbols);

/// What a command reads and writes; nothing for barriers and repeats.
SmallVector<gpuvm::Access> getAccesses(Operation *command,
                                       SymbolTableCollection &symbols);

/// Whether commands are numbered with `op` among them.
bool isCommand(Operation *op);

} // namespace mlir::plan
