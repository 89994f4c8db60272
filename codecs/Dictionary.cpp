//===- Dictionary.cpp - elements by their numbers in a table --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dictionary<W, N>: N entries, each an element, filled up to whole words; then
// a stream of W-bit codes (BitFields.h), one for each element in row-major
// order. A code of N or more stands for the last entry.
//
//===----------------------------------------------------------------------===//

#include "codecs/BitFields.h"
#include "codecs/Codec.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Dictionary final : public Codec {
public:
  StringRef getName() const override { return "dictionary"; }
  Type getDefaultElement(MLIRContext *) const override { return Type(); }

  std::string whyNot(const PackedLayout &layout) const override {
    if (layout.parameters.size() != 2 || layout.parameters[0] < 1 ||
        layout.parameters[0] > 32 || layout.parameters[1] < 1 ||
        layout.parameters[1] > INT32_MAX)
      return "takes two parameters, the width of a code from 1 to 32 bits and "
             "the number of entries";
    if (layout.elementBits() == 1)
      return "decodes to elements of 8 bits or more";
    return "";
  }

  uint64_t getBytes(const PackedLayout &layout) const override {
    return tableWords(layout) * 4 +
           streamBytes(layout.numElements(), layout.parameters[0]);
  }

  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override {
    uint64_t size = layout.elementBits() / 8;
    const uint8_t *codes = packed + tableWords(layout) * 4;
    for (int64_t i = 0; i < layout.numElements(); ++i) {
      uint64_t code = readField(codes, i, layout.parameters[0]);
      uint64_t entry = std::min<uint64_t>(code, layout.parameters[1] - 1);
      std::memcpy(static_cast<char *>(elements) + i * size,
                  packed + entry * size, size);
    }
  }

  SmallVector<Value> emitRun(PackedReader &r, const PackedLayout &layout,
                             Value first, int64_t count) const override {
    Expr codes = r.word(tableWords(layout));
    SmallVector<Value> elements;
    for (const BitField &code :
         emitFields(r, codes, r(first).toWord(), count, layout.parameters[0]))
      elements.push_back(emitArrayElement(
          r, r.word(0), min(code.low, layout.parameters[1] - 1),
          layout.element));
    return elements;
  }

  bool isExact(const PackedLayout &) const override { return true; }
  int64_t getCost(const PackedLayout &) const override { return 10; }
  int64_t getPreferredRun(const PackedLayout &) const override { return 8; }

private:
  static uint64_t tableWords(const PackedLayout &layout) {
    return llvm::divideCeil(layout.parameters[1] * (layout.elementBits() / 8),
                            4);
  }
};
} // namespace

GPUVM_DEFINE_CODEC(dictionary, Dictionary)
