//===- Q5_K.cpp - 256 numbers of 5 bits with scales and minima ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q5_K (ggml-common.h), decoded as dequantize_row_q5_K does.
//
//   byte 0: scales of sub-blocks of 32 (KScales.h)
//   byte 16: u8 h[32]     byte 48: u8 q[4][32]
//   element 32 * i + j = scale * (nibble + (h[j] >> i & 1) * 16) - min, where
//   nibble = q[i / 2][j] & 15 for even i, q[i / 2][j] >> 4 for odd i
//
//===----------------------------------------------------------------------===//

#include "codecs/KScales.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q5_K final : public KScaledCodec {
public:
  Q5_K() : KScaledCodec("q5_k", /*bytes=*/176) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    const uint8_t *high = block + 16, *low = block + 48;
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 32; ++j) {
        int nibble = low[i / 2 * 32 + j] >> (i % 2 * 4) & 0xF;
        q[32 * i + j] = static_cast<int8_t>(nibble + (high[j] >> i & 1) * 16);
      }
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    Expr subBlock = j / 32;
    SmallVector<Expr> high = r.bytes(block + 16 + j % 32, count, 16);
    SmallVector<Expr> low =
        r.bytes(block + 48 + j / 64 * 32 + j % 32, count, 16);
    Expr nibble = subBlock % 2 << 2; // Where it is in each byte.
    for (auto [h, l] : llvm::zip_equal(high, low)) {
      h = shiftRight(h, subBlock) & 0x01010101;
      l = (shiftRight(l, nibble) & 0x0F0F0F0F) | (h << 4);
    }
    return low;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q5_k, Q5_K)
GPUVM_DEFINE_QUANTS_AND_SCALES(q5_k)
GPUVM_DEFINE_OFFSETS(q5_k)
