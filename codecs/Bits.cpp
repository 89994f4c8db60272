//===- Bits.cpp - bit-packed integers -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bits<W> and signed_bits<W>: a stream of W-bit fields (BitFields.h), one for
// each element in row-major order.
//
//===----------------------------------------------------------------------===//

#include "codecs/BitFields.h"
#include "codecs/Codec.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Bits final : public Codec {
public:
  Bits(StringLiteral name, bool isSigned) : name(name), isSigned(isSigned) {}

  StringRef getName() const override { return name; }
  Type getDefaultElement(MLIRContext *) const override { return Type(); }

  std::string whyNot(const PackedLayout &layout) const override {
    if (layout.parameters.size() != 1 || layout.parameters[0] < 1 ||
        layout.parameters[0] > 64)
      return "takes one parameter, the width of a field from 1 to 64 bits";
    if (!isa<IntegerType>(layout.element))
      return "decodes to integers";
    if (layout.elementBits() < layout.parameters[0])
      return ("has fields of " + Twine(layout.parameters[0]) +
              " bits, which an element of " + Twine(layout.elementBits()) +
              " bits does not hold")
          .str();
    return "";
  }

  uint64_t getBytes(const PackedLayout &layout) const override {
    return streamBytes(layout.numElements(), layout.parameters[0]);
  }

  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override {
    unsigned width = layout.parameters[0];
    uint64_t size = llvm::divideCeil(layout.elementBits(), 8);
    for (int64_t i = 0; i < layout.numElements(); ++i) {
      uint64_t field = readField(packed, i, width);
      if (isSigned && layout.elementBits() > 1)
        field = signExtendField(field, width);
      std::memcpy(static_cast<char *>(elements) + i * size, &field, size);
    }
  }

  SmallVector<Value> emitRun(PackedReader &r, const PackedLayout &layout,
                             Value first, int64_t count) const override {
    unsigned width = layout.parameters[0];
    SmallVector<Value> elements;
    for (const BitField &field :
         emitFields(r, r.word(0), r(first).toWord(), count, width))
      elements.push_back(emitInteger(field, width, isSigned, layout.element));
    return elements;
  }

  bool isExact(const PackedLayout &) const override { return true; }
  int64_t getCost(const PackedLayout &) const override { return 6; }
  int64_t getPreferredRun(const PackedLayout &) const override { return 8; }

private:
  StringLiteral name;
  bool isSigned;
};
} // namespace

GPUVM_DEFINE_CODEC(bits, Bits, "bits", /*isSigned=*/false)
GPUVM_DEFINE_CODEC(signed_bits, Bits, "signed_bits", /*isSigned=*/true)
