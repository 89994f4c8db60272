//===- Instructions.cpp - instructions of the linear-algebra VM -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/linear/Instructions.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::linear;

static constexpr InstructionInfo kInstructions[] = {
#define LINEAR_OPCODE(name, number, text, cls, operands)                       \
  {number, text, operands},
#include "schema/LinearOpcodes.def"
};

static const InstructionInfo *
findIf(llvm::function_ref<bool(const InstructionInfo &)> isIt) {
  const auto *found = llvm::find_if(kInstructions, isIt);
  return found == std::end(kInstructions) ? nullptr : found;
}

const InstructionInfo *mlir::linear::findInstruction(uint32_t number) {
  return findIf([&](const InstructionInfo &i) { return i.number == number; });
}

const InstructionInfo *mlir::linear::findInstruction(llvm::StringRef mnemonic) {
  return findIf(
      [&](const InstructionInfo &i) { return i.mnemonic == mnemonic; });
}
