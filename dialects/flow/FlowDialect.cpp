//===- FlowDialect.cpp - registration of the flow dialect -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/flow/Flow.h"

using namespace mlir;
using namespace mlir::flow;

#include "dialects/flow/FlowDialect.cpp.inc"

void FlowDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/flow/FlowOps.cpp.inc"
      >();
}
