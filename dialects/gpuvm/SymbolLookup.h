//===- SymbolLookup.h - many symbols of one program -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lookupSymbol (Gpuvm.h) compares the names of all operations of a program.
// What looks up a symbol for each of many operations makes tables once.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

#include "mlir/IR/SymbolTable.h"

namespace mlir::gpuvm {

/// The same with tables, which are valid until symbols come or go.
SymbolInfo lookupSymbol(SymbolTableCollection &tables, Operation *from,
                        StringRef name);

} // namespace mlir::gpuvm
