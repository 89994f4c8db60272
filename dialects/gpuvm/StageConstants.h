//===- StageConstants.h - constants that stage bodies use -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage is isolated: its body sees the operands of the stage, and may give
// its arguments any names. A constant of the program may be used in it all the
// same. MLIR's parser knows the names of an isolated region before it reads it.
// So the stage's parser looks ahead in the text for the names that the body
// uses and does not define, and adds the constants among them as operands
// (docs/rationale/program-constants.md has what was rejected).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/OpImplementation.h"

namespace mlir::gpuvm {

/// The names that the text of a region, from its opening brace on, uses before
/// it defines them: each once, at its first use.
SmallVector<OpAsmParser::UnresolvedOperand> findOuterNames(const char *text);

/// Makes operands of the constants that the body ahead of `parser` uses from
/// outside of the stage, and appends to `arguments`, which holds those that are
/// written, as what they arrive. Fails at a use of any other value.
ParseResult
parseOuterConstants(OpAsmParser &parser, OperationState &stage,
                    SmallVectorImpl<OpAsmParser::Argument> &arguments);

} // namespace mlir::gpuvm
