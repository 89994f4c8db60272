//===- Q4_0.cpp - 32 nibbles and a scale ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q4_0 (ggml-common.h), decoded as dequantize_row_q4_0 does.
//
//   byte 0: f16 d     byte 2: u8 q[16]
//   element j      = ((q[j] & 15) - 8) * d     for j < 16
//   element j + 16 = ((q[j] >> 4) - 8) * d
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q4_0 final : public QuantizedCodec {
public:
  Q4_0()
      : QuantizedCodec("q4_0", /*elements=*/32, /*bytes=*/18,
                       /*elementsPerScale=*/32) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int j = 0; j < 16; ++j) {
      q[j] = static_cast<int8_t>((block[2 + j] & 0xF) - 8);
      q[j + 16] = static_cast<int8_t>((block[2 + j] >> 4) - 8);
    }
  }
  Scale readScale(const uint8_t *block, int64_t) const override {
    return {readHalf(block)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    SmallVector<Expr> q = r.bytes(block + 2 + j % 16, count, /*alignment=*/2);
    Expr nibble = j / 16 << 2; // Where it is in each byte.
    for (Expr &word : q)       // n - 8: n + 0x78 has the sign upside down.
      word =
          ((shiftRight(word, nibble) & 0x0F0F0F0F) + 0x78787878) ^ 0x80808080;
    return q;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr) const override {
    return {r.scaleToFloat(r.half(block))};
  }

  SmallVector<Expr> emitInBlock(PackedReader &r, Expr block, Expr j,
                                int64_t count) const override {
    Expr d = r.topScale(r.scaleToFloat(r.half(block)), /*unit=*/16);
    SmallVector<Expr> q = r.bytes(block + 2 + j % 16, count, /*alignment=*/2);
    Expr up = r.word(4) - j / 16 * 4; // To the upper half of each byte.
    for (Expr &word : q)              // 16 (n - 8), as a signed byte.
      word = (shiftLeft(word, up) & 0xF0F0F0F0) ^ 0x80808080;
    SmallVector<Expr> y;
    for (int64_t i = 0; i < count; ++i)
      y.push_back(r.signedByteOnTop(q, i) * d);
    return y;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q4_0, Q4_0)
GPUVM_DEFINE_QUANTS_AND_SCALES(q4_0)
