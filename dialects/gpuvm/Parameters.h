//===- Parameters.h - the operation gpuvm.parameter -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

#define GET_OP_CLASSES
#include "dialects/gpuvm/GpuvmParameters.h.inc"
