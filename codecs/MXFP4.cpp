//===- MXFP4.cpp - 32 floats of 4 bits and an exponent --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OCP Microscaling format of that name as ggml lays it out, block_mxfp4
// (ggml-common.h), decoded as dequantize_row_mxfp4 does. The table has the
// doubles of the floats, and the scale is half of that of the exponent.
//
//   byte 0: u8 e     byte 1: u8 q[16]
//   element j      = table[q[j] & 15] * 2^(e - 128)    for j < 16
//   element j + 16 = table[q[j] >> 4] * 2^(e - 128)
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

#include <cmath>

using namespace mlir;
using namespace mlir::gpuvm;

/// ggml's kvalues_mxfp4.
static constexpr std::array<int8_t, 16> kTable = {
    0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

namespace {
class MXFP4 final : public QuantizedCodec {
public:
  MXFP4()
      : QuantizedCodec("mxfp4", /*elements=*/32, /*bytes=*/17,
                       /*elementsPerScale=*/32) {}

  /// The least numbers are subnormal, which devices may flush.
  bool isExact(const PackedLayout &) const override { return false; }

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int j = 0; j < 16; ++j) {
      q[j] = kTable[block[1 + j] & 0xF];
      q[j + 16] = kTable[block[1 + j] >> 4];
    }
  }
  Scale readScale(const uint8_t *block, int64_t) const override {
    return {std::ldexp(1.0f, block[0] - 128)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    SmallVector<Expr> q = r.bytes(block + 1 + j % 16, count, /*alignment=*/1);
    Expr nibble = j / 16 << 2; // Where it is in each byte.
    for (Expr &word : q)
      word = lookUpBytes(shiftRight(word, nibble), kTable);
    return q;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr) const override {
    Expr e = r.bytes(block, 1, /*alignment=*/1).front() & 0xFF;
    // 2^-128 and 2^-127 are subnormal.
    return {fromBits(select(e < 2, (e + 1) << 21, (e - 1) << 23))};
  }

  /// The scale is not divided by powers of two: it may be as small as can be.
  SmallVector<Expr> emitInBlock(PackedReader &r, Expr block, Expr j,
                                int64_t count) const override {
    Expr scale = emitScale(r, block, j).scale;
    SmallVector<Expr> q = emitQuants(r, block, j, count);
    SmallVector<Expr> y;
    for (int64_t i = 0; i < count; ++i)
      y.push_back(r.signedByteOnTop(q, i) * 0x1p-24f * scale);
    return y;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(mxfp4, MXFP4)
GPUVM_DEFINE_QUANTS_AND_SCALES(mxfp4)
