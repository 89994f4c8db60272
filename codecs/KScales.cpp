//===- KScales.cpp - the scales of ggml's K quantizations -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/KScales.h"

using namespace mlir;
using namespace mlir::gpuvm;

KScale gpuvm::readKScale(const uint8_t *block, int i) {
  const uint8_t *b = block + 4;
  int scale = i < 4 ? b[i] & 63 : (b[i + 4] & 0xF) | (b[i - 4] >> 6) << 4;
  int min = i < 4 ? b[i + 4] & 63 : (b[i + 4] >> 4) | (b[i] >> 6) << 4;
  return {readHalf(block) * scale, readHalf(block + 2) * min};
}

KScaleNumbers gpuvm::emitKScale(PackedReader &r, Word block, Word i) {
  Word halves = r.word(block);
  // Byte i % 4 of each of the three words of scales.
  Word shift = (i & 3) << 3;
  Word low = (r.word(block + 1) >> shift) & 0xFF;
  Word middle = (r.word(block + 2) >> shift) & 0xFF;
  Word high = (r.word(block + 3) >> shift) & 0xFF;
  Value isFirst = i.less(4);
  Word scale = r.select(isFirst, low & 63, (high & 0xF) | ((low >> 6) << 4));
  Word min = r.select(isFirst, middle & 63, (high >> 4) | ((middle >> 6) << 4));
  return {r.halfToFloat(halves) * r.toFloat(scale),
          r.halfToFloat(halves >> 16) * r.toFloat(min)};
}
