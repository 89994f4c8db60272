//===- Q8_0.cpp - 32 signed bytes and a scale -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q8_0 (ggml-common.h), decoded as dequantize_row_q8_0 does.
//
//   byte 0: f16 d     byte 2: i8 q[32]     element j = q[j] * d
//
//===----------------------------------------------------------------------===//

#include "codecs/BlockCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q8_0 final : public BlockCodec {
public:
  Q8_0() : BlockCodec("q8_0", /*elements=*/32, /*bytes=*/34) {}

private:
  void decodeBlock(const uint8_t *block, float *y) const override {
    float d = readHalf(block);
    for (int j = 0; j < 32; ++j)
      y[j] = static_cast<int8_t>(block[2 + j]) * d;
  }

  SmallVector<Number> emitInBlock(PackedReader &r, Word block, Word j,
                                  int64_t count) const override {
    Number d = r.topScale(r.scaleToFloat(r.half(block)));
    SmallVector<Word> q = r.bytes(block + 2 + j, count, /*alignment=*/2);
    SmallVector<Number> y;
    for (int64_t i = 0; i < count; ++i)
      y.push_back(r.signedByteOnTop(q, i) * d);
    return y;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q8_0, Q8_0)
