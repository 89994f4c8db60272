//===- Halves.cpp - floats of 16 bits -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two bytes per element: IEEE's binary16 (f16), or the upper half of binary32
// (bf16). Both become f32 by moving bits, so that no device rounds or flushes
// anything and none needs 16-bit floats; f16 may stay f16 as well.
//
//===----------------------------------------------------------------------===//

#include "codecs/BlockCodec.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class HalfCodec : public Codec {
public:
  Type getDefaultElement(MLIRContext *context) const override {
    return Float32Type::get(context);
  }
  uint64_t getBytes(const PackedLayout &layout) const override {
    return 2 * layout.numElements();
  }
  bool isExact(const PackedLayout &) const override { return true; }
  int64_t getPreferredRun(const PackedLayout &) const override { return 8; }

  SmallVector<Value> emitRun(PackedReader &r, const PackedLayout &layout,
                             Value first, int64_t count) const override {
    SmallVector<Expr> words =
        r.bytes(r(first).toWord() * 2, 2 * count, /*alignment=*/2 * count);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(
          emitOne(r, layout, words[i / 2] >> (i % 2 == 0 ? 0 : 16)));
    return elements;
  }

protected:
  /// The element in the lower 16 bits of a word.
  virtual Value emitOne(PackedReader &r, const PackedLayout &layout,
                        Expr half) const = 0;

  /// An element that has the packed bits.
  static Value keepBits(PackedReader &r, const PackedLayout &layout,
                        Expr half) {
    return half.truncate(r.ir().getI16Type()).bitcast(layout.element);
  }
};

class F16 final : public HalfCodec {
public:
  StringRef getName() const override { return "f16"; }
  std::string whyNot(const PackedLayout &layout) const override {
    if (!layout.parameters.empty())
      return "takes no parameters";
    bool isFloat = layout.element.isF32() || layout.element.isF16();
    return isFloat ? "" : "decodes to f32 or f16";
  }
  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override {
    if (layout.element.isF16()) {
      std::memcpy(elements, packed, getBytes(layout));
      return;
    }
    for (int64_t i = 0; i < layout.numElements(); ++i)
      static_cast<float *>(elements)[i] = readHalf(packed + 2 * i);
  }
  int64_t getCost(const PackedLayout &) const override { return 14; }

private:
  Value emitOne(PackedReader &r, const PackedLayout &layout,
                Expr half) const override {
    if (layout.element.isF32())
      return r.halfToFloat(half);
    return keepBits(r, layout, half);
  }
};

class BF16 final : public HalfCodec {
public:
  StringRef getName() const override { return "bf16"; }
  std::string whyNot(const PackedLayout &layout) const override {
    if (!layout.parameters.empty())
      return "takes no parameters";
    bool isFloat = layout.element.isF32() || layout.element.isBF16();
    return isFloat ? "" : "decodes to f32 or bf16";
  }
  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override {
    if (layout.element.isBF16()) {
      std::memcpy(elements, packed, getBytes(layout));
      return;
    }
    auto *to = static_cast<uint8_t *>(elements);
    for (int64_t i = 0; i < layout.numElements(); ++i) {
      std::memset(to + 4 * i, 0, 2);
      std::memcpy(to + 4 * i + 2, packed + 2 * i, 2);
    }
  }
  int64_t getCost(const PackedLayout &) const override { return 2; }

private:
  Value emitOne(PackedReader &r, const PackedLayout &layout,
                Expr half) const override {
    if (layout.element.isF32())
      return fromBits(half << 16);
    return keepBits(r, layout, half);
  }
};
} // namespace

GPUVM_DEFINE_CODEC(f16, F16)
GPUVM_DEFINE_CODEC(bf16, BF16)
