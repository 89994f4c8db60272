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

#include "codecs/BlockCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q4_0 final : public BlockCodec {
public:
  Q4_0() : BlockCodec("q4_0", /*elements=*/32, /*bytes=*/18) {}

private:
  void decodeBlock(const uint8_t *block, float *y) const override {
    float d = readHalf(block);
    for (int j = 0; j < 16; ++j) {
      y[j] = ((block[2 + j] & 0xF) - 8) * d;
      y[j + 16] = ((block[2 + j] >> 4) - 8) * d;
    }
  }

  SmallVector<Number> emitInBlock(PackedReader &r, Word block, Word j,
                                  int64_t count) const override {
    Number d = r.scaleToFloat(r.half(block));
    SmallVector<Word> q = r.bytes(block + 2 + j % 16, count, /*alignment=*/2);
    Word nibble = j / 16 * 4; // Where it is in each byte.
    for (Word &word : q)
      word = (word >> nibble) & 0x0F0F0F0F;
    SmallVector<Number> y;
    for (int64_t i = 0; i < count; ++i)
      y.push_back(r.toFloat(r.byteOf(q, i) - 8) * d);
    return y;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q4_0, Q4_0)
