//===- Q4_K.cpp - 256 nibbles with scales and minima ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q4_K (ggml-common.h), decoded as dequantize_row_q4_K does.
//
//   byte 0: scales of sub-blocks of 32 (KScales.h)     byte 16: u8 q[4][32]
//   element 64 * i + j      = scale * (q[i][j] & 15) - min     for j < 32
//   element 64 * i + j + 32 = scale * (q[i][j] >> 4) - min
//
//===----------------------------------------------------------------------===//

#include "codecs/KScales.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q4_K final : public KScaledCodec {
public:
  Q4_K() : KScaledCodec("q4_k", /*bytes=*/144) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 32; ++j)
        q[32 * i + j] = static_cast<int8_t>(
            block[16 + i / 2 * 32 + j] >> (i % 2 * 4) & 0xF);
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    Expr at = block + 16 + j / 64 * 32 + j % 32;
    SmallVector<Expr> q = r.bytes(at, count, /*alignment=*/16);
    Expr nibble = j / 32 % 2 << 2; // Where it is in each byte.
    for (Expr &word : q)
      word = shiftRight(word, nibble) & 0x0F0F0F0F;
    return q;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q4_k, Q4_K)
GPUVM_DEFINE_QUANTS_AND_SCALES(q4_k)
GPUVM_DEFINE_OFFSETS(q4_k)
