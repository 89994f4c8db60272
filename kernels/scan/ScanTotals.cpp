//===- ScanTotals.cpp - what the workgroups of a scan tell each other -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A word of a total has 16 bits of it, and above them a mark of the run that
// wrote it. So each word says itself whether it is there: a total takes one
// store, and one load to see it, without a fence between it and a flag, and
// nobody has to clear anything, since every run writes every total and marks
// words differently than the run before.
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/KeyImage.h"
#include "kernels/scan/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr unsigned kHalfBits = 16;
static constexpr uint32_t kHalf = (1u << kHalfBits) - 1;

static bool takesHalf(Type type) {
  return type.getIntOrFloatBitWidth() <= kHalfBits;
}

/// 16 bits each, the lowest ones first.
static void appendHalves(KernelBuilder &k, Value value,
                         SmallVectorImpl<Value> &halves) {
  for (Value word : toWords(k, value)) {
    halves.push_back(k(word) & kHalf);
    if (!takesHalf(value.getType()))
      halves.push_back(k(word) >> kHalfBits);
  }
}

/// Takes a value of `type` away from the front of `halves`.
static Value takeValue(KernelBuilder &k, Type type, ArrayRef<Value> &halves) {
  SmallVector<Value> words;
  for (int64_t i = 0; i < countWords(type); ++i) {
    words.push_back(halves.consume_front());
    if (!takesHalf(type))
      words.back() = k(words.back()) | (k(halves.consume_front()) << kHalfBits);
  }
  return fromWords(k, words, type);
}

/// `values` are total `number` from now on, for lanes that go here. Several
/// workgroups may say so of the same total.
void ScanEmitter::publish(const Values &values, Value number) {
  SmallVector<Value> words;
  for (Value value : values)
    appendHalves(k, value, words);
  words.resize(layout.wordsPerTotal(), k.word(0));
  for (Value &word : words)
    word = k(word) | mark;
  unsigned binding = c.bindings.scratch.front();
  k.markCoherent(binding);
  k.storeVector(binding, words, k(number) * layout.wordsPerTotal());
}

/// The words of total `number`, which may not be there yet.
SmallVector<Value> ScanEmitter::lookAt(Value number) {
  unsigned binding = c.bindings.scratch.front();
  k.markCoherent(binding);
  k.markVolatile(binding);
  int64_t count = layout.wordsPerTotal();
  return k.loadVector(binding, k.ir().getI32Type(), k(number) * count, count);
}

/// Whether this run wrote all of `words`.
Value ScanEmitter::isMarked(ArrayRef<Value> words) {
  Expr differs = k.word(0);
  for (Value word : words)
    differs = differs | (k(word) ^ mark);
  return differs < kMark;
}

ScanEmitter::Values ScanEmitter::valuesOf(ArrayRef<Value> words) {
  SmallVector<Value> halves;
  for (Value word : words)
    halves.push_back(k(word) & kHalf);
  ArrayRef<Value> left = halves;
  Values values;
  for (Type type : slots)
    values.push_back(takeValue(k, type, left));
  return values;
}
