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

#include "codecs/QuantizedCodec.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Q8_0 final : public QuantizedCodec {
public:
  Q8_0()
      : QuantizedCodec("q8_0", /*elements=*/32, /*bytes=*/34,
                       /*elementsPerScale=*/32) {}

private:
  void readQuants(const uint8_t *block, int8_t *q) const override {
    std::memcpy(q, block + 2, 32);
  }
  Scale readScale(const uint8_t *block, int64_t) const override {
    return {readHalf(block)};
  }

  SmallVector<Expr> emitQuants(PackedReader &r, Expr block, Expr j,
                               int64_t count) const override {
    return r.bytes(block + 2 + j, count, /*alignment=*/2);
  }
  ScaleNumbers emitScale(PackedReader &r, Expr block, Expr) const override {
    return {r.scaleToFloat(r.half(block))};
  }
};
} // namespace

GPUVM_DEFINE_CODEC(q8_0, Q8_0)
GPUVM_DEFINE_QUANTS_AND_SCALES(q8_0)
