//===- Q3_K.cpp - 256 numbers of 3 bits with scales -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_q3_K (ggml-common.h), decoded as dequantize_row_q3_K does.
//
//   byte 0: u8 h[32]     byte 32: u8 q[2][32]
//   byte 96: u8 b[12], 16 scales of 6 bits     byte 108: f16 d
//   element e = 128 * n + 32 * i + j = (d * (scale[e / 16] - 32)) *
//   ((q[n][j] >> 2 * i & 3) + (h[j] >> (4 * n + i) & 1) * 4 - 4), where
//   scale[k] = nibble k / 8 of b[k % 8] | bits 2 * (k / 4) of b[8 + k % 4] << 4
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q3_K final : public QuantizedCodec {
public:
  Q3_K()
      : QuantizedCodec("q3_k", /*elements=*/256, /*bytes=*/110,
                       /*elementsPerScale=*/16) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int e = 0; e < 256; ++e) {
      int n = e / 128, i = e / 32 % 4, j = e % 32;
      int low = block[32 + 32 * n + j] >> (2 * i) & 3;
      int high = block[j] >> (4 * n + i) & 1;
      q[e] = static_cast<int8_t>(low + high * 4 - 4);
    }
  }
  Scale readScale(const uint8_t *block, int64_t i) const override {
    const uint8_t *b = block + 96;
    int low = b[i % 8] >> (i / 8 * 4) & 0xF;
    int high = b[8 + i % 4] >> (i / 4 * 2) & 3;
    return {readHalf(block + 108) * ((low | high << 4) - 32)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr e,
                               int64_t count) const override {
    Expr n = e / 128, i = e / 32 % 4, j = e % 32;
    SmallVector<Expr> high = r.bytes(block + j, count, /*alignment=*/2);
    SmallVector<Expr> low =
        r.bytes(block + 32 + n * 32 + j, count, /*alignment=*/2);
    for (auto [h, l] : llvm::zip_equal(high, low)) {
      h = (shiftRight(h, n * 4 + i) & 0x01010101) << 2;
      l = (shiftRight(l, i * 2) & 0x03030303) | h;
      // q - 4: q + 0x7C has the sign upside down.
      l = (l + 0x7C7C7C7C) ^ 0x80808080;
    }
    return low;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr i) const override {
    Expr low = r.bytes(block + 96 + i % 8, 1, /*alignment=*/1).front();
    Expr high = r.bytes(block + 104 + i % 4, 1, /*alignment=*/1).front();
    low = shiftRight(low, i / 8 << 2) & 0xF;
    high = shiftRight(high, i / 4 << 1) & 3;
    Expr scale = (low | (high << 4)) - 32;
    return {r.scaleToFloat(r.half(block + 108)) * scale.signedToFloat()};
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q3_k, Q3_K)
GPUVM_DEFINE_QUANTS_AND_SCALES(q3_k)
