//===- KScales.h - the scales of ggml's K quantizations -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of q4_k and q5_k begin alike (ggml-common.h): f16 d, f16 dmin, and 12
// bytes that hold 8 scales and 8 minima of 6 bits each. Of sub-block i, 32
// elements, ggml's get_scale_min_k4 makes
//
//   i < 4:  scale = b[i] & 63                              min = b[i + 4] & 63
//   i >= 4: scale = (b[i + 4] & 15) | (b[i - 4] >> 6) << 4
//           min   = (b[i + 4] >> 4) | (b[i] >> 6) << 4
//
// and an element is (d * scale) * q - dmin * min.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "codecs/QuantizedCodec.h"

namespace mlir::gpuvm {

class KScaledCodec : public QuantizedCodec {
protected:
  KScaledCodec(StringLiteral name, int64_t bytes)
      : QuantizedCodec(name, /*elements=*/256, bytes, /*elementsPerScale=*/32,
                       /*hasOffsets=*/true) {}

  /// Of sub-block `i`.
  Scale readScale(const uint8_t *block, int64_t i) const final;
  /// The same of the block at byte `block`, a multiple of 16.
  ScaleNumbers emitScale(PackedReader &reader, Expr block, Expr i) const final;
};

} // namespace mlir::gpuvm
