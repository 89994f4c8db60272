//===- Flow.h - the flow dialect --------------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialect of what is scheduled (FlowOps.td).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

#include "dialects/flow/FlowDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/flow/FlowOps.h.inc"
