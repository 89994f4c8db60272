//===- IQ4_NL.cpp - 32 nibbles that are places of a table, and a scale ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ggml's block_iq4_nl (ggml-common.h), decoded as dequantize_row_iq4_nl does.
//
//   byte 0: f16 d     byte 2: u8 q[16]
//   element j      = table[q[j] & 15] * d    for j < 16
//   element j + 16 = table[q[j] >> 4] * d
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// ggml's kvalues_iq4nl.
static constexpr std::array<int8_t, 16> kTable = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

namespace {
class IQ4_NL final : public QuantizedCodec {
public:
  IQ4_NL()
      : QuantizedCodec("iq4_nl", /*elements=*/32, /*bytes=*/18,
                       /*elementsPerScale=*/32) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    for (int j = 0; j < 16; ++j) {
      q[j] = kTable[block[2 + j] & 0xF];
      q[j + 16] = kTable[block[2 + j] >> 4];
    }
  }
  Scale readScale(const uint8_t *block, int64_t) const override {
    return {readHalf(block)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    SmallVector<Expr> q = r.bytes(block + 2 + j % 16, count, /*alignment=*/2);
    Expr nibble = j / 16 << 2; // Where it is in each byte.
    for (Expr &word : q)
      word = lookUpBytes(shiftRight(word, nibble), kTable);
    return q;
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr) const override {
    return {r.scaleToFloat(r.half(block))};
  }
};
} // namespace

GPUVM_DEFINE_CODEC(iq4_nl, IQ4_NL)
GPUVM_DEFINE_QUANTS_AND_SCALES(iq4_nl)
