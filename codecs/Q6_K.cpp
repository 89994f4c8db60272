//===- Q6_K.cpp - 256 numbers of 6 bits with scales -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q6_K (ggml-common.h), decoded as dequantize_row_q6_K does.
//
//   byte 0: u8 l[2][64]     byte 128: u8 h[2][32]
//   byte 192: i8 s[16], of 16 elements each     byte 208: f16 d
//   element 128 * n + 32 * i + j = (d * s) * (low | high << 4 - 32), where
//   low = nibble i / 2 of l[n][32 * (i % 2) + j], high = bits 2 * i of h[n][j]
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q6_K final : public QuantizedCodec {
public:
  Q6_K()
      : QuantizedCodec("q6_k", /*elements=*/256, /*bytes=*/210,
                       /*elementsPerScale=*/16) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int e = 0; e < 256; ++e) {
      int n = e / 128, i = e / 32 % 4, j = e % 32;
      int low = block[64 * n + 32 * (i % 2) + j] >> (i / 2 * 4) & 0xF;
      int high = block[128 + 32 * n + j] >> (2 * i) & 3;
      q[e] = static_cast<int8_t>((low | high << 4) - 32);
    }
  }
  Scale readScale(const uint8_t *block, int64_t i) const override {
    return {readHalf(block + 208) * static_cast<int8_t>(block[192 + i])};
  }

  /// The words that hold the lower 4 and the upper 2 bits, and how far up.
  struct Bits {
    SmallVector<Expr> low, high;
    Expr lowAt, highAt;
  };
  static Bits readBits(PackedReader &r, Expr block, Expr e, int64_t count) {
    Expr n = e / 128, i = e / 32 % 4, j = e % 32;
    return {r.bytes(block + n * 64 + i % 2 * 32 + j, count, /*alignment=*/2),
            r.bytes(block + 128 + n * 32 + j, count, /*alignment=*/2),
            i / 2 * 4, i * 2};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr e,
                               int64_t count) const override {
    Bits bits = readBits(r, block, e, count);
    for (auto [l, h] : llvm::zip_equal(bits.low, bits.high)) {
      h = (shiftRight(h, bits.highAt) & 0x03030303) << 4;
      l = (shiftRight(l, bits.lowAt) & 0x0F0F0F0F) | h;
      // q - 32: q + 0x60 has the sign upside down.
      l = (l + 0x60606060) ^ 0x80808080;
    }
    return bits.low;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr i) const override {
    SmallVector<Expr> s = r.bytes(block + 192 + i, 1, /*alignment=*/1);
    return {r.scaleToFloat(r.half(block + 208)) *
            signExtendLow(s[0], 8).signedToFloat()};
  }

  SmallVector<Expr> emitInBlock(PackedReader &r, Expr block, Expr e,
                                int64_t count) const override {
    ScaleNumbers s = emitScale(r, block, e / 16);
    Bits bits = readBits(r, block, e, count);
    for (auto [l, h] : llvm::zip_equal(bits.low, bits.high)) {
      // Of 4 (q - 32), as a signed byte, only the sign is not that of 4 q.
      h = (shiftRight(h, bits.highAt) << 6) & 0xC0C0C0C0;
      l = ((shiftRight(l, bits.lowAt) << 2) & 0x3C3C3C3C) | (h ^ 0x80808080);
    }
    Expr top = r.topScale(s.scale, /*unit=*/4);
    SmallVector<Expr> y;
    for (int64_t k = 0; k < count; ++k)
      y.push_back(r.signedByteOnTop(bits.low, k) * top);
    return y;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q6_k, Q6_K)
GPUVM_DEFINE_QUANTS_AND_SCALES(q6_k)
