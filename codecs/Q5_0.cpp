//===- Q5_0.cpp - 32 numbers of 5 bits and a scale ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q5_0 (ggml-common.h), decoded as dequantize_row_q5_0 does.
//
//   byte 0: f16 d     byte 2: u32 h     byte 6: u8 q[16]
//   element j = (nibble + (h >> j & 1) * 16 - 16) * d, where
//   nibble = q[j] & 15 for j < 16, q[j - 16] >> 4 for j >= 16
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q5_0 final : public QuantizedCodec {
public:
  Q5_0()
      : QuantizedCodec("q5_0", /*elements=*/32, /*bytes=*/22,
                       /*elementsPerScale=*/32) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int j = 0; j < 32; ++j) {
      int nibble = block[6 + j % 16] >> (j / 16 * 4) & 0xF;
      int fifth = block[2 + j / 8] >> (j % 8) & 1;
      q[j] = static_cast<int8_t>(nibble + fifth * 16 - 16);
    }
  }
  Scale readScale(const uint8_t *block, int64_t) const override {
    return {readHalf(block)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    SmallVector<Expr> q = r.bytes(block + 6 + j % 16, count, /*alignment=*/2);
    Expr h = shiftRight(r.bytes(block + 2, 4, /*alignment=*/2).front(), j);
    Expr nibble = j / 16 << 2; // Where it is in each byte.
    for (Expr &word : q) {     // n - 16: n + 0x70 has the sign upside down.
      word = (shiftRight(word, nibble) & 0x0F0F0F0F) | bitsInBytes(h, 4);
      word = (word + 0x70707070) ^ 0x80808080;
      h = h >> 4;
    }
    return q;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr) const override {
    return {r.scaleToFloat(r.half(block))};
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q5_0, Q5_0)
GPUVM_DEFINE_QUANTS_AND_SCALES(q5_0)
