//===- KScales.cpp - the scales of ggml's K quantizations -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/KScales.h"

using namespace mlir;
using namespace mlir::gpuvm;

QuantizedCodec::Scale KScaledCodec::readScale(const uint8_t *block,
                                              int64_t i) const {
  const uint8_t *b = block + 4;
  int scale = i < 4 ? b[i] & 63 : (b[i + 4] & 0xF) | (b[i - 4] >> 6) << 4;
  int min = i < 4 ? b[i + 4] & 63 : (b[i + 4] >> 4) | (b[i] >> 6) << 4;
  return {readHalf(block) * scale, -(readHalf(block + 2) * min)};
}

QuantizedCodec::ScaleNumbers KScaledCodec::emitScale(PackedReader &r,
                                                     Word block, Word i) const {
  SmallVector<Word> words = r.bytes(block, 16, /*alignment=*/16);
  // Byte i % 4 of each of the three words of scales comes down.
  Word shift = (i % 4) << 3;
  Word low = words[1] >> shift;
  Word middle = words[2] >> shift;
  Word high = words[3] >> shift;
  Value isFirst = i.less(4);
  Word scale = r.select(isFirst, low & 63, (high & 0xF) | ((low >> 2) & 0x30));
  Word min = r.select(isFirst, middle & 63,
                      ((high >> 4) & 0xF) | ((middle >> 2) & 0x30));
  Number d = r.scaleToFloat(words[0]);
  Number negativeDmin = r.scaleToFloat(words[0] ^ 0x80000000, /*half=*/1);
  return {d * r.toFloat(scale), negativeDmin * r.toFloat(min)};
}

SmallVector<Number> KScaledCodec::emitInBlock(PackedReader &r, Word block,
                                              Word j, int64_t count) const {
  ScaleNumbers s = emitScale(r, block, j / 32);
  SmallVector<Word> q = emitQuants(r, block, j, count);
  ByteScales scales = r.byteScales(s.scale);
  SmallVector<Number> y;
  for (int64_t i = 0; i < count; ++i)
    y.push_back(r.byteInPlace(q, i).scaled(scales[i % 4], *s.offset));
  return y;
}
