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

#include "dialects/gpuvm/Gpuvm.h"

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
  Value at = Expr(*this, i) % perPiece;
  if (std::optional<unsigned> only = split->second.only)
    return access(view(*only, memory), at);
  Value piece = Expr(*this, i) / perPiece;
  return inOneOf(split->second.bindings, 0, piece, results,
                 [&](unsigned one) { return access(view(one, memory), at); });
}

SmallVector<Value>
KernelBuilder::inOnePiece(unsigned binding, Type element, Value first,
                          Value last, TypeRange results,
                          function_ref<SmallVector<Value>()> body) {
  auto split = splits.find(binding);
  if (split == splits.end() || split->second.only)
    return body();
  int64_t perPiece = split->second.pieceBytes / elementBytes(element);
  Value piece = Expr(*this, first) / perPiece;
  Value isOne = Expr(*this, last) / perPiece == piece;
  auto inPiece = [&](unsigned one) {
    splits[binding].only = one;
    SmallVector<Value> values = body();
    splits[binding].only.reset();
    return values;
  };
  SmallVector<unsigned> bindings = split->second.bindings;
  return choose(
      isOne, results,
      [&] { return inOneOf(bindings, 0, piece, results, inPiece); }, body);
}

SmallVector<Value> KernelBuilder::inOneOf(
    ArrayRef<unsigned> bindings, int64_t first, Value piece, TypeRange results,
    function_ref<SmallVector<Value>(unsigned binding)> emit) {
  if (bindings.size() == 1)
    return emit(bindings.front());
  size_t half = bindings.size() / 2;
  auto branch = [&](ArrayRef<unsigned> pieces, int64_t number) {
    return inOneOf(pieces, number, piece, results, emit);
  };
  return choose(
      Expr(*this, piece) < first + half, results,
      [&] { return branch(bindings.take_front(half), first); },
      [&] { return branch(bindings.drop_front(half), first + half); });
}
