//===- Q5_1.cpp - 32 numbers of 5 bits, a scale and a minimum -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q5_1 (ggml-common.h), decoded as dequantize_row_q5_1 does.
//
//   byte 0: f16 d     byte 2: f16 m     byte 4: u32 h     byte 8: u8 q[16]
//   element j = (nibble + (h >> j & 1) * 16) * d + m, where
//   nibble = q[j] & 15 for j < 16, q[j - 16] >> 4 for j >= 16
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q5_1 final : public QuantizedCodec {
public:
  Q5_1()
      : QuantizedCodec("q5_1", /*elements=*/32, /*bytes=*/24,
                       /*elementsPerScale=*/32, /*hasOffsets=*/true) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int j = 0; j < 32; ++j) {
      int nibble = block[8 + j % 16] >> (j / 16 * 4) & 0xF;
      int fifth = block[4 + j / 8] >> (j % 8) & 1;
      q[j] = static_cast<int8_t>(nibble + fifth * 16);
    }
  }
  Scale readScale(const uint8_t *block, int64_t) const override {
    return {readHalf(block), readHalf(block + 2)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    SmallVector<Expr> q = r.bytes(block + 8 + j % 16, count, /*alignment=*/8);
    Expr h = shiftRight(r.load((block + 4) >> 2), j);
    Expr nibble = j / 16 << 2; // Where it is in each byte.
    for (Expr &word : q) {
      word = (shiftRight(word, nibble) & 0x0F0F0F0F) | bitsInBytes(h, 4);
      h = h >> 4;
    }
    return q;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr) const override {
    Expr both = r.load(block >> 2);
    return {r.scaleToFloat(both), r.scaleToFloat(both, /*half=*/1)};
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q5_1, Q5_1)
GPUVM_DEFINE_QUANTS_AND_SCALES(q5_1)
GPUVM_DEFINE_OFFSETS(q5_1)
