//===- QuantizedCodec.h - integers with scales ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ggml's formats consist of: an element is scale * q + offset, where q
// fits an i8 and neighbours share scale and offset. Each of these parts is a
// codec of its own, of the same bytes: with them products of integers are added
// up before they are scaled.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "codecs/BlockCodec.h"

namespace mlir::gpuvm {

class QuantizedCodec : public BlockCodec {
public:
  /// `elementsPerScale` divides `elements`; it is a multiple of kMaxRun.
  QuantizedCodec(StringLiteral name, int64_t elements, int64_t bytes,
                 int64_t elementsPerScale, bool hasOffsets = false)
      : BlockCodec(name, elements, bytes), elementsPerScale(elementsPerScale),
        hasOffsets(hasOffsets) {}

  /// Scale and offset; an offset that there is none of is not looked at.
  struct Scale {
    float scale, offset = 0;
  };
  struct ScaleNumbers {
    Expr scale;
    std::optional<Expr> offset = std::nullopt;
  };

protected:
  /// The integers of the block of `blockBytes` bytes at `block`.
  virtual void readQuants(const uint8_t *block, int8_t *quants) const = 0;
  /// The scale of the elements from `i` * `elementsPerScale` on.
  virtual Scale readScale(const uint8_t *block, int64_t i) const = 0;

  /// Emits the integers of elements `first` to `first` + `count` - 1 of the
  /// block at byte `block` as signed bytes, four to a word, in one aligned run.
  virtual SmallVector<Expr> emitQuants(PackedReader &reader, Expr block,
                                       Expr first, int64_t count) const = 0;
  virtual ScaleNumbers emitScale(PackedReader &reader, Expr block,
                                 Expr i) const = 0;

  /// Scales the bytes of `emitQuants`, of which none is negative if there are
  /// offsets.
  SmallVector<Expr> emitInBlock(PackedReader &reader, Expr block, Expr first,
                                int64_t count) const override;

private:
  friend class PartCodec;
  void decodeBlock(const uint8_t *block, float *elements) const final;

  int64_t elementsPerScale;
  bool hasOffsets;
};

/// The integers, scales or offsets from which the elements of a codec are
/// computed.
class PartCodec final : public Codec {
public:
  enum class Part { Quants, Scales, Offsets };

  PartCodec(StringLiteral name, const Codec &whole, Part part)
      : name(name), whole(static_cast<const QuantizedCodec &>(whole)),
        part(part) {}

  StringRef getName() const override { return name; }
  Type getDefaultElement(MLIRContext *context) const override;
  std::string whyNot(const PackedLayout &layout) const override;
  uint64_t getBytes(const PackedLayout &layout) const override;
  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override;
  SmallVector<Value> emitRun(PackedReader &reader, const PackedLayout &layout,
                             Value first, int64_t count) const override;
  bool isExact(const PackedLayout &) const override { return true; }
  int64_t getCost(const PackedLayout &) const override {
    return part == Part::Quants ? 2 : 12;
  }
  int64_t getPreferredRun(const PackedLayout &) const override {
    return part == Part::Quants ? kMaxRun : 1;
  }

private:
  /// How many elements of this part a block has.
  int64_t perBlock() const;

  StringLiteral name;
  const QuantizedCodec &whole;
  Part part;
};

/// Defines the parts of a codec that this file has defined.
#define GPUVM_DEFINE_QUANTS_AND_SCALES(name)                                   \
  GPUVM_DEFINE_CODEC(name##_quants, PartCodec, #name "_quants", name(),        \
                     PartCodec::Part::Quants)                                  \
  GPUVM_DEFINE_CODEC(name##_scales, PartCodec, #name "_scales", name(),        \
                     PartCodec::Part::Scales)
#define GPUVM_DEFINE_OFFSETS(name)                                             \
  GPUVM_DEFINE_CODEC(name##_offsets, PartCodec, #name "_offsets", name(),      \
                     PartCodec::Part::Offsets)

} // namespace mlir::gpuvm
