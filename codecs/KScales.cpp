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
                                                     Expr block, Expr i) const {
  SmallVector<Expr> words = r.bytes(block, 16, /*alignment=*/16);
  // Byte i % 4 of each of the three words of scales comes down.
  Expr shift = (i % 4) << 3;
  Expr low = shiftRight(words[1], shift);
  Expr middle = shiftRight(words[2], shift);
  Expr high = shiftRight(words[3], shift);
  Expr isFirst = isBelow(i, 4);
  Expr scale = select(isFirst, low & 63, (high & 0xF) | ((low >> 2) & 0x30));
  Expr min = select(isFirst, middle & 63,
                    ((high >> 4) & 0xF) | ((middle >> 2) & 0x30));
  Expr d = r.scaleToFloat(words[0]);
  Expr negativeDmin = r.scaleToFloat(words[0] ^ 0x80000000, /*half=*/1);
  return {d * scale.signedToFloat(), negativeDmin * min.signedToFloat()};
}
