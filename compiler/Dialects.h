//===- Dialects.h - the dialects every tool of the compiler loads ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace mlir::gpuvm {

/// Registers `gpuvm`, `plan` and the upstream dialects that programs and the
/// passes use, with the interfaces these need.
void registerCompilerDialects(DialectRegistry &registry);

} // namespace mlir::gpuvm
