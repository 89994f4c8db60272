//===- KeyImage.h - keys as words that have their order ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emitters of sorts move elements as words of 32 bits, the lower one first, so
// that workgroup memory holds elements of any type. The image of a key is the
// number, as wide as the key, that has its place in the order (GpuvmSort.td): a
// key keeps its own bits, and its image is made of them wherever it is asked
// for.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KernelBuilder.h"

namespace mlir::gpuvm {

/// How many words an element takes.
int64_t countWords(Type element);

/// An element as words and back.
SmallVector<Value> toWords(KernelBuilder &k, Value element);
Value fromWords(KernelBuilder &k, ArrayRef<Value> words, Type element);

/// The keys of an operation.
class KeyImage {
public:
  KeyImage(KernelBuilder &k, Type element, bool isUnsigned, bool descends);

  int64_t words() const { return countWords(type); }
  int64_t bits() const; ///< Of an image; whole bytes.

  /// A key that no other comes behind, as words.
  SmallVector<Value> last();
  /// The same in the order of 8 bits of the image alone, from bit `shift` on.
  SmallVector<Value> lastOfDigit(Value shift);
  /// The words of the image of a key.
  SmallVector<Value> image(ArrayRef<Value> key);
  /// Bits shift to shift + count - 1 of a key's image; `shift` is a word, and
  /// the bits are those of one word of the image.
  Value digit(ArrayRef<Value> key, Value shift, int64_t count);
  /// Whether the first image comes before the second one.
  Value before(ArrayRef<Value> a, ArrayRef<Value> b);

private:
  SmallVector<Value> constant(uint64_t key);
  SmallVector<Value> invert(ArrayRef<Value> words);

  KernelBuilder &k;
  Type type;
  bool isUnsigned, descends;
};

} // namespace mlir::gpuvm
