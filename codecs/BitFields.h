//===- BitFields.h - a stream of bit-packed numbers -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of one width, from 1 to 64 bits, without gaps: field i is bits
// i * width to (i + 1) * width - 1, and bit k is bit k % 8 of byte k / 8. Bits
// of codecs that consist of such streams, or contain them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "codecs/PackedReader.h"

namespace mlir::gpuvm {

/// Bytes of a stream of `count` fields.
uint64_t streamBytes(uint64_t count, unsigned width);

/// Field `index` of a stream.
uint64_t readField(const uint8_t *stream, uint64_t index, unsigned width);

/// The lowest `width` bits of `field` as a signed number.
int64_t signExtendField(uint64_t field, unsigned width);

/// A field in a kernel.
struct BitField {
  Expr low;
  std::optional<Expr> high; ///< Above 32 bits.
};

/// Fields `first` to `first` + `count` - 1 of the stream at word `base`;
/// `count` is a power of two up to 32, and `first` a multiple of it. Upper bits
/// are 0.
SmallVector<BitField> emitFields(PackedReader &reader, Expr base, Expr first,
                                 int64_t count, unsigned width);

/// A field as an integer of type `type`, which is at least as wide.
Expr emitInteger(const BitField &field, unsigned width, bool isSigned,
                 Type type);

/// Element `index` of the array of `element` at word `base`, and of a type of
/// 64 bits the word `base` + 2 * index.
Expr emitArrayElement(PackedReader &reader, Expr base, Expr index,
                      Type element);

} // namespace mlir::gpuvm
