//===- Token.h - the dialect of the token-stream VM -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"

#include "dialects/token/TokenDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/token/TokenOps.h.inc"

namespace mlir::token {

/// The rules of instruction tensors, which are the front end's: it promises to
/// register them where it registers the dialect
/// (frontends/token/dialect/TokenModule.h).
class MachineRules : public DialectInterface::Base<MachineRules> {
public:
  explicit MachineRules(Dialect *dialect) : Base(dialect) {}

  /// Reports what is broken at the operation that it is about. What the
  /// descriptions of the operations number C1 and on holds.
  virtual LogicalResult verify(MachineOp machine) const = 0;
};

} // namespace mlir::token
