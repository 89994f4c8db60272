//===- Instructions.h - instructions of the linear-algebra VM ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace mlir::linear {

/// What instruction `number` is called, and the kinds of its operands, a
/// character each as in LinearOpcodes.def.
struct InstructionInfo {
  uint32_t number;
  llvm::StringRef mnemonic;
  llvm::StringRef operands;
};

/// Null where there is none.
const InstructionInfo *findInstruction(uint32_t number);
const InstructionInfo *findInstruction(llvm::StringRef mnemonic);

} // namespace mlir::linear
