//===- Chain.h - the chain dialect ----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialect that mirrors the plan file (ChainOps.td).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

#include "dialects/chain/ChainDialect.h.inc"
#include "dialects/chain/ChainEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/chain/ChainAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/chain/ChainOps.h.inc"
