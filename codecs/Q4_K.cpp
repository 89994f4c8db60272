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
class Q4_K final : public BlockCodec {
public:
  Q4_K() : BlockCodec("q4_k", /*elements=*/256, /*bytes=*/144) {}

private:
  void decodeBlock(const uint8_t *block, float *y) const override {
    for (int i = 0; i < 8; ++i) {
      KScale k = readKScale(block, i);
      for (int j = 0; j < 32; ++j) {
        int q = block[16 + i / 2 * 32 + j] >> (i % 2 * 4) & 0xF;
        y[32 * i + j] = k.scale * q - k.min;
      }
    }
  }

  SmallVector<Number> emitInBlock(PackedReader &r, Word block, Word j,
                                  int64_t count) const override {
    KScaleNumbers k = emitKScale(r, block, j / 32);
    Word at = block + 16 + j / 64 * 32 + j % 32;
    SmallVector<Word> q = r.bytes(at, count, /*alignment=*/16);
    Word nibble = j / 32 % 2 << 2; // Where it is in each byte.
    for (Word &word : q)
      word = (word >> nibble) & 0x0F0F0F0F;
    ByteScales scales = r.byteScales(k.scale);
    SmallVector<Number> y;
    for (int64_t i = 0; i < count; ++i)
      y.push_back(r.byteInPlace(q, i).scaled(scales[i % 4], k.negativeMin));
    return y;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q4_k, Q4_K)
