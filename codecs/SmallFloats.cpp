//===- SmallFloats.cpp - floats of 8 bits ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A byte per element: f8e4m3fn (4 bits of exponent, 3 of fraction, no
// infinities, one NaN of each sign) and f8e5m2 (the upper half of binary16), as
// MLIR and the OCP specification of 8-bit floats have them. They become f32 by
// moving bits; f16 and bf16 have all of their numbers.
//
//===----------------------------------------------------------------------===//

#include "codecs/Codec.h"
#include "codecs/PackedReader.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class SmallFloat : public Codec {
public:
  explicit SmallFloat(const llvm::fltSemantics &semantics)
      : semantics(semantics) {}

  Type getDefaultElement(MLIRContext *context) const override {
    return Float32Type::get(context);
  }
  std::string whyNot(const PackedLayout &layout) const override {
    if (!layout.parameters.empty())
      return "takes no parameters";
    Type element = layout.element;
    bool isFloat = element.isF32() || element.isF16() || element.isBF16();
    return isFloat ? "" : "decodes to f32, f16 or bf16";
  }
  uint64_t getBytes(const PackedLayout &layout) const override {
    return layout.numElements();
  }
  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override {
    size_t size = layout.elementBits() / 8;
    const llvm::fltSemantics &wanted =
        cast<FloatType>(layout.element).getFloatSemantics();
    for (int64_t i = 0; i < layout.numElements(); ++i) {
      llvm::APFloat number(semantics, llvm::APInt(8, packed[i]));
      bool losesInfo;
      number.convert(wanted, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      uint64_t bits = number.bitcastToAPInt().getZExtValue();
      std::memcpy(static_cast<char *>(elements) + i * size, &bits, size);
    }
  }
  bool isExact(const PackedLayout &layout) const override {
    return layout.element.isF32(); // The rest is converted by the device.
  }
  int64_t getPreferredRun(const PackedLayout &) const override { return 8; }

  SmallVector<Value> emitRun(PackedReader &r, const PackedLayout &layout,
                             Value first, int64_t count) const override {
    SmallVector<Expr> words =
        r.bytes(r(first).toWord(), count, /*alignment=*/count);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count; ++i) {
      Expr byte = (words[i / 4] >> (i % 4 * 8)) & 0xFF;
      elements.push_back(emitOne(r, byte).truncate(layout.element));
    }
    return elements;
  }

protected:
  /// The number with the bits of `byte`, in f32.
  virtual Expr emitOne(PackedReader &r, Expr byte) const = 0;

private:
  const llvm::fltSemantics &semantics;
};

class F8E4M3FN final : public SmallFloat {
public:
  F8E4M3FN() : SmallFloat(llvm::APFloat::Float8E4M3FN()) {}
  StringRef getName() const override { return "f8e4m3fn"; }
  int64_t getCost(const PackedLayout &) const override { return 12; }

private:
  Expr emitOne(PackedReader &r, Expr byte) const override {
    Expr magnitude = byte & 0x7F;
    Expr normal = (magnitude << 20) + ((127 - 7) << 23);
    // A subnormal number is a multiple of 2^-9.
    Expr small = bitsOf(magnitude.signedToFloat() * 0x1p-9f);
    Expr bits = select(magnitude < 8, small, normal);
    bits = select(magnitude == 0x7F, r.word(0x7FC00000), bits);
    return fromBits(bits | ((byte & 0x80) << 24));
  }
};

class F8E5M2 final : public SmallFloat {
public:
  F8E5M2() : SmallFloat(llvm::APFloat::Float8E5M2()) {}
  StringRef getName() const override { return "f8e5m2"; }
  int64_t getCost(const PackedLayout &) const override { return 15; }

private:
  Expr emitOne(PackedReader &r, Expr byte) const override {
    return r.halfToFloat(byte << 8);
  }
};
} // namespace

GPUVM_DEFINE_CODEC(f8e4m3fn, F8E4M3FN)
GPUVM_DEFINE_CODEC(f8e5m2, F8E5M2)
