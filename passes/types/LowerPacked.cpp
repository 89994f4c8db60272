//===- LowerPacked.cpp - packed types as the bytes they are ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LOWERPACKED
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct LowerPacked : gpuvm::impl::LowerPackedBase<LowerPacked> {
  void runOnOperation() override;
};
} // namespace

static Type lowered(Type type) {
  return isa<PackedType>(type) ? Type(memoryType(type)) : type;
}

static void lowerSignature(ProgramOp program) {
  FunctionType type = program.getProgramType();
  auto inputs = llvm::map_to_vector(type.getInputs(), lowered);
  program.setFunctionTypeAttr(TypeAttr::get(
      FunctionType::get(program.getContext(), inputs, type.getResults())));
}

static void lowerTypes(Operation *op) {
  if (SymbolInfo symbol = getSymbolInfo(op); symbol.op) {
    symbol.declaredType = lowered(symbol.declaredType);
    setSymbolInfo(symbol);
  }
  for (Value result : op->getResults())
    result.setType(lowered(result.getType()));
  for (mlir::Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(lowered(argument.getType()));
}

void LowerPacked::runOnOperation() {
  lowerSignature(getOperation());
  // A decoding knows its packed type by its operand, which then has lost it.
  getOperation().walk([](DecodeOp decode) {
    decode.setLayoutAttr(TypeAttr::get(decode.getPackedType()));
  });
  getOperation().walk(lowerTypes);
}
