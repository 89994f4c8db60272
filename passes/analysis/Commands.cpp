//===- Commands.cpp - the commands of a program ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/Commands.h"

using namespace mlir;
using namespace mlir::gpuvm;

Parts::Parts(ProgramOp program) {
  unsigned number = 0;
  for (Operation *op : listOps(program)) {
    auto command = dyn_cast<CommandOpInterface>(op);
    bool isFence = command && command.isFence();
    number += 2 * isFence; // Which is in none itself.
    numbers[op] = number - isFence;
  }
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

uint64_t gpuvm::windowLength(RankedTensorType type) {
  return std::max<uint64_t>(llvm::alignTo(tensorBytes(type), 4), 4);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Operation *gpuvm::lastRun(Operation *user, Operation *maker) {
  Operation *last = user;
  for (auto loop = user->getParentOfType<flow::LoopOp>();
       loop && !(maker && loop->isProperAncestor(maker));
       loop = loop->getParentOfType<flow::LoopOp>())
    last = loop.getEnd();
  return last;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringAttr gpuvm::freeName(ProgramOp program, const Twine &wanted) {
  SymbolTable names(program);
  auto isTaken = [&](StringRef name) { return names.lookup(name) != nullptr; };
  auto name = StringAttr::get(program.getContext(), wanted);
  unsigned number = 0;
  if (isTaken(name))
    name = StringAttr::get(
        program.getContext(),
        SymbolTable::generateSymbolName<64>(name.getValue(), isTaken, number));
  return name;
}
