//===- BlockCodec.h - codecs of blocks of numbers -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the block formats of ggml have in common: a fixed number of elements,
// neighbours in the last dimension, takes a fixed number of bytes. They decode
// to f32, or to f16 by rounding that.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "codecs/Codec.h"
#include "codecs/PackedReader.h"

namespace mlir::gpuvm {

class BlockCodec : public Codec {
public:
  /// `elements` is a power of two, at least kMaxRun.
  BlockCodec(StringLiteral name, int64_t elements, int64_t bytes)
      : name(name), blockElements(elements), blockBytes(bytes) {}

  StringRef getName() const override { return name; }
  Type getDefaultElement(MLIRContext *context) const override;
  std::string whyNot(const PackedLayout &layout) const override;
  uint64_t getBytes(const PackedLayout &layout) const override;
  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override;
  SmallVector<Value> emitRun(PackedReader &reader, const PackedLayout &layout,
                             Value first, int64_t count) const override;
  bool isExact(const PackedLayout &layout) const override {
    return layout.element.isF32(); // Rounding is the device's.
  }
  int64_t getCost(const PackedLayout &) const override { return 12; }
  int64_t getPreferredRun(const PackedLayout &) const override { return 8; }

protected:
  /// Decodes the block of `blockBytes` bytes at `block` into `blockElements`
  /// elements.
  virtual void decodeBlock(const uint8_t *block, float *elements) const = 0;

  /// Emits elements `first` to `first` + `count` - 1 of the block that starts
  /// at byte `block`, which all lie in one aligned run of `count` (Codec.h).
  virtual SmallVector<Expr> emitInBlock(PackedReader &reader, Expr block,
                                        Expr first, int64_t count) const = 0;

  const StringLiteral name;
  const int64_t blockElements, blockBytes;
};

/// The f16 at `bytes`.
float readHalf(const uint8_t *bytes);

} // namespace mlir::gpuvm
