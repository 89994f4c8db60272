//===- SplitWindows.cpp - values that are longer than a window may be -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel sees such a value as pieces of equal length, a window each. Where an
// access goes is decided for each access, by the index of its first element: a
// tree of branches over the pieces, because logical addressing knows no pointer
// that could be one or the other. The pieces hold whole tiles, so that on a GPU
// the lanes of a workgroup nearly always take the same branches.
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/KernelBuilder.h"

using namespace mlir;
using namespace mlir::gpuvm;

static int64_t bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return type.getIntOrFloatBitWidth() / 8;
}

void KernelBuilder::splitWindow(ArrayRef<unsigned> bindings,
                                uint64_t pieceBytes) {
  splits[bindings.front()] = {llvm::to_vector(bindings), pieceBytes};
}

void KernelBuilder::forEachPiece(unsigned binding,
                                 function_ref<void(BindingUse &)> mark) {
  if (auto part = bundled.find(binding); part != bundled.end())
    return mark(uses[part->second.binding]);
  auto split = splits.find(binding);
  if (split == splits.end())
    return mark(uses[binding]);
  for (unsigned piece : split->second.bindings)
    mark(uses[piece]);
}

SmallVector<Value> KernelBuilder::inPiece(unsigned binding, Type memory,
                                          Value i, TypeRange results,
                                          AccessFn access) {
  if (auto part = bundled.find(binding); part != bundled.end()) {
    int64_t first = part->second.offset / bytesOf(memory);
    return access(view(part->second.binding, memory), Expr(*this, i) + first);
  }
  auto split = splits.find(binding);
  if (split == splits.end())
    return access(view(binding, memory), i);
  int64_t perPiece = split->second.pieceBytes / bytesOf(memory);
  Value piece = Expr(*this, i) / perPiece;
  Value at = Expr(*this, i) % perPiece;
  return inOneOf(split->second.bindings, 0, piece, memory, at, results, access);
}

/// `bindings` are the pieces from number `first` on.
SmallVector<Value> KernelBuilder::inOneOf(ArrayRef<unsigned> bindings,
                                          int64_t first, Value piece,
                                          Type memory, Value at,
                                          TypeRange results, AccessFn access) {
  if (bindings.size() == 1)
    return access(view(bindings.front(), memory), at);
  size_t half = bindings.size() / 2;
  Value isLower = Expr(*this, piece) < first + half;
  auto branch = [&](ArrayRef<unsigned> pieces, int64_t number) {
    return [&, pieces, number](OpBuilder &nested, Location) {
      OpBuilder::InsertionGuard guard(ir());
      ir().restoreInsertionPoint(nested.saveInsertionPoint());
      scf::YieldOp::create(
          ir(), loc(),
          inOneOf(pieces, number, piece, memory, at, results, access));
    };
  };
  auto op = scf::IfOp::create(ir(), loc(), isLower,
                              branch(bindings.take_front(half), first),
                              branch(bindings.drop_front(half), first + half));
  return llvm::to_vector_of<Value>(op.getResults());
}
