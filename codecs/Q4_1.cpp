//===- Q4_1.cpp - 32 nibbles, a scale and a minimum -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q4_1 (ggml-common.h), decoded as dequantize_row_q4_1 does.
//
//   byte 0: f16 d     byte 2: f16 m     byte 4: u8 q[16]
//   element j      = (q[j] & 15) * d + m    for j < 16
//   element j + 16 = (q[j] >> 4) * d + m
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q4_1 final : public QuantizedCodec {
public:
  Q4_1()
      : QuantizedCodec("q4_1", /*elements=*/32, /*bytes=*/20,
                       /*elementsPerScale=*/32, /*hasOffsets=*/true) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int j = 0; j < 16; ++j) {
      q[j] = static_cast<int8_t>(block[4 + j] & 0xF);
      q[j + 16] = static_cast<int8_t>(block[4 + j] >> 4);
    }
  }
  Scale readScale(const uint8_t *block, int64_t) const override {
    return {readHalf(block), readHalf(block + 2)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    SmallVector<Expr> q = r.bytes(block + 4 + j % 16, count, /*alignment=*/4);
    Expr nibble = j / 16 << 2; // Where it is in each byte.
    for (Expr &word : q)
      word = shiftRight(word, nibble) & 0x0F0F0F0F;
    return q;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr) const override {
    Expr both = r.load(block >> 2);
    return {r.scaleToFloat(both), r.scaleToFloat(both, /*half=*/1)};
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q4_1, Q4_1)
GPUVM_DEFINE_QUANTS_AND_SCALES(q4_1)
GPUVM_DEFINE_OFFSETS(q4_1)
