//===- QuantizedCodec.cpp - integers with scales --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/QuantizedCodec.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::gpuvm;

void QuantizedCodec::decodeBlock(const uint8_t *block, float *elements) const {
  SmallVector<int8_t> quants(blockElements);
  readQuants(block, quants.data());
  for (int64_t i = 0; i < blockElements; ++i) {
    Scale s = readScale(block, i / elementsPerScale);
    float product = s.scale * quants[i];
    elements[i] = hasOffsets ? product + s.offset : product;
  }
}

SmallVector<Expr> QuantizedCodec::emitInBlock(PackedReader &r, Expr block,
                                              Expr first, int64_t count) const {
  ScaleNumbers s = emitScale(r, block, first / elementsPerScale);
  SmallVector<Expr> y;
  if (!hasOffsets) {
    Expr top = r.topScale(s.scale);
    SmallVector<Expr> q = emitQuants(r, block, first, count);
    for (int64_t i = 0; i < count; ++i)
      y.push_back(r.signedByteOnTop(q, i) * top);
    return y;
  }
  SmallVector<Expr> q = emitQuants(r, block, first, count);
  ByteScales scales = r.byteScales(s.scale);
  for (int64_t i = 0; i < count; ++i)
    y.push_back(scaled(r.byteInPlace(q, i), scales[i % 4], *s.offset));
  return y;
}

int64_t PartCodec::perBlock() const {
  return part == Part::Quants ? whole.blockElements
                              : whole.blockElements / whole.elementsPerScale;
}

Type PartCodec::getDefaultElement(MLIRContext *context) const {
  if (part == Part::Quants)
    return IntegerType::get(context, 8);
  return Float32Type::get(context);
}

std::string PartCodec::whyNot(const PackedLayout &layout) const {
  if (!layout.parameters.empty())
    return "takes no parameters";
  if (layout.element != getDefaultElement(layout.element.getContext()))
    return part == Part::Quants ? "decodes to i8" : "decodes to f32";
  if (layout.shape.back() % perBlock() != 0)
    return ("has blocks of " + Twine(perBlock()) +
            " elements, of which the last dimension (" +
            Twine(layout.shape.back()) + ") is no multiple")
        .str();
  return "";
}

uint64_t PartCodec::getBytes(const PackedLayout &layout) const {
  return layout.numElements() / perBlock() * whole.blockBytes;
}

void PartCodec::decode(const PackedLayout &layout, const uint8_t *packed,
                       void *elements) const {
  int64_t blocks = layout.numElements() / perBlock();
  for (int64_t b = 0; b < blocks; ++b, packed += whole.blockBytes) {
    if (part == Part::Quants) {
      whole.readQuants(packed, static_cast<int8_t *>(elements) +
                                   b * whole.blockElements);
      continue;
    }
    float *out = static_cast<float *>(elements) + b * perBlock();
    for (int64_t i = 0; i < perBlock(); ++i) {
      QuantizedCodec::Scale s = whole.readScale(packed, i);
      out[i] = part == Part::Scales ? s.scale : s.offset;
    }
  }
}

SmallVector<Value> PartCodec::emitRun(PackedReader &r, const PackedLayout &,
                                      Value first, int64_t count) const {
  Expr position = r(first).toWord();
  auto own = static_cast<uint32_t>(perBlock());
  auto blockBytes = static_cast<uint32_t>(whole.blockBytes);
  if (part == Part::Quants) {
    Expr block = position / own * blockBytes;
    return r.byteElements(whole.emitQuants(r, block, position % own, count),
                          count);
  }
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i) {
    Expr at = position + i;
    QuantizedCodec::ScaleNumbers s =
        whole.emitScale(r, at / own * blockBytes, at % own);
    elements.push_back(part == Part::Scales ? s.scale : *s.offset);
  }
  return elements;
}
