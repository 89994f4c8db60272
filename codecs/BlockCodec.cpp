//===- BlockCodec.cpp - codecs of blocks of numbers -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/BlockCodec.h"

#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

float gpuvm::readHalf(const uint8_t *bytes) {
  _Float16 half;
  std::memcpy(&half, bytes, sizeof(half));
  return half;
}

Type BlockCodec::getDefaultElement(MLIRContext *context) const {
  return Float32Type::get(context);
}

std::string BlockCodec::whyNot(const PackedLayout &layout) const {
  if (!layout.parameters.empty())
    return "takes no parameters";
  if (!layout.element.isF32() && !layout.element.isF16() &&
      !layout.element.isBF16())
    return "decodes to f32, f16 or bf16";
  if (layout.shape.back() % blockElements != 0)
    return ("has blocks of " + Twine(blockElements) +
            " elements, of which the last dimension (" +
            Twine(layout.shape.back()) + ") is no multiple")
        .str();
  return "";
}

static uint16_t toHalf(float number) {
  return llvm::bit_cast<uint16_t>(static_cast<_Float16>(number));
}

/// The upper half of an f32, to nearest even.
static uint16_t toBrain(float number) {
  auto bits = llvm::bit_cast<uint32_t>(number);
  if (number != number)
    return static_cast<uint16_t>(bits >> 16 | 0x40); // A quiet NaN.
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint64_t BlockCodec::getBytes(const PackedLayout &layout) const {
  return layout.numElements() / blockElements * blockBytes;
}

void BlockCodec::decode(const PackedLayout &layout, const uint8_t *packed,
                        void *elements) const {
  SmallVector<float> block(blockElements);
  int64_t blocks = layout.numElements() / blockElements;
  for (int64_t i = 0; i < blocks; ++i) {
    decodeBlock(packed + i * blockBytes, block.data());
    if (layout.element.isF32()) {
      std::memcpy(static_cast<float *>(elements) + i * blockElements,
                  block.data(), blockElements * sizeof(float));
      continue;
    }
    for (int64_t j = 0; j < blockElements; ++j) {
      uint16_t rounded =
          layout.element.isBF16() ? toBrain(block[j]) : toHalf(block[j]);
      std::memcpy(static_cast<char *>(elements) +
                      (i * blockElements + j) * sizeof(rounded),
                  &rounded, sizeof(rounded));
    }
  }
}

SmallVector<Value> BlockCodec::emitRun(PackedReader &r,
                                       const PackedLayout &layout, Value first,
                                       int64_t count) const {
  Expr position = r(first).toWord();
  auto perBlock = static_cast<uint32_t>(blockElements);
  Expr block = position / perBlock * blockBytes;
  SmallVector<Value> elements;
  for (Expr number : emitInBlock(r, block, position % perBlock, count)) {
    elements.push_back(number.truncate(layout.element));
  }
  return elements;
}
