//===- ChainDialect.cpp - registration and attributes ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/chain/Chain.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::chain;

#include "dialects/chain/ChainDialect.cpp.inc"
#include "dialects/chain/ChainEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/chain/ChainAttrs.cpp.inc"

void ChainDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/chain/ChainAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/chain/ChainOps.cpp.inc"
      >();
}
