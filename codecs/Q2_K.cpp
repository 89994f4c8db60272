//===- Q2_K.cpp - 256 numbers of 2 bits with scales and minima ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q2_K (ggml-common.h), decoded as dequantize_row_q2_K does.
//
//   byte 0: u8 s[16], of 16 elements each     byte 16: u8 q[2][32]
//   byte 80: f16 d     byte 82: f16 dmin
//   element e = 128 * n + 32 * i + j = (d * (s[e / 16] & 15)) *
//   (q[n][j] >> 2 * i & 3) - dmin * (s[e / 16] >> 4)
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q2_K final : public QuantizedCodec {
public:
  Q2_K()
      : QuantizedCodec("q2_k", /*elements=*/256, /*bytes=*/84,
                       /*elementsPerScale=*/16, /*hasOffsets=*/true) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int e = 0; e < 256; ++e) {
      int n = e / 128, i = e / 32 % 4, j = e % 32;
      q[e] = static_cast<int8_t>(block[16 + 32 * n + j] >> (2 * i) & 3);
    }
  }
  Scale readScale(const uint8_t *block, int64_t i) const override {
    return {readHalf(block + 80) * (block[i] & 0xF),
            -(readHalf(block + 82) * (block[i] >> 4))};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr e,
                               int64_t count) const override {
    Expr n = e / 128, i = e / 32 % 4, j = e % 32;
    SmallVector<Expr> q = r.bytes(block + 16 + n * 32 + j, count, 4);
    for (Expr &word : q)
      word = shiftRight(word, i * 2) & 0x03030303;
    return q;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr i) const override {
    Expr s = r.bytes(block + i, 1, /*alignment=*/1).front();
    Expr both = r.load((block + 80) >> 2);
    Expr d = r.scaleToFloat(both);
    Expr negativeDmin = r.scaleToFloat(both ^ 0x80000000, /*half=*/1);
    return {d * (s & 0xF).signedToFloat(),
            negativeDmin * ((s >> 4) & 0xF).signedToFloat()};
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q2_k, Q2_K)
GPUVM_DEFINE_QUANTS_AND_SCALES(q2_k)
GPUVM_DEFINE_OFFSETS(q2_k)
