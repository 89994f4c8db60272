//===- Codec.h - the interface of codecs of packed data -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A codec defines one way to pack a tensor: which tensors it can pack, and how
// many bytes that takes. `decode` says what the bytes mean, in plain C++ for
// the reference interpreter. `emitRun` emits the code with which a kernel reads
// a few neighbouring elements; it is written apart from `decode`. One file of
// this folder defines one codec, and Codecs.def lists them; docs/codecs.md
// specifies the layouts and tells how to add one.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::gpuvm {
class PackedReader;

/// What a packed tensor is, besides its codec:
/// `!gpuvm.packed<codec<parameters>, shape x element>`.
struct PackedLayout {
  ArrayRef<int64_t> parameters;
  ArrayRef<int64_t> shape; ///< At least one dimension.
  Type element;            ///< Of the decoded tensor.

  int64_t numElements() const { return ShapedType::getNumElements(shape); }
  unsigned elementBits() const { return element.getIntOrFloatBitWidth(); }
};

class Codec {
public:
  virtual ~Codec() = default;

  virtual StringRef getName() const = 0;

  /// The element type of a layout that names none; null if it must name one.
  virtual Type getDefaultElement(MLIRContext *context) const = 0;

  /// Why there is no such layout, as "takes ..., not ...": parameters, shape
  /// and element type, which is one of the machine's. Empty if there is.
  virtual std::string whyNot(const PackedLayout &layout) const = 0;

  // The functions below are for layouts that exist.

  virtual uint64_t getBytes(const PackedLayout &layout) const = 0;

  /// Decodes the `getBytes` bytes at `packed` into all elements, in row-major
  /// order; an i1 takes a byte. Never reads outside, whatever the bytes are.
  virtual void decode(const PackedLayout &layout, const uint8_t *packed,
                      void *elements) const = 0;

  /// Emits the elements at row-major positions `first`, `first` + 1, ... of the
  /// tensor. `count` is a power of two, at most kMaxRun, and `first` (an
  /// `index`) a multiple of it. Never reads outside the window either.
  virtual SmallVector<Value> emitRun(PackedReader &reader,
                                     const PackedLayout &layout, Value first,
                                     int64_t count) const = 0;
  static constexpr int64_t kMaxRun = 16;

  /// Whether decoded elements have the same bits on every device: whether the
  /// emission keeps to what --exact allows.
  virtual bool isExact(const PackedLayout &layout) const = 0;

  /// Scalar operations that one element of a run costs, roughly.
  virtual int64_t getCost(const PackedLayout &layout) const = 0;

  /// Neighbours to ask for at once if nothing else decides: as many as share
  /// what a run has to do once.
  virtual int64_t getPreferredRun(const PackedLayout &layout) const = 0;
};

/// The codec of that name, or null.
const Codec *lookupCodec(StringRef name);

/// "q4_0, q8_0, ...".
std::string listCodecs();

/// Defines the codec `name` of Codecs.def as an object of class Type, which is
/// made with the arguments that follow.
#define GPUVM_DEFINE_CODEC(name, Type, ...)                                    \
  namespace mlir::gpuvm::codecs {                                              \
  const Codec &name();                                                         \
  const Codec &name() {                                                        \
    static const Type codec{__VA_ARGS__};                                      \
    return codec;                                                              \
  }                                                                            \
  }

} // namespace mlir::gpuvm
