//===- LoopToSpirv.h - scf.for to spirv.mlir.loop --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;

namespace gpuvm {

/// Takes over scf.for and scf.while from populateSCFToSPIRVPatterns.
void populateLoopToSpirvPatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns);

} // namespace gpuvm
} // namespace mlir
