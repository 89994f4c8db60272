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

WindowAttr gpuvm::intersect(WindowAttr a, WindowAttr b) {
  if (a.getRegion() != b.getRegion())
    return WindowAttr();
  uint64_t begin = std::max(a.getOffset(), b.getOffset());
  uint64_t end =
      std::min(a.getOffset() + a.getLength(), b.getOffset() + b.getLength());
  if (begin >= end)
    return WindowAttr();
  return WindowAttr::get(a.getContext(), a.getRegion(), begin, end - begin);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Rotations gpuvm::getRotations(flow::LoopOp op) {
  Rotations rotations;
  if (op.getRotations())
    for (auto symbols : op.getRotations()->getAsRange<ArrayAttr>())
      rotations.push_back(llvm::map_to_vector(
          symbols.getAsRange<FlatSymbolRefAttr>(), [&](auto symbol) {
            return lookupSymbol(op, symbol.getValue()).window;
          }));
  return rotations;
}

WindowAttr gpuvm::rotate(WindowAttr window, const Rotations &rotations,
                         int64_t turns) {
  for (const SmallVector<WindowAttr> &rotation : rotations)
    for (auto [i, place] : llvm::enumerate(rotation)) {
      if (!intersect(place, window))
        continue;
      int64_t length = rotation.size();
      WindowAttr then =
          rotation[((int64_t(i) - turns) % length + length) % length];
      return WindowAttr::get(window.getContext(), window.getRegion(),
                             window.getOffset() - place.getOffset() +
                                 then.getOffset(),
                             window.getLength());
    }
  return window;
}

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
